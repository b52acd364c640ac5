"""Where a table can come from: an upload, a file on the server, a database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import run, ui
from nicegui.elements.upload_files import FileUpload

from krypsis.projects import Project, copy_in, fetch, receive
from krypsis.web.parts.frame import heading
from krypsis.web.parts.notices import reports_errors
from krypsis.web.parts.uploads import TABLES, file_drop
from krypsis.web.served import served
from krypsis.web.texts import say


def show_sources(project: Project) -> None:
    """Show all ways to give this project a table, and how to read one that was not understood."""
    with ui.element("div").classes("kr-two"):
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("data.upload"))
            file_drop(say("data.drop"), lambda file: _take_upload(project, file), TABLES)
        if project.data_file is not None:
            _reading(project)
        if served().settings.allow_paths:  # else a visitor could read what only the owner of the server can
            _path(project)
            _database(project)


async def _take_upload(project: Project, file: FileUpload) -> None:
    await receive(project, file.name, file.iterate(), served().settings.largest_upload)
    _read(project)


def _read(project: Project, **reading: str | None) -> None:
    served().queue.submit(project, "read", **reading)
    ui.navigate.reload()


def _reading(project: Project) -> None:
    """Offer to read the same file in another way."""

    def again() -> None:
        _read(project, **{name: field.value or None for name, field in fields.items()})

    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("data.reading"))
        ui.label(say("data.reading-text")).classes("kr-quiet")
        fields = {name: ui.input(say(f"data.{name}")).props("dense") for name in ("delimiter", "encoding", "sheet")}
        _button(say("data.again"), again)


def _path(project: Project) -> None:
    async def take() -> None:
        await run.io_bound(copy_in, project, place.value)
        _read(project)

    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("data.path"))
        ui.label(say("data.path-text")).classes("kr-quiet")
        place = ui.input(say("data.path-name"), placeholder="~/patients.csv").props("dense")
        _button(say("data.take"), take)


def _database(project: Project) -> None:
    async def take() -> None:
        await run.io_bound(fetch, project, url.value, table.value)
        _read(project)

    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("data.database"))
        ui.label(say("data.database-text")).classes("kr-quiet")
        url = ui.input(say("data.url"), password=True, password_toggle_button=True).props("dense autocomplete=off")
        table = ui.input(say("data.table")).props("dense")
        _button(say("data.take"), take)


def _button(text: str, action: Callable[[], Any]) -> None:
    ui.button(text, on_click=reports_errors(action)).props("no-caps unelevated color=primary").classes("kr-fit")
