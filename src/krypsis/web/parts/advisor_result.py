"""The result of the advisor: what to promise, and why, ready to be written into the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape

from nicegui import ui

from krypsis.advisor import Advice
from krypsis.advisor.choice import ChosenParameter
from krypsis.advisor.plan_edit import edited_plan, plan_lines
from krypsis.advisor.promise import Proposal, as_promised_before, is_available, proposal
from krypsis.advisor.results import THREATS
from krypsis.errors import KrypsisError
from krypsis.plan import Plan
from krypsis.web.parts.actions import next_step
from krypsis.web.parts.advisor_talk import Talk
from krypsis.web.parts.notices import notice, then, told
from krypsis.web.texts import say


def show_result(talk: Talk, turn: Callable[[], None]) -> None:
    """Show the advice; ``turn`` shows another page."""
    plan = talk.project.plan()
    advice = as_promised_before(talk.wizard.result(), plan.models())
    words = talk.wizard.texts.words
    with ui.element("section").classes("kr-card kr-stack kr-question").props('aria-labelledby="kr-question"'):
        title = words["result"].format(title=advice.title)
        ui.html(escape(title), sanitize=False, tag="h2").props('id="kr-question" tabindex="-1"')
        ui.label(advice.promise).classes("kr-lead")
        _threats(advice, talk)
        for warning in (*advice.warnings, *advice.assumptions):
            notice(warning, "warn")
        _promising(advice, plan, talk)
        with ui.element("div").classes("kr-actions"):
            _way_back(talk, turn)
    _more(advice, words)


def _threats(advice: Advice, talk: Talk) -> None:
    """Show what is protected from, also by what is promised besides, and what is not."""
    words, threats = talk.wizard.texts.words, talk.wizard.texts.threats
    by = {threat: one.title for one in reversed((advice, *advice.complements)) for threat in one.threats}
    covered = [f"{threats[one]} ({by[one]})" if advice.complements else threats[one] for one in THREATS if one in by]
    with ui.element("div").classes("kr-two"):
        _listed(words["protects"], covered, "check", "kr-mark-good")
        _listed(words["not-protects"], [threats[one] for one in THREATS if one not in by], "close", "kr-mark-bad")


def _listed(title: str, lines: Iterable[str], icon: str, mark: str) -> None:
    with ui.element("div"):
        ui.html(escape(title), sanitize=False, tag="h3")
        for line in lines:
            with ui.row().classes("kr-line"):
                ui.icon(icon).classes(mark).props('aria-hidden="true"')
                ui.label(line)


def _promising(advice: Advice, plan: Plan, talk: Talk) -> None:
    """Show the parameters, and below them what the plan will say with them."""
    values: dict[str, str] = {}
    parameters: dict[str, ChosenParameter] = {}
    for one in (one for choice in (advice, *advice.complements) for one in choice.parameters):
        parameters.setdefault(one.name, one)

    @ui.refreshable
    def outcome() -> None:
        try:
            _outcome(advice.with_values(values), plan, talk)
        except KrypsisError as error:
            notice(str(error))

    def change(name: str, value: str) -> None:
        values[name] = value.strip()
        if not values[name]:
            del values[name]
        outcome.refresh()

    with ui.element("div").classes("kr-fields"):
        for one in sorted(parameters.values(), key=lambda one: one.optional):
            _field(one, change)
    outcome()


def _field(one: ChosenParameter, change: Callable[[str, str], None]) -> None:
    field = ui.input(one.name, value=one.value or "", on_change=lambda event: change(one.name, event.value or ""))
    field.props("outlined dense debounce=300 bottom-slots").classes("kr-field")
    field.props["hint"] = one.meaning


def _outcome(advice: Advice, plan: Plan, talk: Talk) -> None:
    schema = plan.task().schema if plan.kind == "table" else None
    found = proposal(advice, schema, plan.kind)
    if found is None:
        _not_possible(advice, plan)
        return
    ui.label(say("advisor.will-say")).classes("kr-quiet")
    ui.html(escape(plan_lines(found.promises, found.algorithm)), sanitize=False, tag="pre").classes("kr-code")
    if left := [one.title for one in advice.complements if one.spec not in found.promises]:
        notice(say("advisor.left-out", titles=", ".join(left)), "warn")
    actions = ui.element("div").classes("kr-actions")

    def write() -> None:
        _write(found, advice, talk)
        actions.clear()
        with actions:
            notice(say("advisor.written"), "good")
            next_step(talk.project, "plan")
            next_step(talk.project, "run").props("outline")

    with actions:
        button = ui.button(say("advisor.write"), icon="edit_note", on_click=told(write))
        button.props("no-caps unelevated color=primary")


def _write(found: Proposal, advice: Advice, talk: Talk) -> None:
    note = f"{talk.wizard.texts.words['advised']}: {advice.title}"
    talk.project.write_plan(edited_plan(talk.project.plan_text, found.promises, found.algorithm, note))


def _not_possible(advice: Advice, plan: Plan) -> None:
    if is_available(advice, plan.kind):
        notice(say("advisor.value-needed", names=", ".join(advice.missing)), "warn")
        return
    near = say("advisor.nearest", specs=", ".join(advice.nearest)) if advice.nearest else say("advisor.nothing-near")
    notice(f"{say('advisor.not-there', model=advice.title)} {near}", "warn")


def _way_back(talk: Talk, turn: Callable[[], None]) -> None:
    for name, icon, action in (("back", "arrow_back", talk.back), ("restart", "replay", talk.restart)):
        ui.button(say(f"advisor.{name}"), icon=icon, on_click=then(action, turn)).props("no-caps flat")


def _more(advice: Advice, words: dict[str, str]) -> None:
    besides = {
        "limits": [advice.limits],
        "algorithm": [advice.algorithm],
        "complements": [f"{one.title}: {one.promise}" for one in advice.complements],
        "alternatives": [f"{one.title}: {one.promise}" for one in advice.alternatives],
        "path": [f"{step.text} {words[step.answer]}" for step in advice.path],
        "references": [one.work for one in advice.references],
    }
    for name, lines in besides.items():
        if lines:
            with ui.expansion(words[name]).classes("kr-card kr-fold"):
                for line in lines:
                    ui.label(line).classes("kr-paragraph")
