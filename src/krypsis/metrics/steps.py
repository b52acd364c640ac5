"""How many levels values were moved up."""

from __future__ import annotations

from typing import cast

import numpy as np

from krypsis.arrays import FloatArray
from krypsis.data.outcome import CellsOutcome, LevelsOutcome, Outcome


def highest_steps(outcome: Outcome) -> FloatArray:
    """Return for each attribute how many levels its most general published value was moved up."""
    if isinstance(outcome, LevelsOutcome):
        return np.array(outcome.levels, dtype=np.float64)
    return highest_climbed(cast("CellsOutcome", outcome)) * outcome.frequency.heights


def highest_climbed(outcome: CellsOutcome) -> FloatArray:
    """Return for each attribute the largest share of its hierarchy that a published value has climbed."""
    recoding = outcome.recoding
    # With every record suppressed nothing is published; then what would have been published counts.
    published = ~recoding.suppressed if outcome.group_count else np.ones_like(recoding.suppressed)
    columns = recoding.released[published].T
    return np.array(
        [book.climbed[column].max() for book, column in zip(recoding.codebooks, columns, strict=True)],
    )
