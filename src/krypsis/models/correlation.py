"""How closely two sensitive values are related: 1 for nothing in common, more the closer they are.

Of categories, by the hierarchy: the number of all values divided by the number of values below the lowest node above
both. Of numbers, by a distance: that of the extreme values divided by that of the two.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.errors import UsageError, did_you_mean, shorten


@dataclass(frozen=True, eq=False)
class LeafOrder:
    """The values of a hierarchy in an order in which those below any node are neighbors.

    A missing value is none of the values that the attribute can take: it counts nowhere, and is related to no other.

    Notes
    -----
    One source defines the correlation by the number of leaves below the common ancestor itself, which would make
    values related the less they have in common; everywhere else it is the quotient used here.

    Examples
    --------
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> related = LeafOrder(disease)
    >>> related.correlation("flu", "asthma"), related.correlation("flu", "ulcer"), related.correlation("flu", "lungs")
    (Fraction(3, 2), Fraction(1, 1), Fraction(3, 2))
    """

    hierarchy: Hierarchy

    @cached_property
    def count(self) -> int:
        """How many values the attribute can take."""
        return len(self.hierarchy.values) - (None in self.hierarchy.code_of)

    @cached_property
    def sizes(self) -> IntArray:
        """``sizes[level, value]``: how many values are below the node above a value, 1 for a missing one by itself."""
        counted = np.array([value is not None for value in self.hierarchy.values], dtype=np.int64)
        rows = [np.bincount(codes, counted)[codes] for codes in self.hierarchy.table]
        return np.maximum(np.stack(rows).astype(np.int64), 1)

    @cached_property
    def ordered(self) -> IntArray:
        """The codes of all values, those below any node one after the other."""
        return np.lexsort(self.hierarchy.table)

    @cached_property
    def spans(self) -> dict[Label, tuple[int, int]]:
        """Label of any level → the first and the last place in ``ordered`` of the values below it.

        A label that stands at several levels is the lowest of its nodes.
        """
        found: dict[Label, tuple[int, int]] = {}
        for level, labels in enumerate(self.hierarchy.labels):
            codes = self.hierarchy.table[level][self.ordered]
            begins = np.flatnonzero(np.diff(codes, prepend=-1))
            ends = np.append(begins[1:], len(codes)) - 1
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
                found.setdefault(labels[int(codes[begin])], (begin, end))
        return found

    def span_of(self, label: Label) -> tuple[int, int]:
        """Return the places of the values below a label."""
        if label not in self.spans:
            known = [one for one in self.hierarchy.values if one is not None]
            raise UsageError(
                f"{label!r} is nowhere in the hierarchy; its values: {shorten(map(repr, known), 5)}."
                f"{did_you_mean(str(label), known)}"
            )
        return self.spans[label]

    def common(self, first: IntArray, last: IntArray) -> IntArray:
        """Return for each run of places in ``ordered`` how many values are below the lowest node above all of it."""
        one, other = self.ordered[first], self.ordered[last]
        found: IntArray = self.sizes[-1][one]
        for level in range(self.hierarchy.height - 1, -1, -1):
            same = self.hierarchy.table[level][one] == self.hierarchy.table[level][other]
            found = np.where(same, self.sizes[level][one], found)
        return found

    def correlation(self, first: Label, second: Label) -> Fraction:
        """Return how closely two values are related, or more general ones."""
        begins, ends = zip(self.span_of(first), self.span_of(second), strict=True)
        return Fraction(self.count, int(self.common(np.array([min(begins)]), np.array([max(ends)]))[0]))


def distance_between(first: Fraction, second: Fraction) -> Fraction:
    """Return the absolute difference, the usual distance of numbers."""
    return abs(first - second)


def numeric_correlation(
    first: Fraction,
    second: Fraction,
    limits: tuple[Fraction, Fraction],
    distance: Callable[[Fraction, Fraction], Fraction] = distance_between,
) -> Fraction | float:
    """Return how closely two numbers are related, given the lowest and the highest that there can be.

    Equal numbers are related infinitely.

    Examples
    --------
    >>> numeric_correlation(Fraction(20), Fraction(30), (Fraction(0), Fraction(100)))
    Fraction(10, 1)
    """
    low, high = limits
    if not (low <= min(first, second) and max(first, second) <= high):
        raise UsageError(f"numbers from {low} to {high} were expected, got {first} and {second}; widen the limits")
    between = distance(first, second)
    return distance(low, high) / between if between else inf
