krypsis demo --kind ontology                                             # make up a hospital; publish it so that two diagnoses do not follow
krypsis init demo-ontology/hospital.ofn --public demo-ontology/medicine.ofn --output hospital.yaml  # what follows, and a plan to edit
krypsis check demo-ontology/release                                      # derive everything again, from the published files alone
krypsis attack demo-ontology/release --plan demo-ontology/plan.yaml      # what somebody derives before and after
