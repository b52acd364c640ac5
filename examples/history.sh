krypsis history init patients.csv --id patient_id --plan plan.yaml    # a new folder, history/, and its first release
krypsis history simulate patients-2.csv                               # what the next one would be
krypsis history publish patients-2.csv                                # compare, make, check against all before, write
krypsis history log
krypsis history check                                                 # all releases together
krypsis history attack                                                # what somebody learns who compares them
