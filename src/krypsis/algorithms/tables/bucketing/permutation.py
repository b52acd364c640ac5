"""Permutation: sensitive numbers are shuffled inside groups that keep them far enough apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from krypsis.algorithms.tables.base import Bucketing
from krypsis.algorithms.tables.bucketing.base import require_kept, value_of_each_record
from krypsis.arrays import FloatArray, IntArray
from krypsis.data.frequency import FrequencySet
from krypsis.data.groups import Histogram
from krypsis.errors import Infeasible, UsageError
from krypsis.kernels._jit import compiled
from krypsis.models.base import TOLERANCE, GroupModel
from krypsis.models.distinct_l_diversity import DistinctLDiversity
from krypsis.models.ke_anonymity import KEAnonymity
from krypsis.models.number_line import numbers_of
from krypsis.progress import NO_PROGRESS, Progress


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
