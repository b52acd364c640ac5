"""Relative error of the records that match utility constraints."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from krypsis.arrays import FloatArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import PublishedSets, Transactions
from krypsis.errors import UsageError
from krypsis.metrics.transactions.counting import CountMetric, ItemCounts, SetCounts, Sets, check_sets
from krypsis.specs import sets_of


class MatchError(CountMetric):
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

    sets: Annotated[Sets, BeforeValidator(sets_of)] = Field(
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
        check_sets(sets, "sets that are wanted")
        before = self._matching(SetCounts(original), sets)
        after = self._matching(self.counts(published, hierarchy, rng), sets)
        before[before == 0] = np.nan
        return (before - after) / before

    def _matching(self, counts: ItemCounts, sets: Sets) -> FloatArray:
        matching = counts.of_any if self.matches == "any" else counts.of_all
        return np.array([matching(one) for one in sets])
