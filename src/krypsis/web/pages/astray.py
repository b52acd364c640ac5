"""The pages of those who went astray: addresses that lead nowhere, and pages that failed."""

from __future__ import annotations

from fastapi import Request
from fastapi.exception_handlers import http_exception_handler
from fastapi.responses import Response
from nicegui import Client, app, ui
from starlette.exceptions import HTTPException

from krypsis.web.parts.frame import frame
from krypsis.web.parts.notices import notice
from krypsis.web.security import UNCHANGING, place_of
from krypsis.web.texts import say


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
    """Tell that a page failed, and where; the message of another library may hold values of the data."""
    with frame(say("frame.failed")):
        notice(say("frame.failed-text", place=place_of(error)))
        ui.link(say("frame.home"), "/")
