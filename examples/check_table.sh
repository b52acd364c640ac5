krypsis check examples/published.csv --promise k-anonymity:k=2 --qi age,sex
krypsis check examples/published.csv --promise distinct-l-diversity:l=2 --qi age,sex --sensitive diagnosis
