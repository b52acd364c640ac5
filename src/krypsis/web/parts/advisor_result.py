"""The result of the advisor: what to promise, and why, ready to be written into the plan."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from html import escape

from nicegui import run, ui
from nicegui.elements.upload_files import FileUpload

from krypsis.advisor import Advice
from krypsis.advisor.choice import Choice, ChosenParameter
from krypsis.advisor.domains import proposed_domains
from krypsis.advisor.needs import ACCEPT, Need, needs_of
from krypsis.advisor.promise import values_promised_before
from krypsis.advisor.results import THREATS
from krypsis.advisor.settlement import Settlement, Settler
from krypsis.errors import KrypsisError, shorten
from krypsis.plan.plan_text import choice_lines
from krypsis.projects.new_data import receive
from krypsis.web.parts.advisor_question import ways_back
from krypsis.web.parts.advisor_talk import Questions, Talk
from krypsis.web.parts.frame import next_step, notice, reports_errors
from krypsis.web.parts.uploads import TABLES, file_drop
from krypsis.web.served import served
from krypsis.web.texts import say

Change = Callable[[str, str], Awaitable[None]]

FILES = ("population", "tables", "private_columns")
FOLDER = "tables"
"""The folder of a project for tables that a plan needs besides its data."""


def show_needs(advice: Advice, talk: Talk, change: Change) -> None:
    """Show a field for each need; ``change`` hears what is said."""
    for need in needs_of(advice, talk.situation):
        if need.is_parameter:
            continue
        question = talk.wizard.texts.needs[need.name]
        with ui.element("div").classes("kr-stack").mark(f"need-{need.name}"):
            if need.name in FILES:
                _file(need, question, talk, change)
            elif need.name == "domains":
                _domains(talk, change)
            elif talk.situation.schema is None:
                _text(need, question, change)
            else:
                _column(need, question, talk, change)


def _file(need: Need, question: str, talk: Talk, change: Change) -> None:
    chosen = ui.label(need.suggestion or "").classes("kr-quiet")

    async def take(file: FileUpload) -> None:
        largest = served().settings.largest_upload
        place = await receive(talk.project, file.name, file.iterate(), largest, FOLDER)
        chosen.set_text(place.name)
        await change(need.name, f"{FOLDER}/{place.name}")

    file_drop(f"{need.name}: {question}", take, TABLES)


def _column(need: Need, question: str, talk: Talk, change: Change) -> None:
    columns = list(talk.situation.table.dataset.columns)
    field = ui.select(columns, label=need.name, value=need.suggestion, with_input=True, clearable=True)
    field.props("outlined dense bottom-slots").classes("kr-field").props["hint"] = question
    field.on_value_change(reports_errors(lambda event: change(need.name, event.value or "")))


def _text(need: Need, question: str, change: Change) -> None:
    field = ui.input(need.name, value=need.suggestion or "").props("outlined dense bottom-slots debounce=800")
    field.classes("kr-field-wide").props["hint"] = question
    field.on_value_change(reports_errors(lambda event: change(need.name, event.value or "")))


def _domains(talk: Talk, change: Change) -> None:
    """Show the proposed values of every column once, to be confirmed all together."""
    texts = talk.wizard.texts
    for one in proposed_domains(talk.situation.table_plan, talk.situation.table).values():
        source = texts.words[f"source-{one.source}"]
        line = texts.words["domain-line"].format(column=one.column, labels=shorten(one.labels, 12), source=source)
        ui.label(line).classes("kr-quiet")
    notice(say("advisor.domains-text"), "warn")
    confirmed = ui.checkbox(say("advisor.domains-confirm"))
    confirmed.on_value_change(reports_errors(partial(_confirmed, change)))


async def _confirmed(change: Change, event: object) -> None:
    await change("domains", ACCEPT if getattr(event, "value", False) else "")


SECONDS = 10.0
"""How long the search may take for each trial on the page."""


def show_result(talk: Talk, turn: Callable[[], None]) -> None:
    """Show the advice; ``turn`` shows another page."""
    advice = talk.wizard.result()
    words = talk.wizard.texts.words
    with ui.element("section").classes("kr-card kr-stack kr-question").props('aria-labelledby="kr-question"'):
        title = words["result"].format(title=advice.title)
        ui.html(escape(title), sanitize=False, tag="h2").props('id="kr-question" tabindex="-1"')
        ui.label(advice.promise).classes("kr-lead")
        show_threats(advice, talk)
        for warning in (*advice.warnings, *advice.assumptions):
            notice(warning, "warn")
        _Settling(advice, talk)
        with ui.element("div").classes("kr-actions"):
            ways_back(talk, turn)
    show_details(advice, words)


def show_threats(advice: Advice, talk: Questions) -> None:
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


class _Settling:
    """The parameters and what else the model needs, and below them what the plan will say with them.

    The search is asked in the background after each change; an answer that a later change has overtaken is dropped.
    """

    def __init__(self, advice: Advice, talk: Talk) -> None:
        self.talk = talk
        self.given = values_promised_before(advice, talk.situation.plan.models())
        self.advice = advice.with_known_values(self.given)
        self.asked = 0
        with ui.element("div").classes("kr-fields"):
            for one in sorted(self._parameters().values(), key=lambda one: one.optional):
                _field(one, self.change)
        show_needs(self.advice, talk, self.change)
        self.place = ui.element("div").classes("kr-stack").mark("settlement")
        ui.timer(0, reports_errors(self.settle), once=True)

    def _parameters(self) -> dict[str, ChosenParameter]:
        found: dict[str, ChosenParameter] = {}
        for one in (one for choice in (self.advice, *self.advice.complements) for one in choice.parameters):
            found.setdefault(one.name, one)
        return found

    async def change(self, name: str, value: str) -> None:
        """Hear what the visitor said about a parameter or a need, and ask the search again."""
        self.given[name] = value.strip()
        if not self.given[name]:
            del self.given[name]
        await self.settle()

    async def settle(self) -> None:
        """Ask what the advice comes to, and show it."""
        self.asked += 1
        number = self.asked
        self.place.clear()
        with self.place, ui.row().classes("items-center"):
            ui.spinner()
            ui.label(self.talk.wizard.texts.words["searching"]).props('role="status"')
        settled, problem = await self._asked_search()
        if number != self.asked or self.place.is_deleted:
            return
        self.place.clear()
        with self.place:
            if problem:
                notice(problem)
            elif settled is not None:
                _show(settled, self.talk, self.change)

    async def _asked_search(self) -> tuple[Settlement | None, str]:
        try:
            self.advice.check_values(self.given)
            settler = Settler(self.talk.situation, self.talk.wizard.texts, dict(self.given), False, SECONDS)
            return await run.io_bound(settler.settle, self.advice), ""
        except KrypsisError as error:
            return None, str(error)


def _field(one: ChosenParameter, change: Callable[[str, str], object]) -> None:
    field = ui.input(
        one.name, value=one.value or "", on_change=reports_errors(lambda event: change(one.name, event.value or ""))
    )
    field.props("outlined dense debounce=300 bottom-slots").classes("kr-field")
    field.props["hint"] = one.meaning


def _show(settled: Settlement, talk: Talk, change: Change) -> None:
    """Show what goes into the plan, what is missing, or why it cannot be had and what comes next."""
    words = talk.wizard.texts.words
    if settled.change is not None:
        _offer(settled, talk, say("advisor.will-say"), say("advisor.write"))
        return
    if settled.lacks:
        names = ", ".join(need.name for need in settled.lacks)
        notice(say("advisor.value-needed", names=names), "warn")
    else:
        notice(words["cannot"].format(model=settled.advice.title, reason=settled.reason), "warn")
    instead = settled.instead
    if instead is None:
        if not settled.lacks:
            notice(words["nothing-near"], "warn")
    elif instead.change is None:
        names = ", ".join(need.name for need in instead.lacks)
        notice(words["next-best-lacks"].format(title=instead.advice.title, names=names), "warn")
        show_needs(instead.advice, talk, change)
    else:
        _offer(instead, talk, words["next-best"].format(title=instead.advice.title), say("advisor.write-next-best"))


def _offer(settled: Settlement, talk: Talk, intro: str, label: str) -> None:
    """Show the lines of the plan, what to know about them, and the button that writes them."""
    if settled.change is None:
        return
    words = talk.wizard.texts.words
    ui.label(intro).classes("kr-quiet")
    lines = choice_lines(settled.change.promises, settled.change.algorithm)
    ui.html(escape(lines), sanitize=False, tag="pre").classes("kr-code")
    is_known = settled.trial.feasible is True
    notice(words["feasible" if is_known else "not-tried"], "good" if is_known else "warn")
    for note in settled.notes:
        notice(note, "warn")
    _listed(words["unprotected"], settled.unprotected, "close", "kr-mark-bad")
    if left := [one.title for one in settled.advice.complements if one.spec not in settled.change.promises]:
        notice(say("advisor.left-out", titles=", ".join(left)), "warn")
    _writing(settled, talk, label)


def _writing(settled: Settlement, talk: Talk, label: str) -> None:
    actions = ui.element("div").classes("kr-actions")

    def write() -> None:
        if settled.change is None:
            return
        note = f"{talk.wizard.texts.words['advised']}: {settled.advice.title}"
        talk.project.write_plan(settled.change.applied_to(talk.project.plan_text, note))
        actions.clear()
        with actions:
            notice(say("advisor.written"), "good")
            next_step(talk.project, "plan")
            next_step(talk.project, "run").props("outline")

    with actions:
        button = ui.button(label, icon="edit_note", on_click=reports_errors(write))
        button.props("no-caps unelevated color=primary")


def show_details(advice: Advice, words: dict[str, str]) -> None:
    """Show in folds what else there is to know about an advice."""
    besides = {
        "limits": [advice.limits],
        "algorithm": [advice.algorithm],
        "complements": [f"{one.title}: {one.promise}" for one in advice.complements],
        "alternatives": [f"{one.title}: {one.promise}" for one in advice.alternatives],
        "path": [f"{step.text} {words[step.answer]}" for step in advice.path],
    }
    for name, lines in besides.items():
        if lines:
            with ui.expansion(words[name]).classes("kr-card kr-fold"):
                for line in lines:
                    ui.label(line).classes("kr-paragraph")
    with ui.expansion(words["references"]).classes("kr-card kr-fold"):
        show_works(advice)


def show_works(choice: Choice) -> None:
    """Show the works behind a model, each with a link that opens on a page of its own."""
    for one in choice.references:
        with ui.element("div").classes("kr-work"):
            ui.label(one.work)
            if one.link:
                ui.link(one.link, one.link, new_tab=True).props('rel="noopener noreferrer"')
