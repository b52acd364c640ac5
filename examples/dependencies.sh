krypsis demo --kind dependencies                                                          # invented patients, and a plan with secrets and rules
krypsis check demo-dependencies/release                                                   # repeat the rules on the published cells alone
krypsis attack demo-dependencies/release --plan demo-dependencies/plan.yaml               # what the rules give away before and after
krypsis init demo-dependencies/patients.csv --kind dependencies --output patients.yaml    # look for columns that determine others
krypsis run patients.yaml --output patients-release                                       # the proposed plan keeps whole columns secret
