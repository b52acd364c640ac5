krypsis run examples/baskets_sensitive.yaml
krypsis check sensitive-release
krypsis check sensitive-release --promise privacy-degree:p=2
