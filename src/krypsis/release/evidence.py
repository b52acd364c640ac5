"""The evidence of a run: what a report needs to compare before with after. It stays in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from krypsis.checker.original import Original
from krypsis.frequency import FrequencySet
from krypsis.models.base import PrivacyModel
from krypsis.outcome import Outcome
from krypsis.recoding import Recoding

if TYPE_CHECKING:
    from krypsis.release.release import Release


@dataclass(frozen=True, eq=False)
class Evidence:
    """The table before (as a frequency set), the recoding, and the figures of the result."""

    frequency: FrequencySet
    recoding: Recoding
    outcome: Outcome
    population: Original | None = None
    """All people whom the records may be about, where a promise compares with them."""
    most_suppressed: int | None = None
    """How many records the task allowed to suppress; nothing where that was left to the algorithm."""
    levels_allowed: tuple[tuple[int, int], ...] = ()
    """The lowest and the highest level of each attribute that the task allowed; all where nothing is said."""

    @property
    def original(self) -> Original:
        """The quasi-identifiers before, for promises that compare what is published with them."""
        frequency = self.frequency
        rows = np.repeat(np.arange(len(frequency.counts)), frequency.counts)
        columns = [
            pl.Series(f"c{place}", hierarchy.values, dtype=pl.String).gather(frequency.codes[rows, place]).rename(name)
            for place, (name, hierarchy) in enumerate(zip(frequency.attributes, frequency.hierarchies, strict=True))
        ]
        return Original(pl.DataFrame(columns), dict(zip(frequency.attributes, frequency.hierarchies, strict=True)))


def original_for(models: Iterable[PrivacyModel], release: Release) -> Original | None:
    """Return what a release was made from, where a promise needs it and the release was not loaded from its files."""
    if not any(model.needs_original for model in models):
        return None
    return release.original if release.evidence is None else release.evidence.original
