"""One question of the advisor, with all that helps to answer it."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from nicegui import ui

from krypsis.kinds.findings import Finding
from krypsis.web.parts.advisor_talk import Talk
from krypsis.web.parts.notices import notice, then
from krypsis.web.texts import say

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
