"""Generalize baskets: who knows two things that somebody bought must find two baskets at least."""

import krypsis
from krypsis.data.hierarchies.base import Hierarchy

goods = Hierarchy.from_rows(
    [
        ["kitchen paper", "cleaning", "*"],
        ["bleach", "cleaning", "*"],
        ["lentils", "legumes", "*"],
        ["chickpeas", "legumes", "*"],
    ]
)
baskets = krypsis.Transactions.of_sets(
    [
        ["kitchen paper", "lentils", "chickpeas"],
        ["bleach", "lentils"],
        ["bleach", "lentils", "chickpeas"],
        ["kitchen paper", "bleach", "chickpeas"],
    ]
)

release = krypsis.anonymize(
    baskets, models="km-anonymity:k=2,m=2", hierarchies={"item": goods}, algorithm="apriori:variant=optimal"
)
for _, items in release.table.group_by("record").agg("item").iter_rows():
    print(sorted(items))
for verdict in release.verdicts:
    print(verdict.sentence)
