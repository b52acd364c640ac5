"""What the tests of searches over the lattice share: examples of papers, and solutions by trying every node."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from krypsis import registry
from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.data.recoding import FrequencySet, FullDomain
from krypsis.data.schema import Schema
from krypsis.errors import Infeasible
from krypsis.io.dataset import Dataset
from krypsis.progress import JudgedNode, Progress
from oracles.brute_force import METRICS, BruteForce
from papers.case import FOLDER, Example
from strategies import frequency_sets, models_of, models_of_tuples

Levels = tuple[int, ...]
SINGLE = sorted(set(METRICS) - {"lexicographic"})
"""The metrics that are one number."""


def of_models(wanted: str) -> st.SearchStrategy[Any]:
    """Models that state a kind of monotonicity."""
    names = [name for name, cls in models_of_tuples().items() if getattr(cls, wanted)]
    return st.sampled_from(names).flatmap(lambda name: models_of(models_of_tuples()[name]))


@st.composite
def cases(draw: st.DrawFn) -> tuple[FrequencySet, list[Any], Limits]:
    """A table, models and a limit that go together: with suppression only models that allow for it."""
    frequency = draw(frequency_sets(max_attributes=3, max_rows=12, sensitive=1))
    limit = draw(st.sampled_from([0, 0, 1, 2, frequency.rows]))
    models = of_models("monotone_with_suppression" if limit else "monotone")
    return frequency, draw(st.lists(models, min_size=1, max_size=2)), Limits(limit)


def with_sets(draw: st.DrawFn, frequency: FrequencySet) -> FrequencySet:
    """The same table with several quasi-identifier sets."""
    columns = st.sets(st.integers(0, len(frequency.attributes) - 1), min_size=1)
    sets = st.lists(columns.map(lambda chosen: tuple(sorted(chosen))), min_size=2, max_size=3, unique=True)
    return replace(frequency, sets=tuple(draw(sets)))


def with_bounds(draw: st.DrawFn, frequency: FrequencySet, limits: Limits) -> Limits:
    """The same limits with a lowest and a highest node."""
    bounds = [sorted(draw(st.tuples(*[st.integers(0, height)] * 2))) for height in frequency.heights]
    lowest, highest = zip(*bounds, strict=True)
    return replace(limits, lowest=lowest, highest=highest)


def slow_solutions(frequency: FrequencySet, models: list[Any], limits: Limits) -> list[Levels]:
    """All nodes within the limits that keep the promises, by trying each of them, in lexicographic order."""
    lowest, highest = limits.lowest or (0,) * len(frequency.heights), limits.highest or frequency.heights
    return [
        node.levels
        for node in BruteForce(frequency).nodes(models)
        if node.lost <= (limits.suppressed or 0)
        and node.lost < frequency.rows
        and is_below(lowest, node.levels)
        and is_below(node.levels, highest)
    ]


def is_below(one: Levels, other: Levels) -> bool:
    return all(low <= high for low, high in zip(one, other, strict=True))


def minimal_of(nodes: list[Levels]) -> list[Levels]:
    return [node for node in nodes if not any(other != node and is_below(other, node) for other in nodes)]


def paper_table(folder: str, name: str) -> FrequencySet:
    """The frequency set of a table of a worked example, quasi-identifiers in the order of the case."""
    example = Example(FOLDER / folder)
    table = example.case.tables[name]
    roles = dict.fromkeys(table.quasi_identifiers, "quasi-identifier") | dict.fromkeys(table.sensitive, "sensitive")
    engine = Dataset.of(example.frame(name)).engine
    return engine.count_tuples(Schema.of(roles), example.hierarchies(name)).frequency


class Recorder(Progress):
    """Remembers every node it is told of, and wants a stop after so many questions."""

    def __init__(self, patience: int = 10**9) -> None:
        self.nodes: list[JudgedNode] = []
        self._patience = patience

    def judged(self, node: JudgedNode) -> None:
        self.nodes.append(node)

    def wants_stop(self) -> bool:
        self._patience -= 1
        return self._patience < 0


def levels_of(
    algorithm: Algorithm, frequency: FrequencySet, models: list[Any], metric: str, limits: Limits
) -> Levels | None:
    """The levels an algorithm finds, ``None`` if there are none."""
    try:
        recoding = algorithm.search(frequency, models, registry.create("metric", metric), limits)
    except Infeasible:
        return None
    assert isinstance(recoding, FullDomain)
    return recoding.levels
