"""A pandas frame comes in, a pandas frame goes out."""

import pandas as pd

import krypsis

visits = pd.DataFrame(
    {
        "zip": ["10410", "10411", "10412", "54610", "54611", "54612"],
        "sex": ["F", "F", "F", "M", "M", "M"],
        "diagnosis": ["asthma", "influenza", "asthma", "diabetes", "influenza", "asthma"],
    }
)
release = krypsis.anonymize(
    visits,
    roles={"zip": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"},
    hierarchies={"zip": {"kind": "masking", "side": "right"}, "sex": {"kind": "flat"}},
    models=["k-anonymity:k=3"],
)

print(release.to_pandas())
