"""The same names in a program and in a notebook, where the last line of a cell is shown as a card."""

import krypsis
from krypsis.kinds.table.demo import hospital

release = krypsis.anonymize(
    hospital(rows=500),
    roles={"age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"},
    hierarchies={"age": {"kind": "intervals", "width": 10}},
    models=[krypsis.KAnonymity(k=5), krypsis.DistinctLDiversity(l=2)],
    algorithm=krypsis.Optimal(),
    metric=krypsis.Loss(),
    suppression="2%",
)
print(release)  # in a notebook, write: release

frame = release.to_pandas()  # or to_polars(), to_arrow()
print(frame.groupby("age").size())

recipe = krypsis.Recipe.of(release)
more = recipe.apply(hospital(rows=500, seed=2))
print(more.records, [verdict.holds for verdict in krypsis.check(more)])
