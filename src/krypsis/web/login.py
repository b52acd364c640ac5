"""Signing in, where a server asks for a token: a plain page without scripts."""

from __future__ import annotations

import asyncio
from html import escape
from urllib.parse import parse_qs, quote, urlencode

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.requests import HTTPConnection

from krypsis.web.sessions import PAUSE, Sessions
from krypsis.web.texts import asked_language, catalogue

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
