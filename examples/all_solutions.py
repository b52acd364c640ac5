"""List every full-domain generalization that makes six patients 2-anonymous, and how Incognito finds them."""

import polars as pl

from krypsis.algorithms.tables.incognito.incognito import Incognito
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.data.hierarchies import resolve
from krypsis.data.schema import Schema
from krypsis.io.dataset import Dataset
from krypsis.models.k_anonymity import KAnonymity

patients = pl.DataFrame(
    {
        "birthdate": ["1/21/76", "4/13/86", "2/28/76", "1/21/76", "4/13/86", "2/28/76"],
        "sex": ["Male", "Female", "Male", "Male", "Female", "Female"],
        "zip": ["53715", "53715", "53703", "53703", "53706", "53706"],
    }
)
hierarchies = {
    "birthdate": {"kind": "flat"},
    "sex": {"kind": "flat"},
    "zip": {"kind": "taxonomy", "tree": {"537**": {"5371*": ["53715"], "5370*": ["53703", "53706"]}}},
}

engine = Dataset.of(patients).engine
frequency = engine.count_tuples(
    Schema.of(dict.fromkeys(hierarchies, "quasi-identifier")),
    {name: resolve(spec, engine.distinct(name), name) for name, spec in hierarchies.items()},
).frequency

for iteration in Incognito().iterations(frequency, [KAnonymity(k=2)], Limits(suppressed=0)):
    for searched in iteration:
        print(*searched.attributes, "| tested:", *searched.tested, "| survivors:", *searched.survivors)

solutions = Incognito().solutions(frequency, [KAnonymity(k=2)], Limits(suppressed=0))
print("all:", *solutions.nodes)
print("minimal:", *solutions.minimal)
