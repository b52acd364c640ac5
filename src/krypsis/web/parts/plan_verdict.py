"""Whether the plan fits the data, and the next step if it does."""

from __future__ import annotations

from nicegui import run, ui

from krypsis.errors import KrypsisError
from krypsis.plan.fitting import Fit, fit_of
from krypsis.projects import Project
from krypsis.web.parts.actions import next_step
from krypsis.web.parts.notices import notice
from krypsis.web.texts import say


class PlanVerdict:
    """What speaks against running the plan; found out anew after each change."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.is_judged = False
        self.place = ui.element("div").classes("kr-verdict").props('role="status"')

    def reload(self) -> None:
        """Judge the plan anew, as soon as there is time."""
        self.is_judged = False

    async def judge(self) -> None:
        """Say whether the plan fits the data, unless that is said already; if it does, offer the next step."""
        if self.is_judged:
            return
        self.is_judged = True
        fit = await run.io_bound(_fit, self.project) or Fit()
        self.place.clear()
        with self.place:
            for problem in fit.problems:
                notice(problem)
            for warning in fit.warnings:
                notice(warning, "warn")
            if not fit.problems:
                notice(say("plan.fits"), "good").classes("kr-grow")
                next_step(self.project, "run")


def _fit(project: Project) -> Fit:
    try:
        return fit_of(project.plan(), project.dataset())
    except KrypsisError as error:
        return Fit((str(error),))
