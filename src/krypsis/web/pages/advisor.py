"""The page Advisor: questions that lead to the promise that fits, and all promises there are."""

from html import escape

from nicegui import events, run, ui

from krypsis.advisor.choice import CatalogueModel, catalogue
from krypsis.advisor.situation import Situation
from krypsis.projects import Project
from krypsis.web.parts.advisor_question import show_question, tree_switch
from krypsis.web.parts.advisor_result import show_result
from krypsis.web.parts.advisor_talk import Talk
from krypsis.web.parts.frame import reports_errors
from krypsis.web.texts import language, say


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
        tree_switch(talk, turn)
        if talk.wizard.is_done:
            show_result(talk, turn)
        else:
            show_question(talk, turn)

    def turn() -> None:
        page.refresh()
        ui.run_javascript("document.getElementById('kr-question')?.focus()")  # readers of screens hear the new page

    page()


def show_catalogue() -> None:
    """Show all models in a fold that is filled when it is opened."""
    with ui.expansion(say("advisor.catalogue"), icon="menu_book").classes("kr-card kr-fold") as fold:
        place = ui.element("div").classes("kr-stack")

    def fill(event: events.ValueChangeEventArguments[bool]) -> None:
        if event.value and not place.default_slot.children:
            with place:
                _catalogue()

    fold.on_value_change(fill)


def _catalogue() -> None:
    entries = catalogue(language())
    search = ui.input(say("advisor.search")).props("outlined dense clearable debounce=200").classes("kr-field")

    @ui.refreshable
    def models() -> None:
        found = [entry for entry in entries if entry.holds(search.value or "")]
        ui.label(say("advisor.found", found=len(found), all=len(entries))).classes("kr-quiet").props('role="status"')
        for entry in found:
            _entry(entry)

    models()
    search.on_value_change(models.refresh)


def _entry(entry: CatalogueModel) -> None:
    with ui.element("article").classes("kr-entry"):
        ui.html(escape(entry.title), sanitize=False, tag="h3")
        if entry.name != entry.title or not entry.is_available:
            name = entry.name if entry.is_available else say("advisor.unavailable", name=entry.name)
            ui.label(name).classes("kr-quiet")
        ui.label(entry.promise)
        ui.label(say("advisor.protects", what=entry.protects)).classes("kr-quiet")
        if entry.leaves_open:
            ui.label(say("advisor.leaves-open", what=entry.leaves_open)).classes("kr-quiet")
        for work in entry.references:
            ui.label(work).classes("kr-work")
