"""Exploring the solution space of the plan of a project."""

from typing import Any

from krypsis import registry
from krypsis.kinds.table.exploration import explore_task
from krypsis.progress import Interrupted, Progress
from krypsis.projects import Project
from krypsis.projects.exploration import keep_exploration, state_of

METRICS = ("loss", "precision", "discernibility", "average-class-size")
"""What every node is measured by, besides the metric of the plan."""


def run(project: Project, progress: Progress) -> dict[str, Any]:
    """Judge the nodes of the plan's lattice, keep them in the project and return how many there are."""
    made_of = state_of(project)
    plan = project.table_plan()
    plan.check()
    progress.phase("read")
    metrics = [registry.create("metric", name) for name in METRICS]
    space = explore_task(plan.bind(plan.read_data()), metrics=metrics, progress=progress)
    if progress.wants_stop():
        raise Interrupted(f"interrupted after {space.nodes.height:,} of {space.size:,} nodes; nothing was kept")
    keep_exploration(project, space, made_of)
    feasible = int(space.nodes["feasible"].sum())
    return {"nodes": space.size, "judged": space.nodes.height, "feasible": feasible, "complete": space.complete}
