"""Rare combinations: where μ-Argus fails, and the improved variant does not."""

from itertools import product

import polars as pl

import krypsis
from krypsis.errors import Infeasible

# Any three of these attributes leave two records that look alike; all four tell every record from the others.
answers = pl.DataFrame(list(product("01", repeat=4)), schema=["smokes", "drinks", "exercises", "sleeps"], orient="row")
roles = dict.fromkeys(answers.columns, "quasi-identifier")

try:
    krypsis.anonymize(answers, roles, models="k-anonymity:k=2", algorithm="mu-argus")
except Infeasible as error:
    print(error)

release = krypsis.anonymize(answers, roles, models="k-anonymity:k=2", algorithm="mu-argus-improved")
print(release.table.sort(pl.all()))
print(release.verdicts[0].sentence)
assert all(release.verdicts)
