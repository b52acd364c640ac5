krypsis demo --kind graph                                                 # make up a network; publish it so that nobody is found by a degree
krypsis init demo-graph/contacts.csv --kind graph --output contacts.yaml  # look at a network, write a plan
krypsis run contacts.yaml --output contacts-release                       # anonymize, verify, measure, report
krypsis check contacts-release                                            # verify from the published files alone
krypsis attack contacts-release --plan contacts.yaml                      # what attackers would find
