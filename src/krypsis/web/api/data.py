"""The data of a project: upload it, look at it."""

from typing import Annotated, Any

import polars as pl
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field, TypeAdapter

from krypsis.errors import UsageError
from krypsis.kinds.base import ProfileView
from krypsis.kinds.table.profile.table import Profile
from krypsis.projects import Project, receive
from krypsis.web.api.places import Asked, FileName
from krypsis.web.api.problems import FULL, LOOKED_UP
from krypsis.web.served import served

router = APIRouter(tags=["data"])
BYTES = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary", "minLength": 1}}},
    }
}


class Stored(BaseModel):
    """A file that was taken in."""

    place: str = Field(description="how a plan names it")
    size: int = Field(description="in bytes")


class Page(BaseModel):
    """Some rows of a table, as text."""

    columns: list[str]
    rows: list[list[str | None]]
    total: int


@router.put(
    "/projects/{name}/data/{file}",
    status_code=201,
    responses=LOOKED_UP | FULL,
    openapi_extra=BYTES,
    summary="Upload the table; it takes the place of an earlier one",
)
async def upload_data(project: Asked, file: FileName, request: Request) -> Stored:
    """Receive a table; a job of the kind ``read`` then makes a profile and a plan of it."""
    return await store(project, file, request, "data")


@router.put(
    "/projects/{name}/files/{file}",
    status_code=201,
    responses=LOOKED_UP | FULL,
    openapi_extra=BYTES,
    summary="Upload a file that the plan names, such as a hierarchy",
)
async def upload_file(project: Asked, file: FileName, request: Request) -> Stored:
    """Receive a file next to the table."""
    return await store(project, file, request, "files")


@router.get("/projects/{name}/profile", responses=LOOKED_UP, summary="What is known about the columns")
def show_profile(project: Asked) -> dict[str, Any]:
    """Return the profile of the table, or what was found in data that is no table."""
    if _read(project).has_table:
        profile: dict[str, Any] = TypeAdapter(Profile).dump_python(project.profile, mode="json")
        return profile
    view: dict[str, Any] = TypeAdapter(ProfileView).dump_python(project.view, mode="json")
    return view


@router.get("/projects/{name}/rows", responses=LOOKED_UP, summary="Look at a page of the table")
def show_rows(
    project: Asked,
    start: Annotated[int, Query(ge=0, le=10**12)] = 0,
    count: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Page:
    """Return some rows."""
    if not _read(project).has_table:
        raise UsageError("the data of this project is no table, so it has no rows; look at its profile")
    rows = project.rows(start, count).select(pl.all().cast(pl.String, strict=False))
    return Page(columns=rows.columns, rows=[list(row) for row in rows.rows()], total=project.profile.rows)


async def store(project: Project, file: str, request: Request, folder: str) -> Stored:
    """Write the body of a request piece by piece into a folder of a project."""
    place = await receive(project, file, request.stream(), served().settings.largest_upload, folder)
    return Stored(place=f"{folder}/{place.name}", size=place.stat().st_size)


def _read(project: Project) -> Project:
    if not project.is_read:
        raise UsageError("the data was not read yet; upload a file and start a job of the kind 'read'")
    return project
