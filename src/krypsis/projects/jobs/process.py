"""The process of a job: one that this queue started, or one that an earlier server has left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Protocol

from krypsis.projects.jobs.job import Job, JobFiles, State

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
    def start(cls, files: JobFiles, job: Job, memory: int) -> OwnProcess:
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
