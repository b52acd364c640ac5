"""Fields for what a model needs besides its parameters: files, columns, values to confirm."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui
from nicegui.elements.upload_files import FileUpload

from krypsis.advisor import Advice
from krypsis.advisor.domains import proposed_domains
from krypsis.advisor.needs import ACCEPT, Need, needs_of
from krypsis.errors import shorten
from krypsis.projects.uploads import receive
from krypsis.web.parts.advisor_talk import Talk
from krypsis.web.parts.notices import notice, told
from krypsis.web.parts.uploads import TABLES, file_drop
from krypsis.web.served import served
from krypsis.web.texts import say

Change = Callable[[str, str], Awaitable[None]]

FILES = ("population", "tables", "beside")
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
    columns = list(talk.situation.table.dataset.frame.columns)
    field = ui.select(columns, label=need.name, value=need.suggestion, with_input=True, clearable=True)
    field.props("outlined dense bottom-slots").classes("kr-field").props["hint"] = question
    field.on_value_change(told(lambda event: change(need.name, event.value or "")))


def _domains(talk: Talk, change: Change) -> None:
    """Show the proposed values of every column once, to be confirmed all together."""
    texts = talk.wizard.texts
    for one in proposed_domains(talk.situation.plan, talk.situation.table).values():
        source = texts.words[f"source-{one.source}"]
        line = texts.words["domain-line"].format(column=one.column, labels=shorten(one.labels, 12), source=source)
        ui.label(line).classes("kr-quiet")
    notice(say("advisor.domains-text"), "warn")
    confirmed = ui.checkbox(say("advisor.domains-confirm"))
    confirmed.on_value_change(told(partial(_confirmed, change)))


async def _confirmed(change: Change, event: object) -> None:
    await change("domains", ACCEPT if getattr(event, "value", False) else "")
