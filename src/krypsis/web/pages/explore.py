"""The page Explore: all solutions with their risk and their loss; pick another one, compare two."""

from __future__ import annotations

from nicegui import run, ui

from krypsis.projects import Project
from krypsis.projects.exploration import explored
from krypsis.projects.jobs import Job
from krypsis.web.parts.explore_view import ExploreView, summary
from krypsis.web.parts.notices import notice, reports_errors
from krypsis.web.parts.progress import follow
from krypsis.web.served import served
from krypsis.web.texts import say


async def show(project: Project) -> None:
    """Show the page."""
    ui.label(say("explore.lead")).classes("kr-lead")
    jobs = [job for job in served().queue.jobs(project) if job.kind == "explore"]
    if jobs and not jobs[0].is_over:
        follow(project, jobs[0], lambda _: ui.navigate.reload())
        return
    found = await run.io_bound(explored, project)
    _tell_failure(jobs)
    if found is None:
        _begin(project, say("explore.begin"))
        return
    if not found.is_current:
        notice(say("explore.outdated"), "warn")
        _begin(project, say("explore.again"))
    ui.label(summary(found.space))
    if not found.space.complete:
        ui.label(say("explore.incomplete")).classes("kr-quiet")
    await ExploreView(project, found.space).show()


def _tell_failure(jobs: list[Job]) -> None:
    """Say why the last attempt came to nothing."""
    if jobs and jobs[0].state == "cancelled":
        notice(say("explore.cancelled"), "warn")
    elif jobs and jobs[0].state != "done":
        notice(jobs[0].error or jobs[0].state)


def _begin(project: Project, text: str) -> None:
    def begin() -> None:
        served().queue.submit(project, "explore")
        ui.navigate.reload()

    ui.button(text, icon="scatter_plot", on_click=reports_errors(begin)).props(
        "no-caps unelevated color=primary"
    ).classes("kr-fit")
