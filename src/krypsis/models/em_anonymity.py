"""(ε,m)-anonymity."""

from functools import lru_cache
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Domain, Histogram
from krypsis.models.base import TOLERANCE, SensitiveModel
from krypsis.models.number_line import numbers_of
from krypsis.models.shares import largest_by


class Neighborhoods(NamedTuple):
    """Which sensitive values are near to each other, by their place in the order of numbers, a missing one last."""

    place: IntArray
    """Of each value; texts that are the same number share a place."""
    first: IntArray
    last: IntArray
    """The places near to each place begin and end here."""


class EMAnonymity(SensitiveModel):
    """In every group at most 1 in ``m`` sensitive numbers is near to any number of the group.

    Notes
    -----
    For every number ``s`` of a group, at most ``1/m`` of its numbers ``y`` have ``|y - s| ≤ epsilon``, or, if
    ``proximity=relative``, ``|y - s| ≤ epsilon·|s|``. The level of a group is the number of its records divided by the
    largest such neighborhood. A missing value is near to missing values alone. A number that is ``epsilon`` away up to
    rounding, as 0.3 is 0.2 away from 0.1, is near.

    It is not monotone: with ``epsilon=5`` and ``m=2``, {0, 10} and {5, 20} are accepted, and their union is refused, in
    which 0, 5 and 10 are near to 5. So searches must not skip by it; the method ``proximity-permutation`` makes groups
    that keep it.

    References
    ----------
    Li, Tao, Xiao, "Preservation of proximity privacy in publishing numerical sensitive data", SIGMOD 2008.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"0": 1, "10": 1}, {"5": 1, "20": 1}, {"0": 1, "5": 1, "10": 1, "20": 1}])
    >>> EMAnonymity(epsilon=5, m=2).accepts(groups)
    array([ True,  True, False])
    """

    name: ClassVar[str] = "em-anonymity"
    protects_from: ClassVar[str] = (
        "learning that a person's number is probably within a short interval (proximity): at best 1 in m such "
        "guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "intervals wider than epsilon on either side, background knowledge that rules numbers out, groups whose "
        "numbers are far from those of the whole table (skewness), and learning that a person is in the table"
    )
    reference: ClassVar[str] = (
        "Li, Tao, Xiao, Preservation of proximity privacy in publishing numerical sensitive data, SIGMOD 2008"
    )
    monotone: ClassVar[bool] = False
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    epsilon: float = Field(
        ge=0,
        allow_inf_nan=False,
        description="how far apart numbers may be that count as near to each other",
    )
    m: int = Field(ge=1, description="at most 1 in so many numbers of a group may be near to any of them")
    proximity: Literal["absolute", "relative"] = Field(
        default="absolute", description="whether epsilon is a difference, or a part of the number itself"
    )

    @property
    def required(self) -> float:
        return float(self.m)

    def promise(self) -> str:
        near = f"{self.epsilon:g}" if self.proximity == "absolute" else f"{self.epsilon:g} times its value"
        return (
            f"in every group of records that look alike, at most 1 in {self.m} values of {self.subject} is within "
            f"{near} of any of them"
        )

    def neighborhoods(self, domain: Domain) -> Neighborhoods:
        """Return which values of an attribute are near to each other.

        Raises
        ------
        UsageError
            if a value is no number.
        """
        return _neighborhoods(domain, self.epsilon, self.proximity == "relative")

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        return np.asarray(sizes / np.maximum(self._largest(histogram, len(sizes)), 1), dtype=np.float64)

    def suffices(self, levels: FloatArray) -> BoolArray:
        # Exact without a tolerance: a quotient of two counts that is below a whole number is not rounded up to it.
        return levels >= self.m

    def _largest(self, histogram: Histogram, group_count: int) -> FloatArray:
        """Return the number of records in the largest neighborhood of each group.

        With the entries sorted by group and number, a neighborhood is a run of them, which two searches find.
        """
        near = self.neighborhoods(histogram.domain)
        places = len(near.first)
        place = near.place[histogram.value]
        keys = histogram.group * places + place
        order = np.argsort(keys, kind="stable")
        sorted_keys, cumulated = keys[order], np.append(0, np.cumsum(histogram.count[order]))
        base = sorted_keys - place[order]
        begin = np.searchsorted(sorted_keys, base + near.first[place[order]], side="left")
        end = np.searchsorted(sorted_keys, base + near.last[place[order]], side="right")
        within = (cumulated[end] - cumulated[begin]).astype(np.float64)
        return largest_by(histogram.group[order], within, group_count)


@lru_cache(maxsize=16)
def _neighborhoods(domain: Domain, epsilon: float, relative: bool) -> Neighborhoods:
    """Find the neighborhoods once for all groups of a table: a search asks thousands of times."""
    numbers, place = np.unique(numbers_of(domain, "(ε,m)-anonymity"), return_inverse=True)
    known = numbers[~np.isnan(numbers)]
    reach = epsilon * np.abs(known) if relative else np.full(len(known), epsilon)
    reach += TOLERANCE * np.maximum(np.abs(known), epsilon)
    first, last = np.arange(len(numbers)), np.arange(len(numbers))  # what a missing value has: itself
    first[: len(known)] = np.searchsorted(known, known - reach, side="left")
    last[: len(known)] = np.searchsorted(known, known + reach, side="right") - 1
    return Neighborhoods(place, first, last)
