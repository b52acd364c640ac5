"""What a visitor takes away from a project: the release, its report and, apart from them, the private record."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from fastapi import BackgroundTasks, HTTPException
from fastapi.responses import FileResponse
from nicegui import app

from krypsis.errors import KrypsisError
from krypsis.projects.published import PublishedRelease
from krypsis.release.parcel import pack
from krypsis.web.served import served

RELEASE = "/projects/{name}/releases/{number}"
ALONE = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'; "
    "form-action 'none'; base-uri 'none'"
)
"""A report shows texts of the data: whatever these are, the page runs nothing and asks nobody for anything."""


def add_downloads() -> None:
    """Make the downloads known to the server of this process."""
    app.get(f"{RELEASE}/release.zip", include_in_schema=False)(_zip)
    app.get(f"{RELEASE}/report.html", include_in_schema=False)(_report)
    app.get(f"{RELEASE}/private.json", include_in_schema=False)(_private)


def download_address(release: PublishedRelease, file: str) -> str:
    """Return where a file of a release is: ``release.zip``, ``report.html`` or ``private.json``."""
    return RELEASE.format(name=release.project.name, number=release.number) + f"/{file}"


def _zip(name: str, number: int, tasks: BackgroundTasks, *, neutral: bool = False) -> FileResponse:
    release = _release(name, number)
    title = f"{name}-release-{number}"
    handle, place = tempfile.mkstemp(suffix=".zip")  # only the owner of the server can read it
    os.close(handle)
    parcel = Path(place)
    tasks.add_task(parcel.unlink, missing_ok=True)
    try:
        pack(release.folder, parcel, name=title, neutral=neutral)
    except BaseException as error:
        parcel.unlink(missing_ok=True)
        if isinstance(error, KrypsisError):
            raise HTTPException(409, str(error)) from error
        raise
    return FileResponse(
        parcel, media_type="application/zip", filename=f"{title}{'-for-spreadsheets' * neutral}.zip", background=tasks
    )


def _report(name: str, number: int, *, download: bool = False) -> FileResponse:
    page = _existing(_release(name, number).report, "a report")
    title = f"{name}-release-{number}-report.html" if download else None
    return FileResponse(page, media_type="text/html", filename=title, headers={"Content-Security-Policy": ALONE})


def _private(name: str, number: int) -> FileResponse:
    record = _existing(_release(name, number).private_record, "a private record")
    return FileResponse(record, media_type="application/json", filename=f"PRIVATE-{name}-release-{number}.json")


def _release(name: str, number: int) -> PublishedRelease:
    try:
        return PublishedRelease.of(served().workspace.project(name), number)
    except KrypsisError as error:
        raise HTTPException(404, str(error)) from error


def _existing(path: Path | None, what: str) -> Path:
    if path is None:
        raise HTTPException(404, f"this release has not got {what}")
    return path
