krypsis query demo/release --where age=30..40 --where "diagnosis=asthma|influenza" --domain age=0..110
krypsis query demo/release --queries examples/questions.yaml --plan demo/plan.yaml    # many, with the true counts
