"""The REST API: what the pages do, for programs. It is described by ``/api/openapi.json``."""

from fastapi import APIRouter, FastAPI, HTTPException, Request, Security
from fastapi.security import HTTPBearer
from starlette.routing import compile_path

from krypsis.web.api import catalogue, checks, data, jobs, plans, projects, releases
from krypsis.web.api.problems import Problem, add_problems

PROBLEMS = {
    400: "not understood",
    401: "not signed in",
    403: "of another origin",
    413: "too large",
    421: "not a name of this server",
}
"""What may be answered before anything else happens."""


METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]


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
    app.add_api_route("/api/{rest:path}", _nowhere, methods=METHODS, include_in_schema=False)
    add_problems(app)


def _nowhere(request: Request) -> None:
    """Answer to everything else, which would be looked for among the pages otherwise."""
    paths = request.app.openapi()["paths"]
    here = [known for place, known in paths.items() if compile_path(place)[0].match(request.scope["path"])]
    allowed = sorted({method.upper() for known in here for method in known})
    if allowed:
        raise HTTPException(405, f"this place knows {', '.join(allowed)} only", {"Allow": ", ".join(allowed)})
    raise HTTPException(404, "there is no such place; /api/openapi.json names all")
