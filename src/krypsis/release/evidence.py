"""The evidence of a run: what a report needs to compare before with after. It stays in memory."""

from __future__ import annotations

from dataclasses import dataclass

from krypsis.frequency import FrequencySet
from krypsis.outcome import Outcome
from krypsis.recoding import Recoding


@dataclass(frozen=True, eq=False)
class Evidence:
    """The table before (as a frequency set), the recoding, and the figures of the result."""

    frequency: FrequencySet
    recoding: Recoding
    outcome: Outcome
