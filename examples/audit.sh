krypsis audit show --folder demo                # a line for each run; --json with the plans
krypsis audit check --folder demo               # was anything changed or removed?
krypsis audit export audit.csv --folder demo    # or audit.json
