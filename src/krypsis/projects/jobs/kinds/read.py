"""Reading the data file of a project: its table, its profile and a first plan."""

from __future__ import annotations

from typing import Any

from krypsis.progress import Progress
from krypsis.projects import Project, Reading, take_in


def run(
    project: Project,
    progress: Progress,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> dict[str, Any]:
    """Take the data in and return how large it is."""
    profile = take_in(project, Reading(delimiter, encoding, sheet), progress)
    return {"rows": profile.rows, "columns": len(profile.columns)}
