"""Releases: list them, download them and their reports."""

import os
import tempfile
from pathlib import Path
from typing import Any

from fastapi import APIRouter, BackgroundTasks
from fastapi.responses import FileResponse

from krypsis.format.claims import MANIFEST, read_json
from krypsis.release.audit_log import AuditLog
from krypsis.release.zip_archive import pack
from krypsis.web.api.places import Asked, AskedRelease, existing
from krypsis.web.api.problems import FULL, LOOKED_UP
from krypsis.web.security import REPORT

router = APIRouter(tags=["releases"])


@router.get("/projects/{name}/releases", responses=LOOKED_UP, summary="List the releases, the last one first")
def list_releases(project: Asked) -> list[int]:
    """Return the numbers of all releases."""
    return list(project.releases)


@router.get("/projects/{name}/releases/{number}", responses=LOOKED_UP, summary="Read the manifest of a release")
def show_release(release: AskedRelease) -> dict[str, Any]:
    """Return what is published about a release."""
    return read_json(release.folder / MANIFEST)


@router.get("/projects/{name}/audit", responses=LOOKED_UP, summary="Read the private log of all runs")
def show_audit_log(project: Asked) -> list[dict[str, Any]]:
    """Return who ran which plan on which data and when, and what came of it, the first run first."""
    log = AuditLog.of(project.inside("releases"))
    return [run.as_dict() for run in log.runs()] if log.path.exists() else []


def _file(media_type: str) -> dict[str, Any]:
    """Describe an answer that is a file."""
    content = {media_type: {"schema": {"type": "string", "format": "binary"}}}
    return {"response_class": FileResponse, "responses": LOOKED_UP | FULL | {200: {"content": content}}}


@router.get("/projects/{name}/releases/{number}/release.zip", summary="Download a release", **_file("application/zip"))
def download_release(release: AskedRelease, tasks: BackgroundTasks, *, neutral: bool = False) -> FileResponse:
    """Return the files of a release; ``neutral``: its tables without formulas, for spreadsheets."""
    title = f"{release.project.name}-release-{release.number}"
    handle, place = tempfile.mkstemp(suffix=".zip")  # only the owner of the server can read it
    os.close(handle)
    parcel = Path(place)
    try:
        pack(release.folder, parcel, name=title, neutral=neutral)
    except BaseException:
        parcel.unlink(missing_ok=True)
        raise
    tasks.add_task(parcel.unlink, missing_ok=True)
    return FileResponse(parcel, media_type="application/zip", filename=f"{title}.zip", background=tasks)


@router.get("/projects/{name}/releases/{number}/report.html", summary="Read the report", **_file("text/html"))
def download_report(release: AskedRelease) -> FileResponse:
    """Return the report as a page that stands by itself."""
    page = existing(release.report, "report")
    return FileResponse(page, media_type="text/html", headers={"Content-Security-Policy": REPORT})


@router.get(
    "/projects/{name}/releases/{number}/report.json", summary="Read the report as JSON", **_file("application/json")
)
def download_report_json(release: AskedRelease) -> FileResponse:
    """Return what the report says, for programs."""
    return FileResponse(existing(release.report_data, "report"), media_type="application/json")


@router.get(
    "/projects/{name}/releases/{number}/private.json",
    summary="Download the private record, which is never published",
    **_file("application/json"),
)
def download_private_record(release: AskedRelease) -> FileResponse:
    """Return what would undo the protection, for the publisher alone."""
    record = existing(release.private_record, "private record")
    return FileResponse(record, media_type="application/json", filename=record.name)
