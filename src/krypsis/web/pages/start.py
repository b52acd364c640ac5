"""The first page: all projects, a new one from a file, and the demo."""

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any

from fastapi import Request
from fastapi.exception_handlers import http_exception_handler
from fastapi.responses import Response
from nicegui import Client, app, run, ui
from nicegui.elements.upload_files import FileUpload
from starlette.exceptions import HTTPException

from krypsis.errors import KrypsisError
from krypsis.projects import Project, fill_with_demo, receive
from krypsis.projects.safe_paths import file_name
from krypsis.projects.workspace import LONGEST_TITLE
from krypsis.web.parts.frame import address, ask_before, frame, heading, notice, reports_errors
from krypsis.web.parts.tables import Cell, plain_table
from krypsis.web.parts.uploads import DATA, file_drop
from krypsis.web.security import UNCHANGING, place_of
from krypsis.web.served import served
from krypsis.web.texts import say

COLUMNS = ("name", "created", "records", "releases", "actions")


def show() -> None:
    """Show the page."""
    with frame(say("start.title")):
        ui.label(say("start.lead")).classes("kr-lead")
        with ui.element("div").classes("kr-two"):
            _own_data()
            _demo()
        _advice()
        _projects()
        with ui.element("div").classes("kr-steps-shown"):
            for name in ("look", "protect", "prove"):
                with ui.element("section").classes("kr-stack"):
                    heading(say(f"start.{name}"))
                    ui.label(say(f"start.{name}-text")).classes("kr-quiet")


def _own_data() -> None:
    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("start.own"))
        ui.label(say("start.own-text")).classes("kr-quiet")
        file_drop(say("start.drop"), _begin, DATA)
        if served().settings.allow_paths:
            button = ui.button(say("start.empty"), on_click=reports_errors(_begin_empty))
            button.props("no-caps flat dense").classes("kr-fit")


async def _begin(file: FileUpload) -> None:
    project = await project_of_upload(file)
    served().queue.submit(project, "read")
    ui.navigate.to(address(project.name, "data"))


async def project_of_upload(file: FileUpload) -> Project:
    """Return a new project with a file that was dropped; its data is not read yet."""
    project = served().workspace.create(PurePath(file_name(file.name)).stem[:LONGEST_TITLE])
    try:
        await receive(project, file.name, file.iterate(), served().settings.largest_upload)
    except KrypsisError:
        served().delete(project.name)  # nobody would know what an empty project is for
        raise
    return project


def _begin_empty() -> None:
    project = served().workspace.create(say("start.new"))
    ui.navigate.to(address(project.name, "data"))


def _demo() -> None:
    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("start.demo"))
        ui.label(say("start.demo-text")).classes("kr-quiet")
        button = ui.button(say("start.demo-begin"), icon="play_arrow", on_click=reports_errors(_begin_demo))
        button.props("no-caps unelevated color=primary").classes("kr-fit")


async def _begin_demo() -> None:
    project = served().workspace.create(say("start.demo-name"))
    await run.io_bound(fill_with_demo, project)
    ui.navigate.to(address(project.name, "data"))


def _advice() -> None:
    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("start.advice"))
        ui.label(say("start.advice-text")).classes("kr-quiet")
        ui.link(say("start.advice-begin"), "/advisor")


def _projects() -> None:
    @ui.refreshable  # here, and not for the whole module: it would know the visitors of all times
    def shown() -> None:
        projects = served().workspace.projects()
        if not projects:
            return
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("start.projects"))
            rows = [_row(project, shown.refresh) for project in projects]
            plain_table([say(f"start.{name}") for name in COLUMNS], rows, say("start.projects"), numbers=(2, 3))

    shown()


def _row(project: Project, refresh: Callable[[], Any]) -> Sequence[Cell]:
    title = project.about.title
    page = address(project.name, "result" if project.releases else "data")
    records = "–" if project.records is None else f"{project.records:,}"
    return (
        lambda: ui.link(title, page),
        f"{project.about.created:%Y-%m-%d %H:%M}",
        records,
        str(len(project.releases)),
        lambda: _delete_button(project, refresh),
    )


def _delete_button(project: Project, refresh: Callable[[], Any]) -> None:
    async def delete() -> None:
        await run.io_bound(served().delete, project.name)
        refresh()

    question = say("start.delete-question", title=project.about.title)
    button = ui.button(icon="delete", on_click=ask_before(question, say("start.delete"), delete))
    button.props(f'flat dense round color="negative" aria-label="{say("start.delete")}"').mark(f"delete-{project.name}")


def add_ways_back() -> None:
    """Let addresses that lead nowhere, and pages that failed, show a way back."""
    app.add_exception_handler(404, _nowhere)
    app.on_page_exception(_failed)


def missing(message: str) -> None:
    """Show that something is not there."""
    with frame(say("frame.missing")):
        notice(message)
        ui.link(say("frame.home"), "/")


async def _nowhere(request: Request, error: Exception) -> Response:
    if request.scope["path"].startswith(UNCHANGING) and isinstance(error, HTTPException):
        return await http_exception_handler(request, error)  # asked for by pages, not by people
    with Client(ui.page(""), request=request) as client:
        missing(say("frame.nowhere"))
    return client.build_response(request, 404)


def _failed(error: Exception) -> None:
    """Say that a page failed, and where; the message of another library may hold values of the data."""
    with frame(say("frame.failed")):
        notice(say("frame.failed-text", place=place_of(error)))
        ui.link(say("frame.home"), "/")
