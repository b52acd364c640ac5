"""The process of one job: ``python -m krypsis.projects.jobs.worker <folder of project> <job> <bytes of memory>``."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Self

from krypsis.errors import KrypsisError, KrypsisWarning, OutputError
from krypsis.io.private import HELD, lock
from krypsis.progress import Interrupted, JudgedNode, Progress
from krypsis.projects import Project
from krypsis.projects.jobs.job import Job, JobFiles
from krypsis.projects.jobs.kinds import work_of
from krypsis.projects.jobs.memory import MemoryStall, limit_memory
from krypsis.projects.jobs.process import UNWRITTEN
from krypsis.projects.links import check_no_links

BEAT = 0.2
"""Seconds between two looks at the flag, and at least between two writes."""


class JobProgress(Progress):
    """Counts while the work goes on; a second thread reports five times a second what has changed."""

    def __init__(self, files: JobFiles, job: Job, memory: int) -> None:
        self._files = files
        self._stall = MemoryStall(memory)
        self._written = job
        self._phase = job.phase
        self._judged = 0
        self._best: float | None = None
        self._is_asked_to_stop = False
        self.problem: OutputError | None = None
        """Why the work was stopped, if nobody has asked for that: its progress could not be written."""
        self._is_over = Event()
        self._thread = Thread(target=self._beat, daemon=True)

    @property
    def job(self) -> Job:
        """The job with what is known by now."""
        return self._written.model_copy(update={"phase": self._phase, "judged": self._judged, "best": self._best})

    def phase(self, name: str) -> None:
        self._phase = name

    def judged(self, node: JudgedNode) -> None:
        self._judged += 1
        if node.score is not None and (self._best is None or node.score < self._best):
            self._best = node.score

    def wants_stop(self) -> bool:
        return self._is_asked_to_stop

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()  # from now on nobody but the caller writes the file

    def _beat(self) -> None:
        while not self._is_over.wait(BEAT):
            if self._stall.is_certain():
                os.abort()  # nobody in this process can go on; the server says what has happened
            self._is_asked_to_stop = self._is_asked_to_stop or self._files.should_stop(self._written.id)
            if (now := self.job) == self._written:
                continue
            try:
                self._files.write(now)
            except OutputError as error:  # the project was deleted, or the disk is full
                self.problem = error
                self._is_asked_to_stop = True
            self._written = now


def main(folder: str, job_id: str, memory: str) -> None:
    """Do the work of a job that waits, unless another process does it already."""
    os.umask(0o077)  # whatever is written, nobody but the owner can read it
    limit_memory(int(memory))
    if hasattr(os, "nice"):
        os.nice(10)  # those who look at pages meanwhile come first
    project = Project(Path(folder))
    try:
        _work(project, JobFiles(project), job_id, int(memory))
    except OSError:  # also an OutputError: there is no way to say it but this
        sys.exit(UNWRITTEN)


def _work(project: Project, files: JobFiles, job_id: str, memory: int) -> None:
    with files.path(job_id, "lock").open("a+b") as stream:
        try:
            lock(stream)
        except HELD:
            return
        stream.truncate(0)
        stream.write(str(os.getpid()).encode())
        stream.flush()
        job = files.read(job_id)
        if job.state == "waiting":
            running = job.model_copy(update={"state": "running", "started": datetime.now(UTC)})
            files.write(running)
            files.write(_done(project, files, running, memory))


def _done(project: Project, files: JobFiles, job: Job, memory: int) -> Job:
    """Return the job at its end, however that came."""
    progress = JobProgress(files, job, memory)
    try:
        with warnings.catch_warnings(record=True) as heard, progress:
            warnings.simplefilter("always", KrypsisWarning)
            check_no_links(project.folder)
            result = work_of(job.kind)(project, progress, **job.parameters)
    except Interrupted:
        if progress.problem is not None:
            return progress.job.ending("failed", error=_described(progress.problem, project))
        return progress.job.ending("cancelled", error="cancelled; nothing was changed")
    except KrypsisError as error:
        return progress.job.ending("failed", error=_described(error, project))
    except BaseException as error:  # noqa: BLE001  panics of compiled libraries are no Exceptions
        reason = _too_much_memory(memory) if _wants_memory(error) else _unexpected(error)
        return progress.job.ending("failed", error=reason)
    warned = {str(one.message): one.message for one in heard if isinstance(one.message, KrypsisWarning)}
    return progress.job.ending("done", result=result, warnings=tuple(warned), translations=_translations(warned))


def _translations(warned: Mapping[str, KrypsisWarning]) -> dict[str, dict[str, str]]:
    """Return by language what the warnings say in it."""
    found: dict[str, dict[str, str]] = {}
    for text, warning in warned.items():
        for language, translated in warning.translations.items():
            found.setdefault(language, {})[text] = translated
    return found


def _described(error: KrypsisError, project: Project) -> str:
    """Return what went wrong; where a project lies on the machine of the server is nobody's business."""
    return str(error).replace(f"{project.folder}{os.sep}", "")


def _wants_memory(error: BaseException) -> bool:
    """Say whether there was too little memory, also for the stack of a new thread, which is no MemoryError."""
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "start new thread" in str(error))


def _too_much_memory(memory: int) -> str:
    return (
        f"more than the {memory // 1024**2:,} MB of memory that a job may have are needed: give it more, or less data"
    )


def _unexpected(error: BaseException) -> str:
    """Name what happened and where; the message of another library may hold values of the data."""
    *_, last = [one for one in traceback.extract_tb(error.__traceback__) if "krypsis" in Path(one.filename).parts]
    place = f"{Path(last.filename).name}:{last.lineno}"
    return f"something went wrong that should not ({type(error).__name__} in {place}); please report it"


if __name__ == "__main__":
    main(*sys.argv[1:])
