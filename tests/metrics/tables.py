"""Small tables and their outcomes, for figures that were worked out by hand."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from krypsis import registry
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.data.groups import Domain, Histogram
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet, LevelsOutcome

Cells = tuple[str | None, ...]


def table(
    hierarchies: Mapping[str, Hierarchy],
    rows: Sequence[Cells],
    classes: Sequence[str] = (),
    weights: tuple[float, ...] = (),
) -> FrequencySet:
    """The frequency set of some rows; ``classes`` is the sensitive value of each."""
    counted = Counter(rows)
    tuples = sorted(counted, key=lambda row: codes_of(row, hierarchies))
    codes = np.array([codes_of(row, hierarchies) for row in tuples], dtype=np.int32)
    counts = np.array([counted[row] for row in tuples], dtype=np.int64)
    sensitive = {"class": histogram(tuples, rows, classes)} if classes else {}
    return FrequencySet(tuple(hierarchies), tuple(hierarchies.values()), codes, counts, sensitive, weights=weights)


def codes_of(row: Cells, hierarchies: Mapping[str, Hierarchy]) -> list[int]:
    return [hierarchy.code_of[cell] for cell, hierarchy in zip(row, hierarchies.values(), strict=True)]


def histogram(tuples: Sequence[Cells], rows: Sequence[Cells], classes: Sequence[str]) -> Histogram:
    names = sorted(set(classes))
    counted = Counter((tuples.index(row), names.index(name)) for row, name in zip(rows, classes, strict=True))
    group, value = np.array(list(counted), dtype=np.int64).T
    whole = np.array([classes.count(name) for name in names], dtype=np.int64)
    return Histogram(group, value, np.array(list(counted.values()), dtype=np.int64), whole, Domain(tuple(names)))


def outcome(frequency: FrequencySet, levels: tuple[int, ...], promise: str = "k-anonymity:k=1") -> LevelsOutcome:
    """What becomes of a table at a node; the groups that break the promise are suppressed."""
    judge = Judge(frequency, [registry.create("model", promise)])
    node, _ = judge.rollup.coarsen(judge.rollup.bottom(), levels)
    return judge.outcome(node, judge.refused(node, judge.models))


def value(spec: str, *arguments: object) -> float:
    """The figure of an outcome, or of a table at a node."""
    found = arguments[0] if isinstance(arguments[0], LevelsOutcome) else outcome(*arguments)  # type: ignore[arg-type]
    return registry.create("metric", spec).compute(found)
