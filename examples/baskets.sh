krypsis demo --kind transactions                                                # make up baskets; generalize what is in them
krypsis init demo-sets/baskets.csv --kind transactions --output baskets.yaml    # look at a file of sets, write a plan
krypsis run baskets.yaml --output baskets-release                               # anonymize, verify, measure, report
krypsis check baskets-release                                                   # verify from the published files alone
