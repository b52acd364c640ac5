"""What goes wrong, always reported in the same form."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from krypsis.errors import InternalError, KrypsisError, OutputError, TooLarge
from krypsis.projects import Project
from krypsis.projects.project import ProjectDeleted
from krypsis.projects.safe_paths import PROJECT
from krypsis.web.security import FULL as NOTHING_WRITTEN
from krypsis.web.security import is_full
from krypsis.web.served import served

STATUS: dict[type[KrypsisError], int] = {ProjectDeleted: 404, TooLarge: 413, OutputError: 507, InternalError: 500}
"""Of errors that are not about what was asked for, which is 422."""


class Problem(BaseModel):
    """Why a request was not carried out."""

    error: str = Field(description="what was expected, what came, and what to do")


Answers = dict[int | str, dict[str, Any]]
NOT_FOUND: Answers = {404: {"model": Problem, "description": "there is no such thing"}}
WRONG: Answers = {422: {"model": Problem, "description": "what was sent cannot be used"}}
FULL: Answers = {507: {"model": Problem, "description": "nothing more can be written"}}
LOOKED_UP: Answers = NOT_FOUND | WRONG


def add_problems(app: FastAPI) -> None:
    """Report all errors as problems."""
    app.add_exception_handler(KrypsisError, _of_library)
    app.add_exception_handler(OSError, _of_system)
    app.add_exception_handler(RequestValidationError, _of_request)
    app.add_exception_handler(HTTPException, _of_server)


def _of_library(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, OSError) and (gone := _deleted(request)) is not None:
        return gone
    status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), 422)
    return _problem(str(error), status)


def _of_system(request: Request, error: Exception) -> JSONResponse:
    """Answer where the system refuses: the project is gone, or the disk is full; all else is unexpected."""
    if isinstance(error, FileNotFoundError) and (gone := _deleted(request)) is not None:
        return gone
    if is_full(error):
        return _problem(NOTHING_WRITTEN, 507)
    raise error


def _deleted(request: Request) -> JSONResponse | None:
    """Return the answer if the project of a request was deleted meanwhile."""
    name = request.path_params.get("name")
    if name is None or not PROJECT.fullmatch(name) or Project(served().workspace.root / name).is_there:
        return None
    return _problem(f"project {name} was deleted; nothing was changed", 404)


def _of_request(_: Request, error: Exception) -> JSONResponse:
    """Name what is wrong and where, without what was sent."""
    problems = error.errors() if isinstance(error, RequestValidationError) else []
    places = (f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in problems)
    return _problem("; ".join(places), 422)


def _of_server(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    return _problem(str(error.detail), error.status_code, error.headers)


def _problem(message: str, status: int, headers: object = None) -> JSONResponse:
    known = dict(headers) if isinstance(headers, dict) else None
    # a lone half of a character, as JSON can hold one, cannot be sent back
    shown = served().discreet(message).encode("utf-8", "replace").decode()
    return JSONResponse({"error": shown}, status, known)
