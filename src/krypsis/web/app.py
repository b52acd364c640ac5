"""The application: pages, API and everything that guards them."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from nicegui import app as pages_app
from nicegui import ui
from nicegui.storage import Storage

from krypsis.io.private import write_private_files
from krypsis.version import __version__
from krypsis.web.api import add_api
from krypsis.web.login import add_login
from krypsis.web.pages import add_pages
from krypsis.web.security import Guard, check_address
from krypsis.web.served import Served, serve
from krypsis.web.sessions import Sessions, own_name

STATIC = Path(__file__).with_name("static")
VISITORS = ".visitors"
"""The folder in the workspace that keeps what visitors choose, such as their language."""


def create_app(served: Served) -> FastAPI:
    """Return the application of a workspace: the API and the pages. There is one in a process.

    Raises
    ------
    UsageError
        if other machines could come in without a token.
    """
    app = create_api(served)
    secret = _secret(served)
    (served.workspace.root / VISITORS).mkdir(mode=0o700, exist_ok=True)
    Storage.path = served.workspace.root / VISITORS  # else it would be in the folder where the server was started
    pages_app.add_static_files("/static", STATIC)
    add_pages()
    ui.run_with(
        app,
        title="Krypsis",
        storage_secret=secret,
        session_middleware_kwargs={"session_cookie": own_name("krypsis_visitor", secret), "same_site": "strict"},
        show_welcome_message=False,
    )
    return app


def create_api(served: Served) -> FastAPI:
    """Return the API alone, guarded as everything is."""
    check_address(served.settings)
    serve(served)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        served.queue.wake()  # finds what an earlier server has left
        yield
        served.close()

    app = FastAPI(
        title="Krypsis",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        redirect_slashes=False,  # everything has one address
    )
    sessions = Sessions(served.settings.token, _secret(served), served.workspace.root / ".ended-sessions")
    app.add_middleware(Guard, settings=served.settings, sessions=sessions)
    add_login(app, sessions)
    add_api(app)
    return app


def _secret(served: Served) -> str:
    """Return what signs the cookies; it stays the same, so that a restart signs nobody out."""
    file = served.workspace.root / ".secret"
    if not file.exists():
        write_private_files({file: secrets.token_hex(32).encode()})
    return file.read_text("ascii")
