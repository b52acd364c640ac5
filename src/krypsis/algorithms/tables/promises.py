"""What the promises say of parts of a table, many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.frequency import FrequencySet
from krypsis.data.groups import Groups, Histogram
from krypsis.kernels.rows import merge
from krypsis.models.base import GroupModel
from krypsis.models.k_anonymity import KAnonymity


@dataclass(frozen=True, eq=False)
class Promises:
    """The models of a search: the smallest size of a part, which cuts heed by themselves, and all that is beyond."""

    frequency: FrequencySet
    models: tuple[GroupModel, ...]

    @cached_property
    def k(self) -> int:
        """The number of records that every part must have."""
        return max([model.k for model in self.models if isinstance(model, KAnonymity)], default=1)

    @cached_property
    def beyond_size(self) -> tuple[GroupModel, ...]:
        """The models that say more than how many records a part must have."""
        return tuple(model for model in self.models if not isinstance(model, KAnonymity))

    def keep(self, part_of: CodeArray, parts: int) -> BoolArray:
        """Say for each part whether all models accept it; ``part_of[tuple]`` is -1 for tuples in none of them."""
        inside = part_of >= 0
        sizes = np.bincount(part_of[inside], self.frequency.counts[inside], minlength=parts).astype(np.int64)
        secrets = {name: _merged(found, part_of) for name, found in self.frequency.sensitive.items()}
        combined = {names: _merged(found, part_of) for names, found in self.frequency.combined.items()}
        return _all_accept(self.models, Groups(sizes, secrets, None, combined))


def _merged(histogram: Histogram, part_of: CodeArray) -> Histogram:
    """Return the sensitive values of the parts, without those of tuples in no part."""
    inside = part_of[histogram.group] >= 0
    if inside.all():
        return merge(histogram, part_of)
    group, value, count = (column[inside] for column in (histogram.group, histogram.value, histogram.count))
    return merge(Histogram(group, value, count, histogram.whole, histogram.domain), part_of)


def _all_accept(models: Sequence[GroupModel], groups: Groups) -> BoolArray:
    answers = [model.accepts(groups) for model in models]
    return np.asarray(np.logical_and.reduce(answers), dtype=np.bool_)


def part_numbers(order: CodeArray, starts: IntArray, ends: IntArray) -> CodeArray:
    """Return the number of the part of each tuple, -1 for those in none.

    Examples
    --------
    >>> part_numbers(np.array([2, 0, 1, 3], dtype=np.int32), np.array([2, 0]), np.array([3, 2]))
    array([ 1,  0,  1, -1], dtype=int32)
    """
    numbers = np.full(len(order), -1, dtype=np.int32)
    sizes = ends - starts
    if not len(sizes):
        return numbers
    places = np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
    numbers[order[places]] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return numbers
