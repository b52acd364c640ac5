"""Permutation: sensitive numbers are shuffled inside groups that keep them far enough apart.

Proximity permutation: sensitive numbers are shuffled inside groups of numbers that are far from each other.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from krypsis.algorithms.tables.base import Bucketing
from krypsis.algorithms.tables.bucketing.base import grouped, require_kept, value_of_each_record
from krypsis.arrays import FloatArray, IntArray
from krypsis.data.groups import Histogram
from krypsis.data.recoding import FrequencySet
from krypsis.errors import Infeasible, UsageError
from krypsis.kernels._jit import compiled
from krypsis.models.base import TOLERANCE, GroupModel
from krypsis.models.em_anonymity import EMAnonymity
from krypsis.models.ke_anonymity import KEAnonymity
from krypsis.models.l_diversity import DistinctLDiversity
from krypsis.models.number_line import numbers_of
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


@compiled
def widest_gaps(numbers: FloatArray, latest: IntArray, saved: FloatArray, before: IntArray) -> None:
    """Find the cuts with the widest gaps in all between runs of ascending numbers.

    A run that ends before position ``end`` may begin at every position up to ``latest[end]``, which is never less for a
    later end, and nowhere if that is negative. Writes into ``saved[end]`` the sum of the gaps over the best cuts up to
    ``end``, and into ``before[end]`` where the last run then begins, -1 if there is none. Of equal sums the one that
    cuts last is taken, so that runs stay short.
    """
    best, start, seen = -1.0, -1, 0
    before[0] = -1
    saved[0] = 0.0
    # Dynamic program over prefixes. ``latest`` never falls, so each start is looked at once: linear, not quadratic.
    for end in range(1, len(latest)):
        while seen <= latest[end]:
            if seen == 0:
                gained = 0.0
            elif before[seen] < 0:
                gained = -1.0
            else:
                # Cutting before ``seen`` saves the gap there: widths sum up to the range less the gaps cut.
                gained = saved[seen] + numbers[seen] - numbers[seen - 1]
            if gained >= best and gained >= 0:
                best, start = gained, seen
            seen += 1
        before[end] = start
        saved[end] = best


class Permutation(Bucketing):
    """Publishes every record with a sensitive number of its group, nobody knows whose.

    Notes
    -----
    ``k`` and ``e`` are the largest that the promises ask for. Sorted by the sensitive number, the table is cut into
    runs that have at least ``k`` different numbers and are at least ``e`` wide, so that the widths of all runs add up
    to as little as possible. No other grouping has a smaller sum: groups whose ranges overlap can be merged without
    making it larger. Records without a number join those with the highest numbers. Cost: one sort.

    References
    ----------
    Zhang, Koudas, Srivastava, Yu, "Aggregate query answering on anonymized tables", ICDE 2007.

    Examples
    --------
    >>> import polars as pl
    >>> import krypsis
    >>> table = pl.DataFrame({"job": ["cook", "nurse", "cook", "judge"], "salary": [30, 35, 80, 90]})
    >>> roles = {"job": "quasi-identifier", "salary": "sensitive"}
    >>> release = krypsis.anonymize(table, roles, models="ke-anonymity:k=2,e=5", algorithm="permutation")
    >>> sorted(map(sorted, release.table.group_by("group").agg("salary")["salary"].to_list()))
    [[30, 35], [80, 90]]
    """

    name: ClassVar[str] = "permutation"
    publishes: ClassVar[Literal["two tables", "permuted values"]] = "permuted values"
    reference: ClassVar[str] = "Zhang et al., Aggregate query answering on anonymized tables, ICDE 2007"

    def group(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        rng: np.random.Generator,  # noqa: ARG002  the groups follow from the numbers
        progress: Progress = NO_PROGRESS,  # noqa: ARG002  there is nothing to stop: it takes one sort
    ) -> IntArray:
        wanted = _combined(models)
        (histogram,) = frequency.sensitive.values()
        numbers, place = np.unique(numbers_of(histogram.domain, "(k,e)-anonymity"), return_inverse=True)
        # (k,e)-anonymity of the whole table is necessary: no part has more different numbers or a wider range.
        _check_feasible(numbers, histogram, wanted)
        # Step 1: sort by the sensitive number and cut into runs, each with k different numbers and at least e wide.
        groups = _runs(numbers, wanted)[place[value_of_each_record(histogram)]]
        advice = "Promise a larger k or e, which makes larger groups, or choose the algorithm 'optimal'"
        require_kept(frequency, groups, models, advice)
        return groups


def _combined(models: Sequence[GroupModel]) -> KEAnonymity:
    """Return the promise that is as strict as all promises about different numbers and their range together."""
    wanted = [model for model in models if isinstance(model, KEAnonymity)]
    if not wanted:
        raise UsageError(
            "permutation makes groups of k different numbers that are e apart, and no promise says so; promise "
            "'ke-anonymity:k=5,e=1000', or choose the algorithm 'anatomize' for categories"
        )
    different = [model.l for model in models if isinstance(model, DistinctLDiversity)]
    return KEAnonymity(k=max(different + [model.k for model in wanted]), e=max(model.e for model in wanted))


def _check_feasible(numbers: FloatArray, histogram: Histogram, wanted: KEAnonymity) -> None:
    """Raise if not even all records as one group keep the promise: a part of them has no more to offer."""
    known = numbers[~np.isnan(numbers)]
    width = float(known[-1] - known[0]) if len(known) else 0.0
    name = histogram.domain.name
    if len(numbers) < wanted.k:
        raise Infeasible(
            f"permutation cannot make groups of {wanted.k} different values: {name} has only {len(numbers)}. "
            f"The largest feasible k is {len(numbers)}",
            {"k": len(numbers), "e": width},
        )
    if not wanted.is_wide_enough(*_ends(known)).all():
        raise Infeasible(
            f"permutation cannot make groups whose numbers are {wanted.e:g} apart: all values of {name} are "
            f"within {width:g}. The largest feasible e is {width:g}",
            {"k": len(numbers), "e": width},
        )


def _ends(known: FloatArray) -> tuple[FloatArray, FloatArray]:
    return np.array([known.min(initial=np.inf)]), np.array([known.max(initial=-np.inf)])


def _runs(numbers: FloatArray, wanted: KEAnonymity) -> IntArray:
    """Return the group of each of the ascending numbers, of which a missing one comes last."""
    missing = int(np.isnan(numbers[-1]))
    known = numbers[: len(numbers) - missing]
    if len(known) < 2:
        return np.zeros(len(numbers), dtype=np.int64)
    latest = _latest_starts(known, wanted, missing)
    saved, before = np.zeros(len(latest)), np.zeros(len(latest), dtype=np.int64)
    widest_gaps(known, latest, saved, before)
    starts = np.zeros(len(numbers), dtype=np.int64)
    end = len(known)
    # Walk back through the best cuts.
    while end > 0:
        end = int(before[end])
        starts[end] = 1
    return np.cumsum(starts) - 1


def _latest_starts(known: FloatArray, wanted: KEAnonymity, missing: int) -> IntArray:
    """Return for each end where a run may begin at the latest to have enough different numbers, far enough apart.

    The last run has the missing value as one more.
    """
    positions = np.arange(len(known))
    slack = TOLERANCE / 2 * np.maximum(np.abs(known), wanted.e)  # less than the promise itself allows
    far_enough = np.searchsorted(known, known - wanted.e + slack, side="right") - 1
    latest = np.append(-1, np.minimum(np.minimum(far_enough, positions), positions + 1 - wanted.k))
    latest[-1] = max(
        0, min(far_enough[-1], len(known) - 1, len(known) + missing - wanted.k)
    )  # all in one run is feasible
    return latest
