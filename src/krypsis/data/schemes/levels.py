"""The levels of a recoding, as far as it has any."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import BoolArray
from krypsis.data.frequency import FrequencySet
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import CellRecoding, Codebook, FullDomain, Recoding


def levels_of(recoding: Recoding, frequency: FrequencySet) -> dict[str, int]:
    """Return the level of each attribute whose cells all went to the same one; other attributes are left out.

    Suppressed records do not count. Where two levels look the same, the lower one is told.

    Examples
    --------
    >>> sex = Hierarchy.from_rows([["male", "*"], ["female", "*"]])
    >>> people = FrequencySet(("sex",), (sex,), np.array([[0], [1]], dtype=np.int32), np.array([5, 1]))
    >>> levels_of(FullDomain((1,), np.zeros(2, dtype=np.bool_)), people)
    {'sex': 1}
    """
    if isinstance(recoding, FullDomain):
        return dict(zip(frequency.attributes, recoding.levels, strict=True))
    kept = ~recoding.suppressed
    levels = {
        name: _level(recoding, position, hierarchy, frequency, kept)
        for position, (name, hierarchy) in enumerate(zip(frequency.attributes, frequency.hierarchies, strict=True))
    }
    return {name: level for name, level in levels.items() if level is not None}


def _level(
    recoding: CellRecoding, position: int, hierarchy: Hierarchy, frequency: FrequencySet, kept: BoolArray
) -> int | None:
    book = recoding.codebooks[position]
    keys = frequency.codes[kept, position] * np.int64(len(book.labels)) + recoding.released[kept, position]
    pairs = [divmod(key, len(book.labels)) for key in np.unique(keys).tolist()]
    return next((level for level in range(hierarchy.height + 1) if _fits(pairs, book, hierarchy, level)), None)


def _fits(pairs: list[tuple[int, int]], book: Codebook, hierarchy: Hierarchy, level: int) -> bool:
    """Say whether every value is published as its label at the level."""
    labels, codes = hierarchy.labels[level], hierarchy.table[level]
    return all(labels[codes[value]] == book.labels[label] for value, label in pairs)
