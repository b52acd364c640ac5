"""Checking: what the verdict about a million records in 100,000 groups costs, for every model about groups."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import product
from operator import or_
from typing import Any, Literal, get_args, get_origin

import numpy as np

from benchmarks.results import Results
from benchmarks.unit import child, cpu
from krypsis import registry
from krypsis.data.groups import Domain, Groups, Histogram, JointDomain
from krypsis.data.hierarchies.base import TOP, Hierarchy
from krypsis.models.base import GroupModel

ROWS, GROUPS, VALUES = 1_000_000, 100_000, 50
TARGET, FAR_TARGET, MEMORY = "3 U", "6 U", "1.5 GB"

PARAMETERS: dict[str, object] = {
    "alpha": 0.5, "beta": 3, "c": 0.9, "c1": 3, "c2": 1, "delta": 2, "delta_max": 0.9, "e": 10, "epsilon": 1,
    "fraction": 0.1, "guarding": "guard", "h": 0.5, "k": 3, "l": 3, "m": 2, "p": 0.5,
    "p1": 0.1, "p2": 0.5, "people": 3_000_000, "t": 0.3, "threshold": 0.2, "value": "1",
    "y": ("number",),
}  # fmt: skip
"""What a parameter is set to that has no default; any number will do, as all groups are looked at anyway."""

OF_CHOICE: dict[object, dict[str, object]] = {"recursive": {"c": 0.9}}
"""What a parameter is set to that only one choice of another needs."""

EVERYTHING = """
from benchmarks.checking import check, models, table
groups = table()
for model in models():
    check(model, groups)
"""
NOTHING = "from benchmarks.checking import models, table; table(); list(models())"


def measure(results: Results) -> None:
    groups = table()
    for model in models():
        far = getattr(model, "distance", "") == "hierarchical"
        check(model, groups)
        results.add(model.spec, cpu(lambda model=model: check(model, groups), 3), FAR_TARGET if far else TARGET)
    _, without = child([sys.executable, "-c", NOTHING])
    seconds, peak = child([sys.executable, "-c", EVERYTHING])
    results.add("all of them in one process", seconds, MEMORY, note=f"peak {peak:.0f} MB, {without:.0f} MB without")


def check(model: GroupModel, groups: Groups) -> None:
    """Do what a verdict needs."""
    model.accepts(groups)
    model.measure(groups)


def table() -> Groups:
    """Return groups of ten records on average, whose sensitive numbers are skewed and have a hierarchy of four levels.

    Each group comes from a population of three times its size. Every record guards the numbers near its own.
    """
    draw = np.random.default_rng(1)
    group, value = draw.integers(0, GROUPS, ROWS), np.minimum(draw.geometric(0.08, ROWS), VALUES) - 1
    keys, count = np.unique(group * VALUES + value, return_counts=True)
    whole, sizes = np.bincount(value, minlength=VALUES), np.bincount(group, minlength=GROUPS)
    names = [str(number) for number in range(VALUES)]
    rows = [[name, f"fives {int(name) // 5}", f"half {int(name) // 25}", TOP] for name in names]
    domain = Domain(tuple(names), Hierarchy.from_rows(rows), "number")
    histogram = Histogram(keys // VALUES, keys % VALUES, count, whole, domain)
    nodes = Domain(tuple(f"fives {number}" for number in range(VALUES // 5)), None, "guard")
    codes = np.stack([np.arange(VALUES), np.arange(VALUES) // 5], axis=1)
    guarded = replace(histogram, domain=JointDomain((), None, "number, guard", (domain, nodes), codes))
    return Groups(sizes, {"number": histogram}, sizes * 3, {("number", "guard"): guarded})


def models() -> Iterator[GroupModel]:
    """Yield every registered model about groups, once for each choice that its parameters name."""
    for cls in registry.classes("model").values():
        if issubclass(cls, GroupModel):
            fields = cls.model_fields.items()
            choices = {name: get_args(field.annotation) for name, field in fields if _is_choice(field)}
            needed = {name: _parameter(cls, name) for name, field in fields if field.is_required()}
            for chosen in product(*choices.values()):
                further = [OF_CHOICE.get(choice, {}) for choice in chosen]
                yield cls(**reduce(or_, further, needed | dict(zip(choices, chosen, strict=True))))


def _is_choice(field: Any) -> bool:
    return get_origin(field.annotation) is Literal


def _parameter(cls: type[GroupModel], name: str) -> object:
    if name not in PARAMETERS:
        sys.exit(f"{cls.name} needs {name}, which PARAMETERS in benchmarks/checking.py does not have; add it")
    return PARAMETERS[name]
