"""Carrying out the plan of a project: its next release, checked and with its report."""

import shutil
from typing import Any

from krypsis.errors import UsageError
from krypsis.kinds.publishing import at_levels, audit_log_of, publish
from krypsis.progress import Interrupted, Progress
from krypsis.projects import Project
from krypsis.projects.project import PLAN


def run(project: Project, progress: Progress, *, levels: str | list[int] | None = None) -> dict[str, Any]:
    """Publish into the next free folder and return its number and what was published.

    Parameters
    ----------
    project, progress
        what is worked on, and who follows it.
    levels
        to go to instead of searching: ``0,3,1`` in the order of the plan, or ``age=3,sex=0``.
    """
    if not (project.folder / PLAN).is_file():
        raise UsageError("there is no plan yet; upload a file and read it first, which drafts one")
    plan = project.plan()
    number = max(project.releases, default=0) + 1
    try:
        published = publish(
            plan if levels is None else at_levels(plan, levels), project.release_folder(number), progress
        )
    except Interrupted:
        _remove(project, number)
        raise
    return {"release": number, **published.as_dict()}


def _remove(project: Project, number: int) -> None:
    """Remove what was written before somebody cancelled: who cancels wants no release."""
    folder = project.release_folder(number)
    shutil.rmtree(folder, ignore_errors=True)
    audit_log_of(folder).withdraw(folder.name)
    for leftover in project.inside("releases").glob(f"{number}.*"):
        leftover.unlink(missing_ok=True)
