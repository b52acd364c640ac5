"""How closely sensitive values are related that are numbers: the closer they lie, the more."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.groups import Domain
from krypsis.data.hierarchies.base import Label
from krypsis.data.hierarchies.decimals import parse_number
from krypsis.errors import DataError, UsageError, shorten


def numbers_of(domain: Domain, promise: str) -> FloatArray:
    """Return the values of a sensitive attribute as numbers, "not a number" where missing.

    ``promise`` is what a message calls the promise that needs numbers.

    Raises
    ------
    UsageError
        if one of them is no finite number.

    Examples
    --------
    >>> numbers_of(Domain(("30", "7.5", None)), "(k,e)-anonymity")
    array([30. ,  7.5,  nan])
    """
    parsed = [None if value is None else parse_number(value) for value in domain.values]
    numbers = np.array([np.nan if number is None else float(number) for number in parsed], dtype=np.float64)
    pairs = zip(domain.values, numbers, strict=True)
    if strange := [value for value, number in pairs if value is not None and not np.isfinite(number)]:
        raise UsageError(
            f"{promise} is about numbers; {domain.name} has {len(strange)} value(s) that are none: "
            f"{shorten(map(repr, strange), 5)}. Promise something about categories instead, such as "
            "'frequency-l-diversity:l=3'"
        )
    return numbers


NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
"""A number as it is written; a longer exponent would ask for numbers of a million digits."""

Places = NDArray[Any]
"""Exact places: whole numbers of Python where those of the machine are too short."""


@dataclass(frozen=True, eq=False)
class NumberLine:
    """Different numbers in ascending order, between the lowest and the highest that there can be.

    It answers the same questions as :class:`krypsis.models.correlation.LeafOrder` does for a hierarchy. The correlation
    of two numbers is the distance of the limits divided by that of the two. A missing value lies beyond the limits,
    farther from all numbers than these are from each other.

    Examples
    --------
    >>> line = NumberLine.of(["30", "20", "100"], (Fraction(0), Fraction(100)))
    >>> line.labels, Fraction(line.count, int(line.common(np.array([0]), np.array([1]))[0]))
    (('20', '30', '100'), Fraction(10, 1))
    """

    labels: tuple[Label, ...]
    places: Places
    """The place of each label, in units so small that all places are whole."""
    count: int
    """The distance of the limits in these units."""

    @classmethod
    def of(cls, labels: Sequence[Label], limits: tuple[Fraction, Fraction]) -> "NumberLine":
        """Return the line of some numbers, as they are written.

        Raises
        ------
        DataError
            if a text is no number, or beyond the limits.
        """
        low, high = limits
        texts = [label for label in dict.fromkeys(labels) if label is not None]
        _refuse([text for text in texts if not NUMBER.fullmatch(text)], "are no numbers")
        numbers: dict[Label, Fraction] = {text: Fraction(text) for text in texts}
        _refuse(
            [text for text, number in numbers.items() if not low <= number <= high], f"are not between {low} and {high}"
        )
        if None in labels:
            numbers[None] = 2 * high - low
        unit = lcm(low.denominator, high.denominator, *(number.denominator for number in numbers.values()))
        placed = sorted((int(number * unit), label or "", label) for label, number in numbers.items())
        fits = max(abs(low), abs(high)) * unit * 4 < 2**62
        places = np.array([place for place, _, _ in placed], dtype=np.int64 if fits else np.object_)
        return cls(tuple(label for _, _, label in placed), places, int((high - low) * unit))

    @cached_property
    def rank_of(self) -> dict[Label, int]:
        """Label → how many labels stand before it."""
        return {label: rank for rank, label in enumerate(self.labels)}

    def span_of(self, label: Label) -> tuple[int, int]:
        """Return the rank of a number, twice: it covers no other."""
        return self.rank_of[label], self.rank_of[label]

    def common(self, first: IntArray, last: IntArray) -> Places:
        """Return how far two numbers lie apart, given by rank."""
        return np.asarray(self.places[last] - self.places[first])

    def first_close(self, e: Fraction) -> IntArray:
        """Return for each rank the first one whose number is more closely related than ``e``, or the rank itself.

        Examples
        --------
        >>> NumberLine.of(["0", "4", "5", "10"], (Fraction(0), Fraction(10))).first_close(Fraction(2)).tolist()
        [0, 0, 1, 3]
        """
        gap = ceil(Fraction(self.count) / e)  # two numbers may meet if they lie at least so far apart
        return np.searchsorted(self.places, self.places - gap, side="right").astype(np.int64)


def _refuse(labels: Sequence[Label], what: str) -> None:
    if labels:
        raise DataError(
            f"{len(labels)} sensitive value(s) {what}: {shorten(map(repr, labels), 5)}; the promise has limits, 'low' "
            "and 'high', so it is about numbers between them. Correct the values, or promise without limits"
        )
