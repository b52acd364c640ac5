"""Tuples of the population that no record of the table has: searches count them, what is published does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from krypsis.frequency import FrequencySet
from krypsis.groups import Histogram, IntArray
from krypsis.recoding import CellRecoding, Recoding


def without_strangers(frequency: FrequencySet, recoding: Recoding) -> tuple[FrequencySet, Recoding]:
    """Return both without the tuples that no record has."""
    kept = np.flatnonzero(frequency.counts)
    place = np.cumsum(frequency.counts > 0) - 1
    own = replace(
        frequency,
        codes=frequency.codes[kept],
        counts=frequency.counts[kept],
        population=None,
        sensitive={name: _moved(histogram, place) for name, histogram in frequency.sensitive.items()},
        combined={names: _moved(histogram, place) for names, histogram in frequency.combined.items()},
    )
    if isinstance(recoding, CellRecoding):
        return own, replace(recoding, released=recoding.released[kept], suppressed=recoding.suppressed[kept])
    return own, replace(recoding, suppressed=recoding.suppressed[kept])


def _moved(histogram: Histogram, place: IntArray) -> Histogram:
    return replace(histogram, group=place[histogram.group])
