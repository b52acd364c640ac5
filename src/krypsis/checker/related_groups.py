"""What the groups of a release tell about related sensitive values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, IntArray
from krypsis.checker.invariance import number_sets
from krypsis.checker.lives import Signature
from krypsis.checker.similar import Related
from krypsis.datasets.history import Version
from krypsis.datasets.numbering import numbered
from krypsis.hierarchies.base import Label
from krypsis.models.em_correlation import EMCorrelation
from krypsis.models.number_line import Places


@dataclass(frozen=True, eq=False)
class View:
    """The groups of one release, by number, and who is in which."""

    version: Version
    present: BoolArray
    """Whether a group has records."""
    values: IntArray
    """How many different values it has."""
    equal: BoolArray
    """Whether all its values are equally frequent."""
    common: Places
    """How many values are below the lowest node above two of its values, or how far two numbers lie apart, where that
    is least."""
    sets: list[Signature]
    """The different sets of values of all groups."""
    set_of: IntArray
    """For each group, the number of its set."""

    @classmethod
    def of(cls, version: Version, related: Related) -> View:
        """Return what a release tells."""
        numbers, labels = version.numbers, version.records.get_column("value").cast(pl.String)
        (codes,), radix = numbered([labels])
        pairs, often = np.unique(numbers.records * radix + codes, return_counts=True)
        group, code = pairs // radix, pairs % radix
        known, example = np.unique(codes, return_index=True)
        texts = labels.gather(example).to_list()
        place = np.searchsorted(known, code)
        spans = np.array([related.span_of(text) for text in texts], dtype=np.int64).reshape(-1, 2)
        first, last = spans[place, 0], spans[place, 1]
        values = np.bincount(group, minlength=numbers.limit)
        set_of = number_sets(values, code, radix)
        return cls(
            version,
            values > 0,
            values,
            _is_equal(group, often, numbers.limit),
            _least_common(related, group, first, last, numbers.limit),
            _named_sets(set_of, values, [texts[one] for one in place.tolist()]),
            set_of,
        )

    def refused(self, model: EMCorrelation, related: Related) -> BoolArray:
        """Say for each group whether it breaks the promise by itself."""
        limit = ceil(Fraction(related.count) / model.e)  # whole numbers: at least so much must be in common
        close = (self.values > 1) & (self.common < limit).astype(np.bool_)
        broken: BoolArray = self.present & ((self.values < model.m) | ~self.equal | close)
        return broken


def _named_sets(set_of: IntArray, sizes: IntArray, texts: Sequence[Label]) -> list[Signature]:
    """Return the sets by number; ``texts`` are the values of all groups, one group after the other."""
    ends = np.cumsum(sizes)
    _, example = np.unique(set_of, return_index=True)
    return [frozenset(texts[ends[group] - sizes[group] : ends[group]]) for group in example.tolist()]


def _is_equal(group: IntArray, often: IntArray, limit: int) -> BoolArray:
    most, least = np.zeros(limit, dtype=np.int64), np.full(limit, np.iinfo(np.int64).max)
    np.maximum.at(most, group, often)
    np.minimum.at(least, group, often)
    return np.asarray((most == least) | (most == 0))


def _least_common(related: Related, group: IntArray, first: IntArray, last: IntArray, limit: int) -> Places:
    """Return for each group how much two of its values have in common, where that is least; all there is with one.

    It is least for neighbors in the order of the hierarchy: a node above two values is above all between them.
    """
    order = np.lexsort((-last, first, group))
    one, other = order[:-1], order[1:]
    beside = group[one] == group[other]
    one, other = one[beside], other[beside]
    common = related.common(first[one], np.maximum(last[one], last[other]))
    least = np.full(limit, related.count, dtype=common.dtype)
    np.minimum.at(least, group[one], common)
    return least
