"""What the addresses of the API name."""

from typing import Annotated, TypeVar

from fastapi import Depends, HTTPException, Path

from krypsis.errors import KrypsisError
from krypsis.projects import Project
from krypsis.projects.jobs import Job
from krypsis.projects.jobs.job import ID
from krypsis.projects.published_release import PublishedRelease
from krypsis.projects.safe_paths import PROJECT, LinkFound
from krypsis.web.served import served

Found = TypeVar("Found")
Name = Annotated[str, Path(description="of a project", pattern=f"^{PROJECT.pattern}$")]
FileName = Annotated[str, Path(description="the name of the file, such as patients.csv", min_length=1, max_length=200)]


def _project(name: Name) -> Project:
    try:
        return served().workspace.project(name)
    except LinkFound:
        raise  # the project is there, and cannot be used
    except KrypsisError as error:
        raise HTTPException(404, str(error)) from error


Asked = Annotated[Project, Depends(_project)]
"""The project that an address names."""


def _job(project: Asked, job: Annotated[str, Path(description="of a job", pattern=f"^{ID.pattern}$")]) -> Job:
    try:
        return served().queue.job(project, job)
    except KrypsisError as error:
        raise HTTPException(404, str(error)) from error


AskedJob = Annotated[Job, Depends(_job)]
"""The job that an address names."""


def _release(
    project: Asked, number: Annotated[int, Path(description="of a release", ge=1, le=10**6)]
) -> PublishedRelease:
    try:
        return PublishedRelease.of(project, number)
    except KrypsisError as error:
        raise HTTPException(404, str(error)) from error


AskedRelease = Annotated[PublishedRelease, Depends(_release)]
"""The release that an address names."""


def existing(found: Found | None, what: str) -> Found:
    """Return what was found, or say that there is nothing."""
    if found is None:
        raise HTTPException(404, f"there is no {what} here")
    return found
