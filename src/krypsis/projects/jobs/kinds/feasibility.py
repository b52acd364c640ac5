"""Asking the search whether a release keeps the promises of the plan; nothing is written."""

from typing import Any

from krypsis.plan.trial import SECONDS, try_plan
from krypsis.progress import Interrupted, Progress
from krypsis.projects import Project
from krypsis.projects.exploration import state_of


def run(project: Project, progress: Progress, *, seconds: float = SECONDS) -> dict[str, Any]:
    """Return whether there is a feasible solution, or ``None`` where the time was not enough, and why there is none.

    Parameters
    ----------
    project, progress
        whose plan is tried, and who follows it.
    seconds
        after which the search stops.
    """
    made_of = state_of(project)
    trial = try_plan(project.plan(), seconds=seconds, progress=progress)
    if progress.wants_stop():
        raise Interrupted("the question was withdrawn")
    return {"feasible": trial.feasible, "reason": trial.reason, "made_of": made_of}
