. .venv/bin/activate                      # the environment that ./dev demo has made: now there is a command krypsis
krypsis init demo/patients.csv            # look at the file, guess roles and hierarchies, write plan.yaml
krypsis run plan.yaml                     # anonymize, verify, measure; write release/ and its report
krypsis check release/                    # verify what was published, from its files alone
