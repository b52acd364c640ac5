"""How far a job has come, and a way to stop it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from nicegui import ui

from krypsis.errors import KrypsisError
from krypsis.projects import Project
from krypsis.projects.jobs import Job
from krypsis.web.parts.frame import reports_errors
from krypsis.web.served import served
from krypsis.web.texts import catalogue, language, say

EVERY = 0.5
"""Seconds between two looks."""


def follow(project: Project, job: Job, on_end: Callable[[Job], Any]) -> None:
    """Show a job until it is over, also one that began long before this page was opened."""

    def cancel() -> None:
        served().queue.cancel(project, job.id)
        stop.disable()
        phase.set_text(say("frame.cancelling"))

    async def look() -> None:
        try:
            now = served().queue.job(project, job.id)
        except KrypsisError:  # the project was deleted meanwhile, elsewhere
            timer.deactivate()
            ui.navigate.to("/")
            return
        if now.is_over:
            timer.deactivate()
            await reports_errors(on_end)(now)
        elif stop.enabled:
            phase.set_text(_phase(now))
            facts.set_text(_facts(now))

    with ui.element("section").classes("kr-card kr-stack").props(f'aria-label="{say("frame.progress")}"'):
        phase = ui.label(_phase(job)).props('role="status" aria-live="polite"').classes("kr-phase")
        ui.linear_progress(show_value=False).props(f'indeterminate rounded aria-label="{say("frame.progress")}"')
        facts = ui.label(_facts(job)).classes("kr-quiet")
        stop = ui.button(say("frame.cancel"), icon="stop", on_click=reports_errors(cancel)).props(
            "no-caps outline color=negative"
        )
        stop.classes("kr-fit")
    timer = ui.timer(EVERY, look)


def _phase(job: Job) -> str:
    key = f"frame.phase-{job.phase or job.state}"
    return say(key) if key in catalogue(language()) else job.phase


def _facts(job: Job) -> str:
    since = (datetime.now(UTC) - (job.started or job.created)).total_seconds()
    facts = [say("frame.seconds", seconds=f"{since:,.0f}")]
    if job.judged:
        facts.append(say("frame.judged", nodes=f"{job.judged:,}"))
    if job.best is not None:
        facts.append(say("frame.best", score=f"{job.best:.6g}"))
    return " · ".join(facts)
