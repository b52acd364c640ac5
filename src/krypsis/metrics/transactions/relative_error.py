"""Relative errors of counts: of pairs of items, of sets of items, and of the records that match utility constraints."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from krypsis.arrays import FloatArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Disassociated, PublishedSets, Transactions
from krypsis.errors import UsageError
from krypsis.metrics.transactions import counting
from krypsis.specs import sets_of


class PairError(counting.CountMetric):
    """How wrong the release is about how many records hold two items, averaged over pairs of items.

    Notes
    -----
    Items are ranked by how many records hold them, ties by name; the pairs are those of the items from ``first_rank``
    to ``last_rank``, counted from 0 and without the last. The error of a pair is ``|so - sp| / ((so + sp) / 2)``, with
    the number of records that hold both before and after. Pairs that occur neither before nor after are left out.

    Clusters are measured on data that could lie behind them, by the mean over ``reconstructions``. A generalized item
    stands for each of its items alike: ``A`` and ``B`` for ``s(A, B) / (|A| · |B|)`` records with a pair of them, ``A``
    alone for ``s(A)`` divided by its number of pairs.

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 5(10), 2012.

    Examples
    --------
    Of two records with bread and milk one is left: ``|2 - 1| / 1.5``.

    >>> before = Transactions.of_sets([["bread", "milk"], ["bread", "milk"]])
    >>> after = Transactions.of_sets([["bread", "milk"], ["bread"]])
    >>> round(PairError(first_rank=0, last_rank=2).measure(before, after, None, np.random.default_rng(1)), 4)
    0.6667
    """

    name: ClassVar[str] = "re"
    formula: ClassVar[str] = "mean over pairs of |so - sp| / ((so + sp) / 2)"
    range: ClassVar[str] = "0 (all pairs as often as before) to 2 (no pair is left)"
    sentence: ClassVar[str] = "how wrong the release is about how many records hold two items, on average"
    reference: ClassVar[str] = (
        "Terrovitis, Liagouris, Mamoulis, Skiadopoulos, Privacy preservation by disassociation, PVLDB 5(10), 2012"
    )

    first_rank: int = Field(default=200, ge=0, description="rank of the first item, 0 for the most frequent")
    last_rank: int = Field(default=220, ge=2, description="rank before which the items end")

    def measure(
        self,
        original: Transactions,
        published: PublishedSets,
        hierarchy: Hierarchy | None,
        rng: np.random.Generator,
    ) -> float:
        pairs = list(combinations(self._band(original), 2))
        before, after = counting.SetCounts(original), self.counts(published, hierarchy, rng)
        errors = relative_errors(*(np.array([one.of_all(pair) for pair in pairs]) for one in (before, after)))
        return float(errors.mean()) if len(errors) else 0.0

    def _band(self, original: Transactions) -> list[str]:
        """Return the items that pairs are made of."""
        ranked = np.argsort(-original.supports, kind="stable")
        occurring = int(np.count_nonzero(original.supports))
        chosen = ranked[self.first_rank : min(self.last_rank, occurring)].tolist()
        if len(chosen) < 2:
            raise UsageError(
                f"{self.name} compares pairs of the items ranked {self.first_rank} to {self.last_rank}, and only "
                f"{occurring} items occur; give a lower first_rank and a last_rank at least 2 above it"
            )
        return [original.items[code] for code in chosen]


class CertainPairError(PairError):
    """The same, where only pairs count that stand together in a piece: what clusters reveal for certain.

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 5(10), 2012.

    Examples
    --------
    >>> before = Transactions.of_sets([["a", "b"], ["a", "b"]])
    >>> nothing = Transactions.of_sets([[]])
    >>> pieces = Transactions.of_sets([["a"], ["a"], ["b"], ["b"]])
    >>> clusters = Disassociated.of(pieces, [0, 2, 4], [0, 0], sizes=[2], parents=[-1], terms=nothing)
    >>> CertainPairError(first_rank=0, last_rank=2).measure(before, clusters, None, np.random.default_rng(1))
    2.0
    """

    name: ClassVar[str] = "re-a"
    sentence: ClassVar[str] = "how many pairs of items in a record are certain, as an error"

    def applies_to(self, published: PublishedSets, hierarchy: Hierarchy | None) -> bool:  # noqa: ARG002
        return isinstance(published, Disassociated)

    def counts(
        self,
        published: PublishedSets,
        hierarchy: Hierarchy | None,  # noqa: ARG002
        rng: np.random.Generator,  # noqa: ARG002
    ) -> counting.ItemCounts:
        if not isinstance(published, Disassociated):
            raise UsageError(f"{self.name} measures pieces of sets in clusters, got {type(published).__name__}")
        return counting.SetCounts(published.pieces)


def relative_errors(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return the difference of two numbers over their mean; pairs of zeros are left out.

    Examples
    --------
    >>> relative_errors(np.array([3.0, 3.0, 0.0]), np.array([3.0, 0.0, 0.0])).tolist()
    [0.0, 2.0]
    """
    some = (before + after) > 0
    return np.asarray(2 * np.abs(before - after)[some] / (before + after)[some], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class AnswerErrors:
    """The relative error of each question, and how many questions nobody's record answers."""

    errors: FloatArray
    skipped: int


class AverageRelativeError(counting.CountMetric):
    """How wrong the answers are to how many records hold all items of a set, on average.

    Notes
    -----
    The error of a question is ``|after - before| / before``; questions to which the answer was 0 are left out. They
    are the given ``sets``, or those of a workload: ``random_1_4`` draws an item, adds another, up to four;
    ``random_1000`` draws every set by itself; ``frequent_p`` are the sets that ``support`` percent of the records hold.

    Clusters are measured on data that could lie behind them, by the mean over ``reconstructions``. A generalized item
    stands for each of its items alike.

    References
    ----------
    Loukides, Liagouris, Gkoulalas-Divanis, Terrovitis, "Disassociation for electronic health record privacy", Journal
    of Biomedical Informatics 50, 2014, definition 2.

    Examples
    --------
    >>> before = Transactions.of_sets([["flu", "hiv"], ["flu", "hiv"], ["flu"]])
    >>> after = Transactions.of_sets([["flu", "hiv"], ["flu"], ["flu"]])
    >>> AverageRelativeError(sets=[["flu"], ["flu", "hiv"]]).measure(before, after, None, np.random.default_rng(1))
    0.25
    """

    name: ClassVar[str] = "are"
    formula: ClassVar[str] = "mean over questions of |after - before| / before"
    range: ClassVar[str] = "0 (all answers right) upwards without limit; 1 where nothing is left"
    sentence: ClassVar[str] = "how wrong, on average, the answers are to how many records hold all items of a set"

    workload: counting.Workload = Field(
        default="random_1_4", description="which sets are asked for, unless they are given"
    )
    number: int = Field(default=1000, ge=1, description="how many sets a workload has at most")
    support: float = Field(default=0.625, gt=0, le=100, description="percent of the records, for frequent_p")
    sets: Annotated[counting.Sets, BeforeValidator(sets_of)] = Field(
        default=(), description="the sets that are asked for"
    )

    def measure(
        self,
        original: Transactions,
        published: PublishedSets,
        hierarchy: Hierarchy | None,
        rng: np.random.Generator,
    ) -> float:
        """Return the mean over the questions."""
        found = self.answers(original, published, hierarchy, rng)
        if not len(found.errors):
            raise UsageError(
                f"no record holds any of the {found.skipped} sets that {self.name} asks for; ask for others"
            )
        return float(found.errors.mean())

    def answers(
        self,
        original: Transactions,
        published: PublishedSets,
        hierarchy: Hierarchy | None,
        rng: np.random.Generator,
    ) -> AnswerErrors:
        """Return the error of each question."""
        asked = self.sets or counting.questions(self.workload, original, self.number, self.support, rng)
        counting.check_sets(asked, "sets that are asked for")
        counts = counting.SetCounts(original)
        before = np.array([counts.of_all(one) for one in asked])
        answered = [one for one, count in zip(asked, before.tolist(), strict=True) if count]
        estimates = self.counts(published, hierarchy, rng)
        after = np.array([estimates.of_all(one) for one in answered])
        return AnswerErrors(np.abs(after - before[before > 0]) / before[before > 0], len(asked) - len(answered))


class MatchError(counting.CountMetric):
    """How wrong the release is about how many records match a set of items that is wanted together, on average.

    Notes
    -----
    A record matches a set if it holds at least one of its items, or all of them with ``matches=all``: the source says
    both, and with all of them large sets match nothing. The error of a set is ``(before - after) / before``; it is
    below 0 where the release counts too many. The figure is the mean of its size over the given ``sets``, or over all
    single items. Sets that no record matches are left out. :meth:`of_each` returns the errors with their signs.

    Clusters are measured on data that could lie behind them, by the mean over ``reconstructions``.

    References
    ----------
    Loukides, Liagouris, Gkoulalas-Divanis, Terrovitis, "Disassociation for electronic health record privacy", Journal
    of Biomedical Informatics 50, 2014, definition 3.

    Examples
    --------
    >>> before = Transactions.of_sets([["flu"], ["hiv"], ["ache"], ["ache"]])
    >>> after = Transactions.of_sets([["flu"], ["ache"]])
    >>> metric = MatchError(sets=[["flu", "hiv"], ["ache"]])
    >>> metric.of_each(before, after, None, np.random.default_rng(1)).tolist()
    [0.5, 0.5]
    """

    name: ClassVar[str] = "mre"
    formula: ClassVar[str] = "mean over sets of |before - after| / before"
    range: ClassVar[str] = "0 (as many matches as before) upwards without limit; 1 where nothing is left"
    sentence: ClassVar[str] = "how wrong the release is, on average, about how many records match a set that is wanted"

    sets: Annotated[counting.Sets, BeforeValidator(sets_of)] = Field(
        default=(), description="the sets of items that are wanted; every item by itself unless given"
    )
    matches: Literal["any", "all"] = Field(default="any", description="how much of a set a record must hold")

    def measure(
        self,
        original: Transactions,
        published: PublishedSets,
        hierarchy: Hierarchy | None,
        rng: np.random.Generator,
    ) -> float:
        """Return the mean size of the errors."""
        errors = self.of_each(original, published, hierarchy, rng)
        if np.isnan(errors).all():
            raise UsageError(f"no record matches any of the {len(errors)} sets of {self.name}; give others")
        return float(np.nanmean(np.abs(errors)))

    def of_each(
        self,
        original: Transactions,
        published: PublishedSets,
        hierarchy: Hierarchy | None,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Return the error of each set with its sign, not a number where no record matched before."""
        sets = self.sets or tuple((item,) for item in original.items)
        counting.check_sets(sets, "sets that are wanted")
        before = self._matching(counting.SetCounts(original), sets)
        after = self._matching(self.counts(published, hierarchy, rng), sets)
        before[before == 0] = np.nan
        return (before - after) / before

    def errors(
        self,
        original: Transactions,
        published: PublishedSets,
        hierarchy: Hierarchy | None,
        rng: np.random.Generator,
    ) -> Mapping[tuple[str, ...], float | None]:
        """Return the error of each set with its sign, nothing where no record matched before."""
        errors = self.of_each(original, published, hierarchy, rng).tolist()
        sets = self.sets or tuple((item,) for item in original.items)
        return {one: None if isnan(error) else error for one, error in zip(sets, errors, strict=True)}

    def _matching(self, counts: counting.ItemCounts, sets: counting.Sets) -> FloatArray:
        matching = counts.of_any if self.matches == "any" else counts.of_all
        return np.array([matching(one) for one in sets])
