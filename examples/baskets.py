"""Publish the built-in baskets in three ways, and compare what is lost."""

import krypsis
from krypsis.data.hierarchies.csv import parse_csv
from krypsis.kinds.sets.demo import drugstore, drugstore_hierarchy

baskets = drugstore(rows=2000)

# 1. Sets with more general items: "shampoo" becomes "hair" where it must.
generalized = krypsis.anonymize(
    baskets,
    models="km-anonymity:k=5,m=2",
    hierarchies={"item": parse_csv(drugstore_hierarchy())},
    algorithm="apriori",
)
# 2. All items as they are, in pieces: which pieces belong to one basket is hidden.
pieces = krypsis.anonymize(baskets, models="km-anonymity:k=5,m=2", algorithm="disassociation")
# 3. Harmless items as they are; sensitive ones are only counted, for groups of baskets.
groups = krypsis.anonymize(
    baskets,
    models="privacy-degree:p=4",
    sensitive_items=["pregnancy test", "nicotine patches", "lice shampoo"],
    algorithm="cahd",
)

for release in (generalized, pieces, groups):
    print(release.summary(), end="\n\n")
    release.save(f"baskets-{release.algorithm.partition(':')[0]}")
