"""One job as its file describes it."""

import re
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from krypsis.errors import UsageError
from krypsis.io.private import HELD, lock, write_private_files
from krypsis.projects import Project

State = Literal["waiting", "running", "done", "failed", "cancelled", "lost"]


class Job(BaseModel):
    """A piece of long work and how far it has come.

    Examples
    --------
    >>> job = Job(id="20260102-030405-000000-ab", kind="run", created=datetime(2026, 1, 2, tzinfo=UTC))
    >>> job.state, job.is_over, job.ending("failed", error="there is no plan").is_over
    ('waiting', False, True)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    kind: str = Field(description="what is done: the name of a file in krypsis.projects.jobs.kinds")
    parameters: dict[str, Any] = Field(default_factory=dict)
    state: State = "waiting"
    phase: str = Field(default="", description="of the work: read, encode, search, recode, check, report")
    judged: int = Field(default=0, description="how many nodes of the lattice were judged so far")
    best: float | None = Field(default=None, description="the best score so far; lower is better")
    created: datetime
    started: datetime | None = None
    ended: datetime | None = None
    error: str | None = Field(default=None, description="why it failed, was cancelled or was lost")
    warnings: tuple[str, ...] = ()
    translations: dict[str, dict[str, str]] = Field(
        default_factory=dict, description="language → warning → the same in that language, as far as it is known"
    )
    result: dict[str, Any] = Field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state not in ("waiting", "running")

    def warnings_in(self, language: str) -> tuple[str, ...]:
        """Return the warnings in a language, in English where they are not translated.

        Examples
        --------
        >>> heard = {"warnings": ("a warning",), "translations": {"el": {"a warning": "μια προειδοποίηση"}}}
        >>> job = Job(id="20260102-030405-000000-ab", kind="run", created=datetime(2026, 1, 2, tzinfo=UTC), **heard)
        >>> job.warnings_in("el"), job.warnings_in("en")
        (('μια προειδοποίηση',), ('a warning',))
        """
        known = self.translations.get(language, {})
        return tuple(known.get(warning, warning) for warning in self.warnings)

    def ending(self, state: State, **facts: Any) -> "Job":
        """Return the same job at its end."""
        return self.model_copy(update={"state": state, "ended": datetime.now(UTC), **facts})


ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9]{6}-[0-9a-f]{2}")
MOST_KEPT = 100
"""How many jobs that are over a project remembers."""


class JobFiles:
    """What a project knows about its jobs.

    ``<id>.json`` describes a job. The queue writes it before the process starts and after it has ended, the process in
    between, so there is one writer at a time. ``<id>.lock`` is held by the process as long as it lives, and names it.
    ``<id>.stop`` asks it to come to an end. Errors and warnings may quote values of the data: only the owner can read
    the files.
    """

    def __init__(self, project: Project) -> None:
        self.folder = project.folder / "jobs"

    def create(self, kind: str, parameters: dict[str, Any]) -> Job:
        """Write a job that waits, and forget the oldest ones."""
        now = datetime.now(UTC)
        # a moment and some chance: the order of the names is that of the jobs
        job = Job(id=f"{now:%Y%m%d-%H%M%S-%f}-{secrets.token_hex(1)}", kind=kind, parameters=parameters, created=now)
        self.write(job)
        for old in [one for one in self.all() if one.is_over][MOST_KEPT:]:
            self._remove(old.id)
        return job

    def all(self) -> list[Job]:
        """Return all jobs, the youngest first."""
        names = sorted((path.stem for path in self.folder.glob("*.json") if ID.fullmatch(path.stem)), reverse=True)
        return [self.read(name) for name in names]

    def read(self, job_id: str) -> Job:
        """Return a job.

        Raises
        ------
        UsageError
            if there is none of this name.
        """
        if not ID.fullmatch(job_id):
            raise UsageError(f"a job is called like 20260102-030405-678901-ab, got {job_id[:100]!r}")
        try:
            return Job.model_validate_json(self.path(job_id, "json").read_bytes())
        except FileNotFoundError:
            raise UsageError(f"there is no job {job_id!r} in this project") from None
        except ValidationError:
            return _damaged(job_id)

    def write(self, job: Job) -> None:
        """Put a job in the place of what its file says."""
        write_private_files({self.path(job.id, "json"): job.model_dump_json().encode()})

    def ask_to_stop(self, job_id: str) -> None:
        """Ask the process of a job to come to an orderly end."""
        write_private_files({self.path(job_id, "stop"): b""})

    def should_stop(self, job_id: str) -> bool:
        """Say whether the process of a job was asked to stop, or has nothing left to work on."""
        return self.path(job_id, "stop").exists() or not self.folder.is_dir()

    def holder(self, job_id: str) -> int | None:
        """Return the number of the process that works on a job, or nothing if there is none."""
        try:
            with self.path(job_id, "lock").open("r+b") as stream:
                lock(stream)
        except FileNotFoundError:
            return None
        except HELD:
            number = self.path(job_id, "lock").read_bytes()
            return int(number) if number.isdigit() else None
        return None

    def tidy(self, job_id: str) -> None:
        """Remove what only a living process needs."""
        for ending in ("stop", "lock"):
            self.path(job_id, ending).unlink(missing_ok=True)

    def path(self, job_id: str, ending: str) -> Path:
        """Return where a file of a job lies."""
        return self.folder / f"{job_id}.{ending}"

    def _remove(self, job_id: str) -> None:
        self.tidy(job_id)
        self.path(job_id, "json").unlink(missing_ok=True)


def _damaged(job_id: str) -> Job:
    """Return what is left of a job whose file says nothing, or was written by another version."""
    created = datetime.strptime(job_id[:22], "%Y%m%d-%H%M%S-%f").replace(tzinfo=UTC)
    error = f"what is known about it cannot be read; remove {job_id}.json from the folder jobs of the project"
    return Job(id=job_id, kind="unknown", created=created, state="lost", error=error)
