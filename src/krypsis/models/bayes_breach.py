"""(p1,p2)-privacy breaches: unlikely before the release, likely after it."""

from collections.abc import Sequence
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Histogram
from krypsis.errors import UsageError
from krypsis.models.base import SensitiveModel
from krypsis.models.shares import largest_by, most_kept


class BayesBreach(SensitiveModel):
    """No group makes a sensitive value likely that was unlikely before, or unlikely that was likely.

    Notes
    -----
    Before the release an attacker believes of a person's value what the whole table says: its share ``q``.
    After it, its share ``p`` in the person's group. That is an assumption; an attacker who knows more
    about a person has other beliefs, which :func:`posterior_beliefs` computes. A group breaks the promise if
    ``q < p1`` and ``p > p2`` for some value, or ``q > 1 - p1`` and ``p < 1 - p2``. The level of a group is the largest
    ``p`` of the values with ``q < p1`` and ``1 - p`` of those with ``q > 1 - p1``; 0 where all values are in between.

    Under this assumption it is monotone: which values are concerned is the same for all groups, and ``p`` of a union
    lies between those of its parts. In general, with beliefs that differ from person to person, it is not.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ACM TKDD 1(1), 2007,
    Section 3. Evfimievski, Gehrke, Srikant, "Limiting privacy breaches in privacy preserving data mining", PODS 2003.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 4, "hiv": 1}, {"flu": 1, "hiv": 1}], whole={"flu": 95, "hiv": 5})
    >>> BayesBreach(p1=0.1, p2=0.3).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "bayes-breach"
    protects_from: ClassVar[str] = (
        "learning that a person probably has a sensitive value that few people of the whole table have, or probably "
        "does not have one that nearly all have"
    )
    does_not_protect_from: ClassVar[str] = (
        "attackers who know more about a person than the whole table reveals, values that are neither rare nor nearly "
        "universal, linking a person to a record, and learning that a person is in the table"
    )
    reference: ClassVar[str] = (
        "Evfimievski et al., Limiting privacy breaches in privacy preserving data mining, PODS 2003"
    )
    compares_with_whole: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    p1: float = Field(gt=0, lt=1, description="a value with a share in the whole table below this is unlikely")
    p2: float = Field(gt=0, lt=1, description="how likely an unlikely value may become in a group, p1 or more")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.p1 > self.p2:
            raise ValueError(
                f"p2 of bayes-breach must be at least p1, got p1={self.p1:g} and p2={self.p2:g}: "
                "a release that reveals nothing would break the promise"
            )
        return self

    @property
    def required(self) -> float:
        return self.p2

    def promise(self) -> str:
        return (
            f"in every group of records that look alike, each value of {self.subject} that less than {self.p1:g} of "
            f"the whole table has belongs to at most {self.p2:g} of the records, and each that more than "
            f"{1 - self.p1:g} of it has to at least {1 - self.p2:g} of them"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        rare, common = self._concerned(histogram)
        group, value, size = histogram.group, histogram.value, sizes[histogram.group]
        risen = np.where(rare[value], histogram.count / size, 0)
        fallen = np.where(common[value], (size - histogram.count) / size, 0)
        levels = largest_by(group, np.maximum(risen, fallen), len(sizes))
        present = np.bincount(group[common[value]], minlength=len(sizes))
        return np.where(present < np.count_nonzero(common), 1.0, levels)

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        """Return what can be kept: of ``n`` records at most ``p2·n`` have a rare value, a common one ``(1-p2)·n``."""
        rare, common = self._concerned(histogram)
        kept = most_kept(histogram, sizes, np.where(rare, self.p2, 1))
        for code in np.flatnonzero(common):
            counts = np.zeros(len(sizes))
            chosen = histogram.value == code
            counts[histogram.group[chosen]] = histogram.count[chosen]
            most = np.minimum(sizes, counts / (1 - self.p2) * (1 + 1e-12) + 1e-9)
            kept = np.minimum(kept, np.floor(most).astype(np.int64))
        return kept

    def suffices(self, levels: FloatArray) -> BoolArray:
        # No tolerance is needed: a quotient of counts is rounded to the same number as the decimal it equals.
        return levels <= self.p2

    def _concerned(self, histogram: Histogram) -> tuple[BoolArray, BoolArray]:
        """Say which values are unlikely in the whole table, and which are likely."""
        total = max(int(histogram.whole.sum()), 1)
        occurs = histogram.whole > 0
        return histogram.whole / total < self.p1, occurs & ((total - histogram.whole) / total < self.p1)


def posterior_beliefs(
    counts: Sequence[int] | IntArray,
    given_person: Sequence[float] | FloatArray,
    given_group: Sequence[float] | FloatArray,
) -> FloatArray:
    """Return how likely each sensitive value is for a person, after a group with these counts was published.

    Parameters
    ----------
    counts
        How often each value occurs in the person's group.
    given_person
        How likely the attacker holds each value for somebody with exactly the person's quasi-identifiers.
    given_group
        How likely the attacker holds each value for somebody whose quasi-identifiers look like the group.

    Raises
    ------
    UsageError
        if these are no probabilities, or say that what was published cannot be.

    Notes
    -----
    ``β(s) ∝ n(s) · f(s|q) / f(s|q*)``, where the person is known to be in the table.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ACM TKDD 1(1), 2007,
    Theorem 3.1.

    Examples
    --------
    Two of four have heart disease, which the attacker holds ten times less likely for this person than for the group:

    >>> posterior_beliefs([2, 2], given_person=[0.05, 0.5], given_group=[0.5, 0.5]).round(6)
    array([0.090909, 0.909091])
    """
    found, person, group = np.asarray(counts), np.asarray(given_person, float), np.asarray(given_group, float)
    _check_beliefs(found, person, group)
    weights = np.zeros(len(found))
    np.divide(found * person, group, out=weights, where=found > 0)
    if not weights.sum():
        raise UsageError("the attacker holds every value of the group impossible for the person; correct the beliefs")
    return np.asarray(weights / weights.sum())


def _check_beliefs(counts: IntArray, person: FloatArray, group: FloatArray) -> None:
    if not len(counts) == len(person) == len(group):
        raise UsageError(
            f"one count and two probabilities are needed per value, got {len(counts)} counts, {len(person)} and "
            f"{len(group)} probabilities"
        )
    if (counts < 0).any():
        raise UsageError(f"counts must be at least 0, got {counts.min()}")
    strange = [value for value in (*person, *group) if not 0 <= value <= 1]
    if strange:
        raise UsageError(f"probabilities must be numbers from 0 to 1, got {strange[0]:g}")
    if ((counts > 0) & (group == 0)).any():
        place = int(np.argmax((counts > 0) & (group == 0)))
        raise UsageError(
            f"value {place} occurs in the group {counts[place]} time(s), and given_group holds it impossible there"
        )
