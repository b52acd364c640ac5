krypsis dossier init demo/dossier.yaml --profile eu-gdpr     # a dossier to fill in
krypsis dossier check examples/dossier.yaml --before-run     # one that was filled in
echo "dossier: ../examples/dossier.yaml" >> demo/plan.yaml
krypsis run demo/plan.yaml --force                           # fills in what was done, writes dossier and statement
krypsis dossier check demo/release.*.dossier.json            # with everything the run has filled in
