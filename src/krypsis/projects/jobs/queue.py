"""The queue of jobs: a few processes at a time, one of each project.

The process of a job: one that this queue started, or one that an earlier server has left behind.
"""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from threading import Condition, Thread
from typing import Any, Protocol

from krypsis.errors import KrypsisError, OutputError
from krypsis.projects import Project, Workspace
from krypsis.projects.jobs.job import Job, JobFiles, State
from krypsis.projects.jobs.kinds import YIELDING, check_parameters

OUTSIDE = {int(getattr(signal, name, 0)) for name in ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT")}
"""Signals that no process gives itself."""
PATIENCE = 5.0
"""Seconds that the system may take to end a process."""
UNWRITTEN = 74
"""The exit code of a process that could not write what it had to say, as the command line has it."""
FULL = "its result could not be written, most likely because the disk is full; free some space and start it again"
LOST = "its process is gone without a result, for example because the machine was switched off; start it again"


class JobProcess(Protocol):
    """A process that works on a job."""

    def is_over(self) -> bool:
        """Say whether it has ended."""

    def kill(self) -> None:
        """End it at once, and wait until it is gone."""

    def end(self) -> tuple[State, str]:
        """Say how it ended, if it ended without a word."""


@dataclass(frozen=True)
class OwnProcess:
    """A process that this queue has started."""

    process: subprocess.Popen[bytes]
    memory: int

    @classmethod
    def start(cls, files: JobFiles, job: Job, memory: int) -> "OwnProcess":
        """Start to work on a job; nothing of the data stands in the words of the command."""
        # -P: modules are never taken from the folder where the server was started, which may hold anything
        command = [
            sys.executable,
            "-P",
            "-m",
            "krypsis.projects.jobs.worker",
            str(files.folder.parent),
            job.id,
            str(memory),
        ]
        # A session of its own: Ctrl-C in the terminal is for the server, which then asks its jobs to stop.
        # What libraries print may hold values, so nobody keeps it.
        nowhere = subprocess.DEVNULL
        process = subprocess.Popen(  # noqa: S603  our own interpreter
            command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
        )
        return cls(process, memory)

    def is_over(self) -> bool:
        return self.process.poll() is not None

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self) -> tuple[State, str]:
        code = self.process.returncode
        if code == UNWRITTEN:
            return "failed", FULL
        if code is None or code >= 0:
            return "failed", f"its process ended without a result (exit code {code})"
        by = f"its process was ended by {_signal(-code)}"
        if -code in OUTSIDE:
            return "lost", f"{by}, by somebody or by the system for want of memory; start it again"
        # compiled libraries that cannot get memory do not raise, but abort
        size = f"{self.memory // 1024**2:,} MB"
        return "failed", f"{by}; most likely it needs more than the {size} of memory that a job may have"


@dataclass(frozen=True)
class LeftProcess:
    """A process that another server started, and that still works."""

    files: JobFiles
    job_id: str

    def is_over(self) -> bool:
        return self.files.holder(self.job_id) is None

    def kill(self) -> None:
        # It holds the lock of the job, so the number is its own and not that of a later process.
        if (number := self.files.holder(self.job_id)) is not None:
            os.kill(number, getattr(signal, "SIGKILL", signal.SIGTERM))
            latest = time.monotonic() + PATIENCE
            while not self.is_over() and time.monotonic() < latest:
                time.sleep(0.01)

    def end(self) -> tuple[State, str]:
        return "lost", LOST


