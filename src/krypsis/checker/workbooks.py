"""Workbooks of other tools: what they publish besides the table that is judged."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from krypsis.io.read import unread_of
from krypsis.io.workbook_extras import Extras
from krypsis.models.verdict import Verdict


def judged_in_part(published: Iterable[Any], verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Return the verdicts on published files, undecided where a workbook publishes more than the table that was judged.

    Parameters
    ----------
    published
        files and frames; only workbooks among them matter.
    verdicts
        on the tables that were read from them. A broken promise stays broken.
    """
    files = [Path(one) for one in published if isinstance(one, str | os.PathLike)]
    reasons = [reason for file in files if (extras := unread_of(file)) and (reason := _not_judged(extras))]
    return tuple(_undecided(verdict, " ".join(reasons)) for verdict in verdicts) if reasons else tuple(verdicts)


def _not_judged(extras: Extras) -> str:
    """Say what was published and not judged; empty if there is nothing."""
    parts = [*extras.not_read()]
    if extras.formulas:
        parts.append("formulas, of which only the stored values were judged")
    if not extras.is_examined:
        parts.append("possibly comments and formulas, which are examined in .xlsx and .xlsm files only")
    if not parts:
        return ""
    return f"{extras.name} also publishes what was not judged: {'; '.join(parts)}. Publish the table alone, as CSV."


def _undecided(verdict: Verdict, reason: str) -> Verdict:
    if verdict.holds is not True:
        return verdict.model_copy(update={"sentence": f"{verdict.sentence} {reason}"})
    found = f"Undecided: {reason} The table itself: {verdict.sentence}"
    return verdict.model_copy(update={"holds": None, "sentence": found})
