"""The REST API: what the pages do, for programs. It is described by ``/api/openapi.json``."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI, Security
from fastapi.security import HTTPBearer

from krypsis.web.api import catalogue, checks, data, jobs, plans, projects, releases
from krypsis.web.api.problems import Problem, add_problems

PROBLEMS = {401: "not signed in", 403: "of another origin", 413: "too large", 421: "not a name of this server"}
"""What the guard may answer before anything else happens."""


def add_api(app: FastAPI) -> None:
    """Make the API known to an application."""
    router = APIRouter(
        prefix="/api",
        responses={status: {"model": Problem, "description": text} for status, text in PROBLEMS.items()},
        # only tells in the description that there may be a token: the guard asks for it
        dependencies=[Security(HTTPBearer(auto_error=False, description="the token of the server, if it has one"))],
    )
    for part in (projects, data, plans, jobs, releases, checks, catalogue):
        router.include_router(part.router)
    app.include_router(router)
    add_problems(app)
