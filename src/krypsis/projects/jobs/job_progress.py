"""The progress of a job: written into the file of the job; another file says whether to stop."""

from __future__ import annotations

import os
from threading import Event, Thread
from types import TracebackType
from typing import Self

from krypsis.errors import OutputError
from krypsis.progress import JudgedNode, Progress
from krypsis.projects.jobs.files import JobFiles
from krypsis.projects.jobs.job import Job
from krypsis.projects.jobs.memory import MemoryStall

BEAT = 0.2
"""Seconds between two looks at the flag, and at least between two writes."""


class JobProgress(Progress):
    """Counts while the work goes on; a thread beside it tells five times a second what has changed."""

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
