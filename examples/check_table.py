"""Check a table that another tool has anonymized."""

from pathlib import Path

import krypsis

Path("published.csv").write_text(
    "age,sex,diagnosis\n20-29,F,asthma\n20-29,F,influenza\n30-39,M,diabetes\n30-39,M,diabetes\n40-49,M,asthma\n",
    encoding="utf-8",
)
verdicts = krypsis.check(
    "published.csv",
    models=["k-anonymity:k=2", "distinct-l-diversity:l=2"],
    quasi_identifiers=["age", "sex"],
    sensitive=["diagnosis"],
)

for verdict in verdicts:
    print("holds" if verdict else "does not hold", "-", verdict.sentence)
    for group in verdict.offending:
        print("   ", group)
assert not any(verdicts)
