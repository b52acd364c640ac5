"""A question of the advisor: what helps to answer it, what the data says, and the way on and back."""

from collections.abc import Callable
from html import escape

from nicegui import ui

from krypsis.advisor.tree import TREES
from krypsis.kinds.base import Finding
from krypsis.web.parts.advisor_talk import Questions
from krypsis.web.parts.frame import notice, then
from krypsis.web.texts import say

ANSWERS = ("yes", "no", "unknown")


def show_question(talk: Questions, turn: Callable[[], None]) -> None:
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


def _evidence(finding: Finding, talk: Questions) -> None:
    words = talk.wizard.texts.words
    evidence = finding.words(talk.wizard.texts.evidence)
    notice(words["suggested"].format(answer=words[finding.answer], evidence=evidence), "good")


def _choices(talk: Questions) -> ui.radio:
    """Show the answers; the one that the data suggests is chosen."""
    wizard = talk.wizard
    options = {answer: wizard.texts.words[answer].capitalize() for answer in ANSWERS}
    if not wizard.tree.knows_unknown:
        options.pop("unknown")
    radio = ui.radio(options, value=wizard.finding.answer if wizard.finding else None).props("inline size=lg")
    radio.props["aria-labelledby"] = "kr-question"
    return radio.classes("kr-answers")


def _buttons(talk: Questions, radio: ui.radio, turn: Callable[[], None]) -> None:
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
        ways_back(talk, turn)


def ways_back(talk: Questions, turn: Callable[[], None]) -> None:
    """Show the buttons that take the last answer back, or all of them."""
    for name, icon, action in (("back", "arrow_back", talk.back), ("restart", "replay", talk.restart)):
        ui.button(say(f"advisor.{name}"), icon=icon, on_click=then(action, turn)).props("no-caps flat")


def tree_switch(talk: Questions, turn: Callable[[], None]) -> None:
    """Show which questions are asked, the extended or the original ones; the others begin anew."""
    names = {name: say(f"advisor.tree-{name}") for name in TREES}
    toggle = ui.toggle(names, value=talk.wizard.tree.name).props("no-caps dense unelevated").mark("tree")
    toggle.props["aria-label"] = say("advisor.trees")
    toggle.on_value_change(lambda event: then(lambda: talk.choose(event.value), turn)())