def _signal(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


log = logging.getLogger(__name__)

LOOK = 0.1
"""Seconds between two looks at the processes."""
RETRY = 1.0
"""Seconds between two attempts to write what could not be written."""
GRACE = 5.0
"""Seconds that a process has to come to an orderly end before it is ended."""
MEMORY = 8 * 1024**3

ENDED: tuple[State, str] = ("cancelled", "cancelled; it did not stop by itself and was ended")

Key = tuple[str, str]
"""The name of a project and that of a job."""


@dataclass
class _Running:
    process: JobProcess
    files: JobFiles
    deadline: float | None = None


class Queue:
    """Runs jobs one after another; what it knows is in the files of the projects, so that it survives everything.

    Jobs of one project never run at the same time: one reads what another would replace. A job whose process has gone
    without a word is reported as lost. A queue finds the jobs that an earlier one has left: those that wait are run,
    those that run are followed.

    Parameters
    ----------
    workspace
        whose projects the jobs belong to.
    workers
        how many jobs run at the same time.
    memory
        how many bytes of memory the process of a job may take.
    grace
        seconds that a process has to come to an orderly end.
    """

    def __init__(self, workspace: Workspace, workers: int = 1, memory: int = MEMORY, grace: float = GRACE) -> None:
        self._workspace, self._workers, self._memory, self._grace = workspace, workers, memory, grace
        self._running: dict[Key, _Running] = {}
        self._waiting: list[Key] = []
        self._unwritten: dict[Key, Job] = {}
        self._changed = Condition()
        self._is_closed = False
        self._find_left()
        self._thread = Thread(target=self._work, name="krypsis-jobs", daemon=True)
        self._thread.start()

    def submit(self, project: Project, kind: str, **parameters: Any) -> Job:
        """Put a job at the end of the queue.

        Parameters
        ----------
        project
            to work on.
        kind
            ``read``, ``run``, ``check`` …: the name of a file in ``krypsis.projects.jobs.kinds``.
        **parameters
            of this kind of job, as JSON can hold them.
        """
        check_parameters(kind, parameters)
        with self._changed:
            project.check_there()
            self._make_room(project)
            job = JobFiles(project).create(kind, parameters)
            self._waiting.append((project.name, job.id))
            self._changed.notify_all()
        return job

    def _make_room(self, project: Project) -> None:
        """Cancel jobs that only answer a question, so that nobody waits for them."""
        for job in self.jobs(project):
            if job.kind in YIELDING and not job.is_over:
                self.cancel(project, job.id)

    def jobs(self, project: Project) -> list[Job]:
        """Return the jobs of a project, the youngest first."""
        return [self._unwritten.get((project.name, job.id), job) for job in JobFiles(project).all()]

    def job(self, project: Project, job_id: str) -> Job:
        """Return one job as it is now."""
        return self._unwritten.get((project.name, job_id)) or JobFiles(project).read(job_id)

    def cancel(self, project: Project, job_id: str) -> Job:
        """Ask a job to stop and return it; one that does not stop in time is ended."""
        files, key = JobFiles(project), (project.name, job_id)
        with self._changed:
            job = files.read(job_id)
            if key in self._waiting:
                self._waiting.remove(key)
                self._write_end(key, files, job.ending("cancelled", error="cancelled before it began"))
            elif running := self._running.get(key):
                files.ask_to_stop(job_id)
                running.deadline = running.deadline or time.monotonic() + self._grace
                self._changed.notify_all()
            return self.job(project, job_id)

    @contextmanager
    def cleared(self, name: str) -> Iterator[None]:
        """End all jobs of a project at once, because it is to be deleted; none begins before this block is left."""
        with self._changed:
            self._waiting = [key for key in self._waiting if key[0] != name]
            self._unwritten = {key: job for key, job in self._unwritten.items() if key[0] != name}
            for key in [key for key in self._running if key[0] == name]:
                self._running.pop(key).process.kill()
            yield

    def wake(self) -> None:
        """Look at once whether there is something to do."""
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        """Ask the running jobs to stop and wait for that; those that wait are run by the next queue."""
        with self._changed:
            self._is_closed = True
            for (_, job_id), running in self._running.items():
                with suppress(OutputError):  # the project is gone, and its process will notice
                    running.files.ask_to_stop(job_id)
                running.deadline = running.deadline or time.monotonic() + self._grace
            self._changed.notify_all()
        self._thread.join()

    def kill(self) -> None:
        """End the processes of all jobs at once, because this process is about to end."""
        self._is_closed = True
        # In a signal handler: whoever holds the lock for longer than a moment may be waiting for this thread.
        is_held = self._changed.acquire(timeout=1)
        for running in list(self._running.values()):
            running.process.kill()
        if is_held:
            self._changed.release()

    def _work(self) -> None:
        with self._changed:
            while self._running or not self._is_closed:
                self._end_late_ones()
                self._reap()
                self._write_again()
                if not self._is_closed:
                    self._start_next_ones()
                if self._running or not self._is_closed:
                    self._changed.wait(LOOK if self._running else RETRY if self._unwritten else None)
            self._write_again()

    def _start_next_ones(self) -> None:
        for key in self._startable():
            self._waiting.remove(key)
            with self._unless_deleted(key):
                self._start(key, JobFiles(self._workspace.find(key[0])))

    def _start(self, key: Key, files: JobFiles) -> None:
        job = files.read(key[1])
        try:
            self._running[key] = _Running(OwnProcess.start(files, job, self._memory), files)
        except OSError as error:
            self._write_end(key, files, job.ending("failed", error=f"no process could be started: {error.strerror}"))

    def _startable(self) -> Iterator[Key]:
        for key in list(self._waiting):
            if len(self._running) >= self._workers:
                return
            if all(key[0] != project for project, _ in self._running):
                yield key

    def _end_late_ones(self) -> None:
        now = time.monotonic()
        for running in self._running.values():
            if running.deadline is not None and now > running.deadline and not running.process.is_over():
                running.process.kill()

    def _reap(self) -> None:
        for key, running in [(key, one) for key, one in self._running.items() if one.process.is_over()]:
            del self._running[key]
            with self._unless_deleted(key):
                self._settle(running, key)

    @contextmanager
    def _unless_deleted(self, key: Key) -> Iterator[None]:
        """Let the job of a deleted project go, for nobody waits for it; what else goes wrong is logged."""
        project, job_id = key
        try:
            yield
        except KrypsisError as error:
            if (self._workspace.root / project).exists():
                log.error("job %s of %s: %s", job_id, project, error)  # noqa: TRY400  where it came from says nothing more

    def _find_left(self) -> None:
        for project in self._workspace.projects():
            files = JobFiles(project)
            for job in reversed(files.all()):
                key = (project.name, job.id)
                if job.state == "waiting":
                    self._waiting.append(key)
                elif job.state == "running" and files.holder(job.id) is not None:
                    self._running[key] = _Running(LeftProcess(files, job.id), files)
                elif job.state == "running":
                    self._write_end(key, files, job.ending("lost", error=LOST))
                    files.tidy(job.id)

    def _settle(self, running: _Running, key: Key) -> None:
        """Write the end of a job whose process could not do that itself."""
        if running.files.holder(key[1]) is not None:  # another server was faster: its process works on the job
            self._running[key] = replace(running, process=LeftProcess(running.files, key[1]))
            return
        job = running.files.read(key[1])
        if not job.is_over:
            state, reason = running.process.end() if running.deadline is None else ENDED
            self._write_end(key, running.files, job.ending(state, error=reason))
        running.files.tidy(key[1])

    def _write_end(self, key: Key, files: JobFiles, job: Job) -> None:
        """Write the end of a job, or keep it in mind as long as the disk is full: nobody must wait for it in vain."""
        try:
            files.write(job)
        except OutputError as error:
            self._unwritten[key] = job
            log.error("job %s of %s: %s", job.id, key[0], error)  # noqa: TRY400  where it came from says nothing more

    def _write_again(self) -> None:
        for key, job in list(self._unwritten.items()):
            with suppress(KrypsisError):
                JobFiles(self._workspace.find(key[0])).write(job)
                del self._unwritten[key]
