"""LKC-privacy."""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Groups, Histogram
from krypsis.errors import UsageError
from krypsis.models.base import SensitiveModel
from krypsis.models.shares import largest_counts, most_kept

MOST_SETS = 20_000
"""Up to this many sets of attributes are looked at; each is grouped by itself."""


class LKCPrivacy(SensitiveModel):
    """Whoever knows at most ``l`` values of a person finds ``k`` records or more, and no sensitive value in more than
    the share ``c`` of them.

    Notes
    -----
    The groups are those of every set of ``l`` quasi-identifiers. Smaller sets follow: their groups are unions of groups
    that keep the promise. With ``l`` at least the number of quasi-identifiers it is (α,k)-anonymity with ``alpha = c``,
    with ``c = 1`` besides k-anonymity, with ``k = 1`` a bound of the confidence in every sensitive value, and with
    ``c = 1/l'`` frequency l'-diversity.

    A published ``*`` is a value like others, which equals only ``*``; so records whose value was suppressed keep the
    promise among themselves. With ``c = 1`` no sensitive attribute is needed. The level is the largest share, and
    infinite where a group has fewer than ``k`` records.

    Cost: one grouping for each of the ``|QI| over l`` sets.

    References
    ----------
    Mohammed, Fung, Hung, Lee, "Anonymizing healthcare data: a case study on the blood transfusion service", KDD 2009.
    The thesis prints 1/C as the bound for attributes (erratum E28); it is C.

    Examples
    --------
    >>> promise = LKCPrivacy(l=2, k=2, c=0.5)
    >>> promise.sets_of(["age", "sex", "zip"])
    (('age', 'sex'), ('age', 'zip'), ('sex', 'zip'))
    >>> promise.accepts(Groups.of_histograms([{"flu": 1, "hiv": 1}, {"flu": 2, "hiv": 1}, {"flu": 1}]))
    array([ True, False, False])
    """

    name: ClassVar[str] = "lkc-privacy"
    protects_from: ClassVar[str] = (
        "an attacker who knows at most l of a person's values and links a record to the person (at best 1 in k guesses "
        "is right) or guesses the sensitive value (at most the share c of such guesses is right)"
    )
    does_not_protect_from: ClassVar[str] = (
        "attackers who know more than l values of a person, values that differ in name and are alike in meaning "
        "(similarity), and learning that a person is in the table"
    )
    reference: ClassVar[str] = (
        "Mohammed et al., Anonymizing healthcare data: a case study on the blood transfusion service, KDD 2009"
    )
    needs_sensitive: ClassVar[bool] = False
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    l: int = Field(ge=1, description="largest number of a person's values that an attacker knows")  # noqa: E741
    k: int = Field(ge=1, description="smallest number of records that have the same known values")
    c: float = Field(
        default=1.0, gt=0, le=1, description="largest share of such records that may have the same sensitive value"
    )

    @property
    def required(self) -> float:
        return self.c

    def promise(self) -> str:
        sizes = (
            f"whoever knows at most {self.l} value{'s' * (self.l > 1)} of a person finds at least {self.k} "
            f"record{'s' * (self.k > 1)} that have them"
        )
        shares = f", and each value of {self.subject} is at most {self.c:.6g} of these"
        return sizes + shares * (self.c < 1)

    def sets_of(self, attributes: Sequence[str]) -> tuple[tuple[str, ...], ...] | None:
        """Return all sets of ``l`` attributes; with ``l`` attributes or fewer, the sets of the table.

        Raises
        ------
        UsageError
            if there are too many.
        """
        if self.l >= len(attributes):
            return None
        sets = comb(len(attributes), self.l)
        if sets > MOST_SETS:
            raise UsageError(
                f"{self.spec} is about every {self.l} of {len(attributes)} quasi-identifiers, {sets:,} sets, and at "
                f"most {MOST_SETS:,} can be looked at; choose another l, or give fewer columns the role "
                "'quasi-identifier'"
            )
        return tuple(combinations(attributes, self.l))

    def accepts(self, groups: Groups) -> BoolArray:
        return super().accepts(groups) if self._looks_at_values(groups) else groups.sizes >= self.k

    def measure(self, groups: Groups) -> float:
        if self._looks_at_values(groups):
            return super().measure(groups)
        return 0.0 if (groups.sizes >= self.k).all() else np.inf

    def least_suppressed(self, groups: Groups) -> IntArray:
        if self._looks_at_values(groups):
            return super().least_suppressed(groups)
        return np.where(groups.sizes >= self.k, 0, groups.sizes)

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        shares = largest_counts(histogram, len(sizes)) / np.maximum(sizes, 1)
        return np.where(sizes >= self.k, shares, np.inf)

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        return np.where(sizes >= self.k, most_kept(histogram, sizes, self.c), 0)

    def suffices(self, levels: FloatArray) -> BoolArray:
        return levels <= self.c

    def _looks_at_values(self, groups: Groups) -> bool:
        """Say whether sensitive values matter; they do where their shares are limited, and where there are any."""
        return self.c < 1 or self.attribute is not None or bool(groups.sensitive)
