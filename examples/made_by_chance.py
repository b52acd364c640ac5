"""Two more tables made by chance: combinations of which some are made up, and boxes of numbers."""

import polars as pl

import krypsis
from krypsis.algorithms.tables.mechanisms.alpha_beta import estimated_count

# (d,γ)-privacy: who believed little that somebody is in the data, cannot believe it strongly afterwards.
towns = [f"town {number}" for number in range(200)]
visits = pl.DataFrame({"town": towns[:60], "ill": ["yes"] * 25 + ["no"] * 35})
release = krypsis.anonymize(
    visits,
    roles={"town": "quasi-identifier", "ill": "sensitive"},
    hierarchies={"town": {"*": towns}, "ill": {"*": ["yes", "no"]}},
    models="d-gamma-privacy:d=0.1,gamma=0.5",
    algorithm={"name": "alpha-beta", "missing": "leave out"},
)
seen = release.table.filter(pl.col("ill") == "yes").height
print(
    "ill, estimated:",
    round(estimated_count(seen, possible=len(towns), **release.mechanism_record.chances), 1),
    "true: 25",
)

# (c,t)-isolation: guesses from the release come near to hardly anybody without being as near to others.
people = pl.DataFrame(
    {"age": [20 + number * 7 % 60 for number in range(600)], "pay": [900 + number * 13 % 800 for number in range(600)]}
)
boxes = krypsis.anonymize(
    people,
    roles={"age": "quasi-identifier", "pay": "quasi-identifier"},
    models="ct-isolation:c=2,t=5",
    algorithm='recursive-histogram:bounds="age=0 to 120,pay=0 to 4000"',
)
print(boxes.table.sort("count", descending=True).head(3))
print(boxes.verdicts[0].sentence)
