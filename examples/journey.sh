# A file of your own: patients.csv here is the table that `krypsis demo` writes.
krypsis init patients.csv                 # look at the file, guess roles and hierarchies, write plan.yaml
krypsis run plan.yaml                     # anonymize, verify, measure; write release/ and its report
krypsis check release/                    # verify what was published, from its files alone
