"""Say which values may become one, and how much an attribute matters."""

import polars as pl

import krypsis

employees = pl.DataFrame(
    {
        "job": ["nurse", "physician", "driver", "farmer", "nurse", "physician", "driver", "farmer"],
        "age": [31, 34, 52, 58, 36, 39, 55, 51],
        "salary": ["low", "high", "low", "low", "middle", "high", "middle", "low"],
    }
)
release = krypsis.anonymize(
    employees,
    roles={"job": "quasi-identifier", "age": "quasi-identifier", "salary": "sensitive"},
    hierarchies={
        "job": {
            "kind": "taxonomy",
            "tree": {"*": {"health": ["nurse", "physician"], "outdoors": ["driver", "farmer"]}},
        },
        "age": {"kind": "intervals", "width": 10},
    },
    models=["k-anonymity:k=2", "distinct-l-diversity:l=2"],
)

print(release.levels)
print(release.table)
assert all(release.verdicts)
