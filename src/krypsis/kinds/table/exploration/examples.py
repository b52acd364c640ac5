"""Examples: what a few records would look like at every level, so that a solution can be seen before it is made."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from krypsis.data.frequency import FrequencySet
from krypsis.data.hierarchies.base import Label

Examples = Mapping[str, tuple[tuple[Label, ...], ...]]
"""Attribute → for each example, its text from level 0 up to the top."""

SHOWN = 6


def examples_of(frequency: FrequencySet, most: int = SHOWN) -> Examples:
    """Return a few of the distinct combinations of a table, evenly chosen, with their text at every level."""
    tuples = len(frequency.own.counts)
    chosen = np.unique(np.linspace(0, tuples - 1, min(most, tuples)).round().astype(np.int64))
    return {
        name: tuple(
            tuple(labels[int(codes[code])] for labels, codes in zip(hierarchy.labels, hierarchy.table, strict=True))
            for code in frequency.codes[chosen, place].tolist()
        )
        for place, (name, hierarchy) in enumerate(zip(frequency.attributes, frequency.hierarchies, strict=True))
    }
