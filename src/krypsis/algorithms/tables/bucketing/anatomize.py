"""Anatomize: groups of records with different sensitive values, published as two tables."""

from collections.abc import Sequence
from math import ceil
from typing import ClassVar, Literal

import numpy as np

from krypsis.algorithms.tables.base import Bucketing
from krypsis.algorithms.tables.bucketing.base import require_kept, value_of_each_record
from krypsis.arrays import IntArray
from krypsis.data.groups import Histogram
from krypsis.data.recoding import FrequencySet
from krypsis.errors import Infeasible, UsageError
from krypsis.models.alpha_k_anonymity import AlphaKAnonymity
from krypsis.models.base import GroupModel
from krypsis.models.l_diversity import DistinctLDiversity, EntropyLDiversity, FrequencyLDiversity, GrassbergerLDiversity
from krypsis.models.recursive_l_diversity import NpdRecursiveLDiversity, PdRecursiveLDiversity, RecursiveLDiversity
from krypsis.progress import NO_PROGRESS, Progress

DIVERSITIES = (
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    GrassbergerLDiversity,
    NpdRecursiveLDiversity,
    PdRecursiveLDiversity,
    RecursiveLDiversity,
)
"""Promises whose ``l`` is a number of different values; other promises call other things so."""


class Anatomize(Bucketing):
    """Publishes quasi-identifiers and sensitive values in two tables, linked by groups of different values.

    Notes
    -----
    ``l`` is the largest that a promise asks for. Of ``n`` records, ``⌊n/l⌋`` groups are made, each of ``l`` records or,
    as far as ``n`` is no multiple of ``l``, a few more; no group holds a value twice. So whoever knows that a person is
    in a group is right with at most one guess in ``l``. The reconstruction error is ``n - ⌊n/l⌋``, within one record of
    the least that is possible. Such groups exist exactly if no value occurs more than ``n/l`` times.

    The paper takes one record from each of the ``l`` most frequent values that are left, again and again, and gives the
    residue to random groups. Here the records, sorted by value, the most frequent value first, and in random order
    within a value, are dealt out to the groups one by one: a value that occurs at most ``⌊n/l⌋`` times meets no group
    twice, and the residue is spread evenly. Everything above is true of both. Cost: one sort.

    References
    ----------
    Xiao, Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006, Figure 3.

    Examples
    --------
    >>> import polars as pl
    >>> import krypsis
    >>> table = pl.DataFrame({"age": [23, 27, 35, 59], "disease": ["pneumonia", "dyspepsia", "dyspepsia", "pneumonia"]})
    >>> roles = {"age": "quasi-identifier", "disease": "sensitive"}
    >>> release = krypsis.anonymize(table, roles, models="frequency-l-diversity:l=2", algorithm="anatomize")
    >>> release.table.columns, release.sensitive_table.columns, release.sensitive_table["count"].to_list()
    (['age', 'group'], ['group', 'disease', 'count'], [1, 1, 1, 1])
    """

    name: ClassVar[str] = "anatomize"
    aliases: ClassVar[tuple[str, ...]] = ("anatomy",)
    publishes: ClassVar[Literal["two tables", "permuted values"]] = "two tables"
    reference: ClassVar[str] = "Xiao, Tao, Anatomy: simple and effective privacy preservation, VLDB 2006"

    def group(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        rng: np.random.Generator,
        progress: Progress = NO_PROGRESS,  # noqa: ARG002  there is nothing to stop: it takes one sort
    ) -> IntArray:
        diversity, asking = _largest_diversity(models)
        (histogram,) = frequency.sensitive.values()
        # Eligibility condition: no sensitive value occurs more than n / l times.
        _check_eligible(histogram, diversity, asking)
        # Steps 1-3 (bucketize by value, create groups, assign the residue) in one deal.
        groups = _dealt(value_of_each_record(histogram), histogram.whole, diversity, rng)
        advice = "Promise a larger l, which makes larger groups, or choose the algorithm 'optimal'"
        require_kept(frequency, groups, models, advice)
        return groups


def _largest_diversity(models: Sequence[GroupModel]) -> tuple[int, GroupModel]:
    """Return the largest number of different values that a promise asks for, and that promise."""
    wanted = [(number, model) for model in models if (number := _diversity(model)) is not None]
    if not wanted:
        given = " and ".join(model.spec for model in models)
        raise UsageError(
            f"anatomize makes groups of l different sensitive values, and {given} "
            "names no l; promise 'frequency-l-diversity:l=3' as well, or choose the algorithm 'optimal'"
        )
    return max(wanted, key=lambda pair: pair[0])


def _diversity(model: GroupModel) -> int | None:
    """Return how many different values, each once, a group must have to keep a promise; ``None`` if it does not say."""
    if isinstance(model, AlphaKAnonymity):
        return max(model.k, ceil(round(1 / model.alpha, 9)))
    return ceil(model.l) if isinstance(model, DIVERSITIES) else None


def _check_eligible(histogram: Histogram, diversity: int, model: GroupModel) -> None:
    """Raise if a value occurs so often that one of the groups would have to hold it twice."""
    rows, place = int(histogram.whole.sum()), int(histogram.whole.argmax())
    count = int(histogram.whole[place])
    if count * diversity <= rows:
        return
    value = histogram.domain.values[place]
    named = "a missing value" if value is None else repr(value)
    other = "" if isinstance(model, FrequencyLDiversity) else " Or choose the algorithm 'optimal', which needs less"
    raise Infeasible(
        f"anatomize cannot keep {model.spec}: {count} of {rows} records have {named} as {histogram.domain.name}, and "
        f"groups of {diversity} different values have room for it {rows // diversity} times. The largest feasible l is "
        f"{rows // count}; lower the promise, or leave out records with this value.{other}",
        {"value": value, "count": count, "rows": rows, "l": rows // count},
    )


def _dealt(values: IntArray, counts: IntArray, diversity: int, rng: np.random.Generator) -> IntArray:
    """Deal the records, sorted by value and shuffled within each, out to the groups one by one."""
    # Step 1: hash the records into buckets by sensitive value, the largest bucket first.
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.lexsort((np.arange(len(counts)), -counts))] = np.arange(len(counts))
    # A random record of a bucket, as in the paper: the order inside each bucket is shuffled once.
    shuffled = rng.permutation(len(values))
    in_order = shuffled[np.argsort(rank[values[shuffled]], kind="stable")]
    groups = np.empty(len(values), dtype=np.int64)
    # Steps 2 and 3: a bucket of at most floor(n / l) records covers as many neighboring places, so it meets no group
    # twice; the residue goes to different groups because places are dealt in turn.
    groups[in_order] = np.arange(len(values)) % (len(values) // diversity)
    return groups
