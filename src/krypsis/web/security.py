"""The guard: what it lets in, and what it adds to every answer."""

import asyncio
import errno
import logging
import re
import traceback
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from krypsis.errors import UsageError
from krypsis.web.served import ServerSettings, is_loopback
from krypsis.web.sessions import PAUSE, Sessions, bearer, sign_in_by_address

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


def limited(request: HTTPConnection, receive: Receive, most: int) -> Receive:
    """Return a way to receive the body of a request that ends as soon as it is larger than allowed.

    Raises
    ------
    HTTPException
        with the status 413, from the first piece that is too much.
    """
    said = request.headers.get("content-length", "")
    received = 0

    async def receiving() -> Message:
        nonlocal received
        message = await receive()
        if message["type"] == "http.request":
            received += len(message.get("body", b""))
            if received > most or (said.isdigit() and int(said) > most):
                raise HTTPException(413, f"more was sent than the {most / 1024**2:,.0f} MB that are taken here")
        return message

    return receiving


log = logging.getLogger(__name__)

OPEN = frozenset({"/login", "/static/login.css"})
"""What nobody has to sign in for: exactly these paths, and nothing that begins like them."""
PROGRAMS = ("/api", "/_nicegui")
"""What is asked for by programs and by pages, and not typed by people."""
HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::\d{1,5})?", re.ASCII)
FULL_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}
FULL = "nothing more can be written: the disk is full or cannot be used; free some space and try again"
HARMLESS = {"GET", "HEAD", "OPTIONS"}


def check_address(settings: ServerSettings) -> None:
    """Raise if a server would be open to other machines without a token, or its files to visitors from there.

    Examples
    --------
    >>> check_address(ServerSettings(host="127.0.0.1"))
    >>> check_address(ServerSettings(host="0.0.0.0"))
    Traceback (most recent call last):
        ...
    krypsis.errors.UsageError: on the address 0.0.0.0 other machines could read the data; ...
    """
    if settings.token is None and not settings.is_local:
        raise UsageError(
            f"on the address {settings.host} other machines could read the data; leave out --no-token, "
            "set a token by the variable KRYPSIS_TOKEN, or stay on 127.0.0.1"
        )
    if settings.allow_paths and not settings.is_local:
        raise UsageError(
            f"--allow-paths lets visitors read files of this machine, and on the address {settings.host} they come "
            "from other machines; leave it out and upload the files, or stay on 127.0.0.1"
        )


class Guard:
    """Stands before pages, API and websockets alike.

    It refuses requests that pages of other origins make, names of this machine that are not its own, visitors who did
    not sign in where that is asked for, and bodies that are too large; it keeps what libraries say about an unexpected
    error out of logs, because that may hold values of the data.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings, sessions: Sessions) -> None:
        self._app, self._settings, self._sessions = app, settings, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        refusal = await self._refusal(request)
        if refusal is not None:
            await self._refuse(refusal, scope, receive, send)
            return
        limit = self._settings.most_bytes(scope["path"])
        try:
            await self._app(scope, limited(request, receive, limit), guarded(request, send))
        except Exception as error:  # noqa: BLE001  reported without its message
            await self._answer_error(error, scope, receive, send)

    async def _refusal(self, request: HTTPConnection) -> Response | None:
        """Return the answer to those who are not let in.

        It looks at the path that the application finds its answer by, never at an address made up of headers.
        """
        if not HOST.fullmatch(request.headers.get("host", "")):
            return _problem(400, "the header Host must be a name and a port, such as 127.0.0.1:8765")
        if self._settings.is_local and not is_loopback(_host_name(request)):
            return _problem(421, "this server answers to 127.0.0.1 and localhost only")
        if _is_foreign(request):
            return _problem(403, "requests of pages of other origins are refused")
        is_open = request.scope["type"] == "http" and request.scope["path"] in OPEN
        if not self._sessions.asks or is_open:
            return None
        if _is_visit(request) and (token := request.query_params.get("token")) is not None:
            return await sign_in_by_address(request, self._sessions, token)
        return None if self._sessions.knows(request) else await self._without_cookie(request)

    async def _without_cookie(self, request: HTTPConnection) -> Response | None:
        """Let a program in that sends the token, and ask everybody else for it; a wrong one is answered late."""
        if (token := bearer(request)) is not None:
            if self._sessions.accepts(token):
                return None
            await asyncio.sleep(PAUSE)
        if _is_visit(request):
            return RedirectResponse(f"/login?next={quote(request.scope['path'])}", 303)
        return _problem(401, "sign in, or send the token: Authorization: Bearer …", {"WWW-Authenticate": "Bearer"})

    @staticmethod
    async def _refuse(refusal: Response, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await refusal(scope, receive, guarded(HTTPConnection(scope), send))

    @staticmethod
    async def _answer_error(error: Exception, scope: Scope, receive: Receive, send: Send) -> None:
        log.error("%s: %s", scope["path"], place_of(error))
        if scope["type"] == "http" and not scope.get("krypsis.answered"):
            unexpected = f"something went wrong that should not: {place_of(error)}"
            answer = _problem(507, FULL) if is_full(error) else _problem(500, unexpected)
            await answer(scope, receive, guarded(HTTPConnection(scope), send))


def is_full(error: BaseException) -> bool:
    """Say whether an error means that nothing more can be written, and is nobody's mistake."""
    return isinstance(error, OSError) and error.errno in FULL_DISK


def place_of(error: BaseException) -> str:
    """Return what went wrong and where, without the message, which may hold values of the data."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return type(error).__name__
    ours = [frame for frame in frames if "krypsis" in Path(frame.filename).parts]
    last = (ours or frames)[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno}"


def _host_name(request: HTTPConnection) -> str:
    try:
        return urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    except ValueError:  # such as a bracket that is never closed
        return ""


def _is_visit(request: HTTPConnection) -> bool:
    """Say whether somebody opens a page."""
    is_read = request.scope["type"] == "http" and request.scope["method"] in HARMLESS
    return is_read and not request.scope["path"].startswith(PROGRAMS)


def _is_foreign(request: HTTPConnection) -> bool:
    """Say whether a page of another origin makes this request; following a link from there is no such request."""
    origin = request.headers.get("origin")
    if origin is not None:
        scheme, _, name = origin.partition("://")
        return scheme not in ("http", "https") or name != request.headers.get("host", "")
    is_link = request.scope.get("method") == "GET" and request.headers.get("sec-fetch-mode") == "navigate"
    return request.headers.get("sec-fetch-site") in ("cross-site", "same-site") and not is_link


def _problem(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": message}, status, headers)
