"""The pages of the web app: those of a project are found by the names of the steps, one file each."""

import inspect
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any
from urllib.parse import quote

from fastapi.responses import RedirectResponse
from nicegui import ui

from krypsis.errors import KrypsisError
from krypsis.projects import Project
from krypsis.web.pages import start
from krypsis.web.pages.start import add_ways_back, missing
from krypsis.web.pages.wizard import add_wizard
from krypsis.web.parts.frame import STEPS, address, frame, is_open, notice
from krypsis.web.served import served
from krypsis.web.texts import say

PATIENCE = 30.0
"""Seconds that a page may take on a busy machine before it is given up."""
Show = Callable[[Project], Awaitable[None] | None]


def add_pages() -> None:
    """Make all pages known to the server of this process."""
    add_ways_back()
    ui.page("/")(start.show)
    add_wizard()
    ui.page("/projects/{name}")(_project)
    for step in STEPS:
        show: Show = import_module(f"{__name__}.{step}").show
        ui.page(f"/projects/{{name}}/{step}", response_timeout=PATIENCE)(_page(step, show))


def _project(name: str) -> RedirectResponse:
    """Lead from the address of a project to its first page."""
    return RedirectResponse(address(quote(name, safe=""), STEPS[0]))


def _page(step: str, show: Show) -> Callable[[str], Any]:
    async def page(name: str) -> None:
        try:
            project = served().workspace.project(name)
        except KrypsisError as error:
            missing(str(error))
            return
        if not is_open(project, step):
            ui.navigate.to(address(name, "data"))
            return
        with frame(say(f"{step}.title"), project, step):
            try:
                shown = show(project)
                if inspect.isawaitable(shown):
                    await shown
            except KrypsisError as error:
                notice(str(error))

    return page
