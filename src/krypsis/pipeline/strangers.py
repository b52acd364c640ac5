"""Tuples of the population that no record of the table has: searches count them, what is published does not."""

from __future__ import annotations

from dataclasses import replace

from krypsis.frequency import FrequencySet
from krypsis.recoding import CellRecoding, Recoding


def without_strangers(frequency: FrequencySet, recoding: Recoding) -> tuple[FrequencySet, Recoding]:
    """Return both without the tuples that no record has."""
    present = len(frequency.own.counts)
    if isinstance(recoding, CellRecoding):
        recoding = replace(recoding, released=recoding.released[:present])
    return frequency.own, replace(recoding, suppressed=recoding.suppressed[:present])
