"""The application: pages, API and everything that guards them."""

from __future__ import annotations

import secrets
from pathlib import Path

from fastapi import FastAPI
from nicegui import app as pages_app
from nicegui import ui

from krypsis import __version__
from krypsis.io.private import write_private_files
from krypsis.web.pages import add_pages
from krypsis.web.served import Served, serve

STATIC = Path(__file__).with_name("static")


def create_app(served: Served) -> FastAPI:
    """Return the application of a workspace."""
    serve(served)
    app = FastAPI(title="Krypsis", version=__version__, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    pages_app.add_static_files("/static", STATIC)
    add_pages()
    ui.run_with(app, title="Krypsis", storage_secret=_secret(served), show_welcome_message=False)
    return app


def _secret(served: Served) -> str:
    """Return what signs the cookies; it stays the same, so that a restart signs nobody out."""
    file = served.workspace.root / ".secret"
    if not file.exists():
        write_private_files({file: secrets.token_hex(32).encode()})
    return file.read_text("ascii")
