"""Let the data answer what it can, answer the rest, and publish what the advisor suggests."""

import krypsis
from krypsis.advisor import Wizard, evidence_of
from krypsis.kinds.table.demo import hospital

table = hospital(rows=1000).select("patient_id", "age", "sex", "diagnosis")
roles = {"patient_id": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"}
evidence = evidence_of(table, krypsis.Schema.of(roles))

# What only the publisher knows; all other answers are taken from the data.
known = {"page05": "no", "page07": "no", "page01": "yes", "totals": "no", "page02b": "no"}
wanted = {"page11": "no", "page12": "no", "page13": "yes"}

wizard = Wizard("extended", evidence=evidence)
while not wizard.is_done:
    wizard.answer({**known, **wanted}.get(wizard.page) or wizard.finding.answer)

advice = wizard.result()
print(advice.title, "-", advice.promise)
for step in advice.path:
    print(f"  {step.question}: {step.answer}", f"({step.evidence})" if step.evidence else "")

release = krypsis.anonymize(table, roles, models=[advice.spec], algorithm=advice.algorithms[0])
print(release.summary())
