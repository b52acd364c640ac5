"""Who has signed in: a cookie that only this server can have made, or the token itself.

Signing in, where a server asks for a token: a plain page without scripts.
"""

import asyncio
import hashlib
import hmac
import secrets
import time
from html import escape
from pathlib import Path
from urllib.parse import parse_qs, quote, urlencode

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.requests import HTTPConnection

from krypsis.io.private import write_private_files
from krypsis.web.texts import asked_language, catalogue

COOKIE = "krypsis_session"
HOURS = 12
PAUSE = 1.0
"""Seconds until a wrong token is answered. The right one is never held back: behind a proxy, those who guess and those
who know the token come from the same address."""


class Sessions:
    """Decides who is let in; without a token everybody is, who can reach the server at all.

    Examples
    --------
    >>> sessions = Sessions("correct horse battery", "secret of the server")
    >>> sessions.accepts("correct horse"), sessions.accepts("correct horse battery")
    (False, True)
    >>> sessions.is_valid(sessions.ticket()), sessions.is_valid("1924905600.0000")
    (True, False)

    Parameters
    ----------
    token
        what visitors must know; nothing if everybody is let in.
    secret
        what signs the cookies.
    ended
        the file that keeps the sessions that were ended before they ran out, so that a restart does not renew them;
        unless given, they are kept in memory only.
    """

    def __init__(self, token: str | None, secret: str, ended: Path | None = None) -> None:
        self._token = None if token is None else token.encode()
        self._file = ended
        self._ended = set() if ended is None or not ended.exists() else set(ended.read_text("ascii").split())
        # another token makes all cookies of the old one worthless
        self._key = hashlib.sha256(secret.encode() + b"\0" + (self._token or b"")).digest()
        self.cookie = own_name(COOKIE, secret)

    @property
    def asks(self) -> bool:
        """Whether visitors must know a token."""
        return self._token is not None

    def knows(self, request: HTTPConnection) -> bool:
        """Say whether a request comes from somebody who has signed in."""
        return not self.asks or self.is_valid(request.cookies.get(self.cookie, ""))

    def accepts(self, token: str) -> bool:
        """Say whether this is the token, in a time that does not depend on how much of it is right."""
        return self._token is not None and hmac.compare_digest(token.encode(), self._token)

    def ticket(self) -> str:
        """Return the value of a cookie for somebody who knows the token."""
        # a number of its own: two people who sign in within the same second have different sessions
        session = f"{int(time.time()) + HOURS * 3600}-{secrets.token_hex(8)}"
        return f"{session}.{self._signature(session)}"

    def is_valid(self, ticket: str) -> bool:
        """Say whether a cookie was made here, has not run out and was not ended."""
        session, _, signature = ticket.partition(".")
        is_ours = hmac.compare_digest(signature.encode(), self._signature(session).encode())
        return is_ours and session not in self._ended and time.time() < _end_of(session)

    def end(self, request: HTTPConnection) -> None:
        """End the session of a request: its cookie is worth nothing from now on, also to somebody who copied it."""
        ticket = request.cookies.get(self.cookie, "")
        if not self.is_valid(ticket):
            return
        self._ended.add(ticket.partition(".")[0])
        self._ended = {session for session in self._ended if time.time() < _end_of(session)}
        if self._file is not None:
            write_private_files({self._file: "\n".join(sorted(self._ended)).encode()})

    def welcome(self, response: Response, *, secure: bool) -> Response:
        """Give somebody who knows the token the cookie."""
        response.set_cookie(
            self.cookie, self.ticket(), max_age=HOURS * 3600, httponly=True, samesite="strict", secure=secure
        )
        return response

    def _signature(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), "sha256").hexdigest()


def _end_of(session: str) -> int:
    """Return when a session runs out."""
    return int(session.partition("-")[0])


def own_name(cookie: str, secret: str) -> str:
    """Return the name of a cookie of this server.

    Browsers send the cookies of one port to all ports of a machine, so two servers must not use the same name.

    Examples
    --------
    >>> own_name("krypsis_session", "secret of one") != own_name("krypsis_session", "secret of another")
    True
    """
    return f"{cookie}_{hashlib.sha256(b'cookie' + secret.encode()).hexdigest()[:8]}"


def bearer(request: HTTPConnection) -> str | None:
    """Return the token that a program sent in the header ``Authorization``, or nothing."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Krypsis</title><link rel="stylesheet" href="/static/login.css"></head>
<body><main><h1>Krypsis</h1><p>{lead}</p>{problem}
<form method="post" action="/login?next={next}"><label for="token">{token}</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button type="submit">{enter}</button></form></main></body></html>
"""


def add_login(app: FastAPI, sessions: Sessions) -> None:
    """Make the page known that asks for the token, and the way out."""

    @app.get("/login", include_in_schema=False)
    def show(request: Request) -> Response:
        return _page(request)

    @app.post("/login", include_in_schema=False)
    async def enter(request: Request) -> Response:
        sent = parse_qs((await request.body()).decode("utf-8", "replace")).get("token", [""])[0]
        if not sessions.accepts(sent):
            await asyncio.sleep(PAUSE)
            return _page(request, "wrong", 401)
        return _welcomed(request, sessions, _next(request))

    @app.post("/logout", include_in_schema=False)
    def leave(request: Request) -> Response:
        sessions.end(request)
        response = RedirectResponse("/login", 303)
        response.delete_cookie(sessions.cookie)
        return response


async def sign_in_by_address(request: HTTPConnection, sessions: Sessions, token: str) -> Response:
    """Answer to an address that holds a token: the same one without it, with a cookie if it is the right one."""
    path, rest = (
        request.scope["path"],
        urlencode([pair for pair in request.query_params.multi_items() if pair[0] != "token"]),
    )
    place = _here(quote(path) + (f"?{rest}" if rest else ""))
    if sessions.accepts(token):
        return _welcomed(request, sessions, place)
    await asyncio.sleep(PAUSE)
    return RedirectResponse(place if sessions.knows(request) else f"/login?next={quote(_here(path))}", 303)


def _welcomed(request: HTTPConnection, sessions: Sessions, place: str) -> Response:
    return sessions.welcome(RedirectResponse(place, 303), secure=request.url.scheme == "https")


def _page(request: Request, problem: str | None = None, status: int = 200) -> HTMLResponse:
    language = asked_language(request.headers.get("accept-language", ""))
    texts = catalogue(language)
    shown = {name: escape(texts[f"login.{name}"]) for name in ("title", "lead", "token", "enter")}
    message = "" if problem is None else f'<p role="alert">{escape(texts[f"login.{problem}"])}</p>'
    return HTMLResponse(
        PAGE.format(language=language, problem=message, next=quote(_next(request), safe=""), **shown), status
    )


def _next(request: Request) -> str:
    """Return where the visitor wanted to go, on this server; anything else leads to the first page."""
    return _here(request.query_params.get("next", "/"))


def _here(wanted: str) -> str:
    """Return a place of this server; the first page instead of any other place."""
    is_here = wanted.startswith("/") and not wanted.startswith("//") and "\\" not in wanted and wanted.isprintable()
    return wanted if is_here else "/"
