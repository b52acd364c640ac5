krypsis check published.csv --promise k-anonymity:k=2 --promise distinct-l-diversity:l=2 --qi age,sex --sensitive diagnosis
