"""The page Advisor: questions that lead to the promise that fits, and all promises there are."""

from __future__ import annotations

from nicegui import run, ui

from krypsis.advisor.situation import Situation
from krypsis.projects import Project
from krypsis.web.parts.advisor_catalogue import show_catalogue
from krypsis.web.parts.advisor_questions import show_question
from krypsis.web.parts.advisor_result import show_result
from krypsis.web.parts.advisor_talk import Talk
from krypsis.web.parts.notices import reports_errors
from krypsis.web.texts import say


def show(project: Project) -> None:
    """Show the open question, or the result; what the data says about the questions is found out meanwhile."""
    ui.label(say("advisor.intro")).classes("kr-lead")
    project.plan()  # says what is wrong with it, if anything is
    with ui.element("div").classes("kr-stack kr-gap") as place, ui.row().classes("kr-card items-center"):
        ui.spinner()
        ui.label(say("advisor.looking")).props('role="status"')
    show_catalogue()

    async def begin() -> None:
        situation = await run.io_bound(_situation, project)
        if situation is None:  # the server is about to stop
            return
        talk = Talk(project, situation)
        place.clear()
        with place:
            _open_page(talk)

    ui.timer(0, reports_errors(begin), once=True)


def _situation(project: Project) -> Situation:
    situation = Situation.of(project.plan_text, project.folder)
    situation.evidence  # noqa: B018  found out now, so that no page waits for it
    return situation


def _open_page(talk: Talk) -> None:
    @ui.refreshable
    def page() -> None:
        if talk.wizard.is_done:
            show_result(talk, turn)
        else:
            show_question(talk, turn)

    def turn() -> None:
        page.refresh()
        ui.run_javascript("document.getElementById('kr-question')?.focus()")  # readers of screens hear the new page

    page()
