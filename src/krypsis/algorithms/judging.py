"""What a promise says of many groups, compiled for those promises that searches ask thousands of times."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from krypsis.arrays import BoolArray, CountArray, FloatArray, IntArray
from krypsis.groups import Domain, Groups, Histogram
from krypsis.kernels.histograms import divide_by_rare, entries_of_table, sum_excess, sum_excess_in_table
from krypsis.models.base import GroupModel, SensitiveModel
from krypsis.models.recursive_l_diversity import RecursiveLDiversity
from krypsis.models.t_closeness import TCloseness

MOST_RANKS = 8
"""Up to this rank the largest counts of a group are noted one by one; beyond, sorting is as fast."""


@dataclass(frozen=True, eq=False)
class CountTable:
    """How often each sensitive value occurs in each group, ``counts[group, value]``; further columns are 0."""

    counts: CountArray
    whole: IntArray
    domain: Domain

    @cached_property
    def histogram(self) -> Histogram:
        """The same, entry by entry."""
        entries = np.empty((3, self.counts.size + 1), dtype=np.int64)
        group, value, count = entries[:, : entries_of_table(self.counts, entries)]
        return Histogram(group, value, count, self.whole, self.domain)


class _Histograms(Mapping[str, Histogram]):
    """The histograms of tables, made when they are first asked for: many promises look at sizes alone."""

    def __init__(self, tables: Mapping[str, CountTable]) -> None:
        self._tables = tables

    def __getitem__(self, name: str) -> Histogram:
        return self._tables[name].histogram

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)


def accepted(model: GroupModel, groups: Groups) -> BoolArray:
    """Say for each group whether it keeps the promise: what the model itself says, only faster.

    Examples
    --------
    >>> groups = Groups.of_histograms([{"flu": 3, "cancer": 1, "hiv": 1}, {"flu": 4, "cancer": 1, "hiv": 1}])
    >>> accepted(RecursiveLDiversity(c=2, l=2), groups)
    array([ True, False])
    """
    levels = _COMPILED.get(type(model))
    if levels is None or not isinstance(model, SensitiveModel):
        return model.accepts(groups)
    histograms = groups.histograms(model.attribute)
    answers = [model.suffices(levels(model, histogram, groups.sizes)) for histogram in histograms.values()]
    return np.asarray(np.logical_and.reduce(answers))


def accepted_in_tables(models: Sequence[GroupModel], sizes: IntArray, tables: Mapping[str, CountTable]) -> BoolArray:
    """Say for each group whether it keeps all promises, where its sensitive values stand in tables.

    Examples
    --------
    >>> disease = CountTable(np.array([[2, 2], [4, 0]], dtype=np.uint16), np.array([7, 1]), Domain(("flu", "hiv")))
    >>> accepted_in_tables([TCloseness(t=0.2)], np.array([4, 4]), {"disease": disease})
    array([False,  True])
    """
    kept = np.ones(len(sizes), dtype=np.bool_)
    for model in models:
        kept &= _accepted_in_tables(model, sizes, tables)
    return kept


def _accepted_in_tables(model: GroupModel, sizes: IntArray, tables: Mapping[str, CountTable]) -> BoolArray:
    asked = _asked(model, tables) if type(model) is TCloseness else ()
    if type(model) is TCloseness and all(model.distance_of(table.domain) == "equal" for table in asked):
        answers = [model.suffices(_distances_in_table(table, sizes)) for table in asked]
        return np.asarray(np.logical_and.reduce(answers))
    return accepted(model, Groups(sizes, _Histograms(tables)))


def _asked(model: TCloseness, tables: Mapping[str, CountTable]) -> Collection[CountTable]:
    return tables.values() if model.attribute is None else [tables[model.attribute]]


def _distances_in_table(table: CountTable, sizes: IntArray) -> FloatArray:
    distances = np.empty(len(sizes))
    sum_excess_in_table(table.counts, sizes, _shares(table.whole), distances)
    return distances


def _shares(whole: IntArray) -> FloatArray:
    return np.asarray(whole / max(int(whole.sum()), 1))


def _distances(model: SensitiveModel, histogram: Histogram, sizes: IntArray) -> FloatArray:
    if not isinstance(model, TCloseness) or model.distance_of(histogram.domain) != "equal":
        return model.levels(histogram, sizes)
    sums = np.zeros(len(sizes))
    sum_excess(histogram.group, histogram.value, histogram.count, sizes, _shares(histogram.whole), sums)
    return sums


def _ratios(model: SensitiveModel, histogram: Histogram, sizes: IntArray) -> FloatArray:
    if not isinstance(model, RecursiveLDiversity) or not 2 <= model.l <= MOST_RANKS:
        return model.levels(histogram, sizes)
    largest = np.zeros((len(sizes), model.l - 1), dtype=np.int64)
    ratios = np.zeros(len(sizes))
    divide_by_rare(histogram.group, histogram.count, largest, ratios)
    return ratios


_COMPILED: Mapping[type[GroupModel], Callable[[SensitiveModel, Histogram, IntArray], FloatArray]] = {
    RecursiveLDiversity: _ratios,
    TCloseness: _distances,
}
