"""The headers of every answer."""

from __future__ import annotations

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import Message, Send

PAGES: Final = (
    # the pages are made by scripts of this server, from templates that the browser compiles
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-src 'self' blob:; frame-ancestors 'self'"
)
DATA: Final = "default-src 'none'; frame-ancestors 'none'"
REPORT: Final = (
    # a report shows texts of the data: whatever these are, the page runs nothing and asks nobody for anything
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'; "
    "form-action 'none'; base-uri 'none'"
)
ALWAYS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
UNCHANGING: Final = ("/static/", "/_nicegui/")
"""What holds no data and may be kept by browsers."""


def guarded(request: HTTPConnection, send: Send) -> Send:
    """Return a way to answer that adds the headers; what an answer says itself stays."""
    path = request.scope["path"]

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            request.scope["krypsis.answered"] = True
            headers = MutableHeaders(scope=message)
            for name, value in ALWAYS.items():
                headers.setdefault(name, value)
            headers.setdefault("Content-Security-Policy", DATA if path.startswith("/api") else PAGES)
            if not path.startswith(UNCHANGING):
                headers["Cache-Control"] = "no-store"
        await send(message)

    return sending
