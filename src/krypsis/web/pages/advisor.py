"""The page Advisor: questions that lead to the promise that fits, and all promises there are."""

from collections.abc import Callable
from html import escape

from nicegui import events, run, ui

from krypsis.advisor.choice import CatalogueModel, catalogue
from krypsis.advisor.situation import Situation
from krypsis.kinds.base import Finding
from krypsis.projects import Project
from krypsis.web.parts.advisor_result import Talk, show_result
from krypsis.web.parts.frame import notice, reports_errors, then
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


ANSWERS = ("yes", "no", "unknown")


def show_question(talk: Talk, turn: Callable[[], None]) -> None:
    """Show the open question; ``turn`` shows the page after it."""
    wizard = talk.wizard
    number = len(wizard.path()) + 1
    most = number - 1 + wizard.tree.questions_left(wizard.page)
    with ui.element("section").classes("kr-card kr-stack kr-question").props('aria-labelledby="kr-question"'):
        _progress(number, most)
        title = ui.html(escape(wizard.text.question), sanitize=False, tag="h2").mark("question")
        title.props('id="kr-question" tabindex="-1"')
        ui.label(wizard.text.help)
        ui.label(f"{wizard.texts.words['example']}: {wizard.text.example}").classes("kr-quiet")
        if wizard.finding is not None:
            _evidence(wizard.finding, talk)
        radio = _choices(talk)
        with ui.element("div").classes("kr-actions"):
            _buttons(talk, radio, turn)
    with ui.expansion(say("advisor.why"), icon="help_outline").classes("kr-card kr-fold"):
        ui.label(wizard.text.why)
        for step in wizard.path():
            ui.label(
                f"{wizard.texts.questions[step.question.text].question} {wizard.texts.words[step.answer]}"
            ).classes("kr-quiet")


def _progress(number: int, most: int) -> None:
    ui.label(say("advisor.number", number=number, most=most)).classes("kr-quiet")
    bar = ui.linear_progress((number - 1) / most, show_value=False, size="6px")
    bar.props["aria-label"] = say("advisor.progress")


def _evidence(finding: Finding, talk: Talk) -> None:
    words = talk.wizard.texts.words
    evidence = finding.words(talk.wizard.texts.evidence)
    notice(words["suggested"].format(answer=words[finding.answer], evidence=evidence), "good")


def _choices(talk: Talk) -> ui.radio:
    """Show the answers; the one that the data suggests is chosen."""
    wizard = talk.wizard
    options = {answer: wizard.texts.words[answer].capitalize() for answer in ANSWERS}
    if not wizard.tree.knows_unknown:
        options.pop("unknown")
    radio = ui.radio(options, value=wizard.finding.answer if wizard.finding else None).props("inline size=lg")
    radio.props["aria-labelledby"] = "kr-question"
    return radio.classes("kr-answers")


def _buttons(talk: Talk, radio: ui.radio, turn: Callable[[], None]) -> None:
    following = ui.button(
        say("advisor.next"), icon="arrow_forward", on_click=then(lambda: talk.answer(radio.value), turn)
    )
    following.props("no-caps unelevated color=primary").bind_enabled_from(
        radio, "value", lambda value: value is not None
    )
    if talk.wizard.finding is not None:
        follow = ui.button(say("advisor.follow"), icon="fast_forward", on_click=then(talk.follow_data, turn))
        follow.props("no-caps outline color=primary")
    if talk.wizard.path():
        ui.button(say("advisor.back"), icon="arrow_back", on_click=then(talk.back, turn)).props("no-caps flat")
        ui.button(say("advisor.restart"), icon="replay", on_click=then(talk.restart, turn)).props("no-caps flat")
