"""Make one plan of objects, and use it for two tables."""

import polars as pl

import krypsis
from krypsis.kinds.table.plan import TablePlan

plan = TablePlan.of_roles({"age": "quasi-identifier"}, promises=[krypsis.KAnonymity(k=2)])
for ages in ([30, 30, 40, 40], [51, 51, 51]):
    release = krypsis.anonymize(pl.DataFrame({"age": ages}), plan=plan)
    print(release)
