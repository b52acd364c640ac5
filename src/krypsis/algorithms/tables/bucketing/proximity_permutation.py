"""Proximity permutation: sensitive numbers are shuffled inside groups of numbers that are far from each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from krypsis.algorithms.tables.base import Bucketing
from krypsis.algorithms.tables.bucketing.base import grouped, require_kept, value_of_each_record
from krypsis.arrays import IntArray
from krypsis.data.frequency import FrequencySet
from krypsis.data.groups import Histogram
from krypsis.errors import Infeasible, UsageError
from krypsis.models.base import GroupModel
from krypsis.models.em_anonymity import EMAnonymity
from krypsis.progress import NO_PROGRESS, Progress


class ProximityPermutation(Bucketing):
    """Publishes every record with a sensitive number of its group, whose numbers are far from each other.

    Notes
    -----
    Sorted by the sensitive number, in random order among equal ones, the records are dealt out to ``g`` groups one by
    one: the ``i``-th goes to group ``i mod g``. Numbers that are near to a number stand in a row of the sorted table,
    so of a neighborhood of ``w`` records a group gets at most ``⌈w/g⌉``; and it has at least ``⌊n/g⌋`` of all ``n``.
    With ``g = ⌊n/m⌋``, the most groups that there can be, this is at most 1 of at least ``m`` wherever the largest
    neighborhood ``w`` of the whole table has at most ``⌊n/m⌋`` records. So (ε,m)-anonymity is kept.

    Where a neighborhood is larger, no such bound holds, and groups may still exist, as {0, 10} and {5, 20} for
    ``ε = 5`` and ``m = 2``. Then half as many groups are tried, and half of that, down to one; the first that keep all
    promises are taken. With several promises of this kind, ``m`` is the largest. Records without a number are near to
    each other alone and come last. Cost: a sort, and a check for each number of groups that is tried.

    References
    ----------
    Li, Tao, Xiao, "Preservation of proximity privacy in publishing numerical sensitive data", SIGMOD 2008.

    Examples
    --------
    >>> import polars as pl
    >>> import krypsis
    >>> table = pl.DataFrame({"job": ["cook", "nurse", "cook", "judge"], "salary": [30, 31, 80, 81]})
    >>> roles = {"job": "quasi-identifier", "salary": "sensitive"}
    >>> models = "em-anonymity:epsilon=5,m=2"
    >>> release = krypsis.anonymize(table, roles, models=models, algorithm="proximity-permutation")
    >>> sorted(map(sorted, release.table.group_by("group").agg("salary")["salary"].to_list()))
    [[30, 80], [31, 81]]
    """

    name: ClassVar[str] = "proximity-permutation"
    publishes: ClassVar[Literal["two tables", "permuted values"]] = "permuted values"
    reference: ClassVar[str] = (
        "Li, Tao, Xiao, Preservation of proximity privacy in publishing numerical sensitive data, SIGMOD 2008"
    )

    def group(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        rng: np.random.Generator,
        progress: Progress = NO_PROGRESS,  # noqa: ARG002  there is nothing to stop: it takes one sort and a few checks
    ) -> IntArray:
        wanted = _strictest(models)
        (histogram,) = frequency.sensitive.values()
        # Step 1: sort by the sensitive number.
        turn = _turns(histogram, wanted, rng)
        most = frequency.rows // wanted.m
        if not most:
            raise Infeasible(
                f"{self.name} cannot make groups of {wanted.m} records: there are only {frequency.rows}",
                {"m": frequency.rows, "rows": frequency.rows},
            )
        # Step 2: deal round robin, into as many groups as possible first; fewer where those break the promise.
        for groups in (turn % (most >> halved) for halved in range(most.bit_length())):
            if all(model.accepts(grouped(frequency, groups)).all() for model in models):
                return groups
        require_kept(frequency, turn % most, models, _advice(histogram, models))
        return turn % most


def _strictest(models: Sequence[GroupModel]) -> EMAnonymity:
    """Return the promise with the smallest groups it allows being the largest."""
    wanted = [model for model in models if isinstance(model, EMAnonymity)]
    if not wanted:
        raise UsageError(
            "proximity-permutation makes groups of numbers that are far from each other, and no promise says how far; "
            "promise 'em-anonymity:epsilon=1000,m=3', or choose the algorithm 'anatomize' for categories"
        )
    return max(wanted, key=lambda model: model.m)


def _turns(histogram: Histogram, wanted: EMAnonymity, rng: np.random.Generator) -> IntArray:
    """Return when it is each record's turn: the lowest number first, equal ones in random order."""
    place = wanted.neighborhoods(histogram.domain).place[value_of_each_record(histogram)]
    shuffled = rng.permutation(len(place))
    turn = np.empty(len(place), dtype=np.int64)
    turn[shuffled[np.argsort(place[shuffled], kind="stable")]] = np.arange(len(place))
    return turn


def _advice(histogram: Histogram, models: Sequence[GroupModel]) -> str:
    """Say what would surely be possible: an m for which no neighborhood of the whole table is too large."""
    rows = int(histogram.whole.sum())
    whole = Histogram(
        np.zeros(np.count_nonzero(histogram.whole), dtype=np.int64),
        np.flatnonzero(histogram.whole),
        histogram.whole[histogram.whole > 0],
        histogram.whole,
        histogram.domain,
    )
    sure = [
        f"{model.spec} is surely kept with m={int(model.levels(whole, np.array([rows]))[0])}"
        for model in models
        if isinstance(model, EMAnonymity)
    ]
    return f"Fewer groups were tried, too; another method may find some. {', '.join(sure)}"
