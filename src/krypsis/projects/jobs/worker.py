"""The process of one job: ``python -m krypsis.projects.jobs.worker <folder of project> <job> <bytes of memory>``.

A limit for the memory of a process, and the end of one that waits for memory for ever.
"""

import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Self

from krypsis.errors import KrypsisError, KrypsisWarning, OutputError
from krypsis.io.memory import is_lack_of_memory, limit_was_reached
from krypsis.io.private import HELD, lock
from krypsis.progress import Interrupted, JudgedNode, Progress
from krypsis.projects import Project
from krypsis.projects.jobs.job import Job, JobFiles
from krypsis.projects.jobs.kinds import work_of
from krypsis.projects.jobs.queue import UNWRITTEN
from krypsis.projects.safe_paths import check_no_links

FULL = 0.9
"""From this share of the limit on a process has used up its memory."""
LONGEST_WAIT = 10.0
"""Seconds after which a process that has used up its memory and computes nothing is waiting for ever."""
STANDSTILL = 0.1
"""Seconds of CPU time by which two measurements of a process that does nothing may differ."""
ALLOCATORS = {"jemalloc_bg_thd"}
"""Names of threads that give memory back for an allocator, which is no work on the job."""


def limit_memory(size: int) -> None:
    """Let this process take no more than so many bytes from now on; systems without such limits go without."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415  there is none on Windows

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


class MemoryStall:
    """Notices that a process has used up its memory and computes nothing any more.

    Compiled libraries that cannot get memory raise, abort, or lose a thread that the others wait for. The last never
    ends by itself. Threads of the allocator do not count as computing: one that cannot start another thread tries
    for ever, at the full speed of a core.

    Examples
    --------
    >>> size, seconds, now = [95], [0.0], [0.0]
    >>> stall = MemoryStall(100, size=lambda: size[0], spent=lambda: seconds[0], clock=lambda: now[0])
    >>> stall.is_certain()
    False
    >>> now[0] = 11.0
    >>> stall.is_certain()
    True
    """

    def __init__(
        self,
        limit: int,
        *,
        size: Callable[[], int] | None = None,
        spent: Callable[[], float] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit, self._size, self._spent, self._clock = limit, size or _size, spent or _spent, clock
        self._worked, self._since = self._spent(), clock()

    def is_certain(self) -> bool:
        """Say whether the process has stood still for so long, with its memory used up, that it will not go on."""
        now = self._clock()
        try:
            spent, size = self._spent(), self._size()
        except MemoryError:  # used up, if there is not even enough for looking
            spent, size = self._worked, self._limit
        if spent > self._worked + STANDSTILL or size < FULL * self._limit:
            self._worked, self._since = spent, now
        return now - self._since > LONGEST_WAIT


def _size() -> int:
    """Return the bytes of address space that this process has; 0 where the system does not say."""
    file = Path("/proc/self/statm")
    return int(file.read_text("ascii").split()[0]) * _page() if file.exists() else 0


def _page() -> int:
    import resource  # noqa: PLC0415  there is none on Windows

    return resource.getpagesize()


def _spent() -> float:
    """Return the seconds of CPU time of the process, without those of the allocator and of the thread that asks."""
    threads = Path("/proc/self/task")
    freeing = sum(map(_spent_by_allocator, threads.iterdir())) if threads.exists() else 0.0
    return time.process_time() - time.thread_time() - freeing


def _spent_by_allocator(thread: Path) -> float:
    try:
        name, _, figures = (thread / "stat").read_text("utf-8", errors="replace").rpartition(")")
    except OSError:  # the thread has ended meanwhile
        return 0.0
    if name.partition("(")[2] not in ALLOCATORS:
        return 0.0
    user, system = figures.split()[11:13]  # the fields 14 and 15 of proc_pid_stat(5), counted from the third
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


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
            except MemoryError:  # the next beat tries again; this thread must live to notice a stall
                continue
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
        lacks_memory = is_lack_of_memory(error) or limit_was_reached()
        reason = _too_much_memory(memory) if lacks_memory else _unexpected(error)
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
