"""Disks that fail at a chosen step: full from then on, or read-only from then on."""

import errno
import os
import sys
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

from krypsis.release import workshop

WRITES = {"os.mkdir": 0, "os.rename": 1, "os.link": 1, "os.symlink": 1, "os.truncate": 0}
REMOVALS = {"os.remove": 0, "os.rmdir": 0}
INTERRUPTED = 0
"""Instead of the number of an error: Ctrl-C comes at the step, and the disk is well."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Disk:
    """Counts what is written below a folder and fails from one step on."""

    def __init__(self):
        self.folder, self.step, self.number, self.seen = None, 0, 0, 0
        sys.addaudithook(self.hear)  # there is no way to remove it; without a folder it does nothing

    @property
    def has_failed(self):
        return self.seen >= self.step

    @contextmanager
    def failing(self, folder, step, number):
        self.step, self.number, self.seen = step, number, 0
        self.folder = str(folder)
        try:
            yield self
        finally:
            self.folder = None

    def hear(self, event, arguments):
        if self.folder is None:
            return
        if event == "open" and isinstance(arguments[0], str) and arguments[2] & WRITING:
            self.written(arguments[0])
        elif event in WRITES:
            self.written(arguments[WRITES[event]])
        elif event in REMOVALS and self.number == errno.EROFS:
            self.written(arguments[REMOVALS[event]], counts=False)

    def written(self, path, *, counts=True):
        if self.folder is None or not str(Path(os.fsdecode(path)).absolute()).startswith(self.folder):
            return
        self.seen += counts
        if self.number == INTERRUPTED and self.seen == self.step and counts:
            raise KeyboardInterrupt
        if self.number != INTERRUPTED and self.has_failed:
            raise OSError(self.number, os.strerror(self.number), os.fsdecode(path))


@pytest.fixture(scope="session")
def the_disk():
    return Disk()


@pytest.fixture
def disk(the_disk, monkeypatch):
    """The disk, with the calls that Python does not announce."""
    fsync, rename = os.fsync, workshop._rename
    write_csv, write_parquet = pl.DataFrame.write_csv, pl.DataFrame.write_parquet

    def failing_fsync(handle):
        if the_disk.folder is not None:
            the_disk.written(Path(f"/proc/self/fd/{handle}").readlink())
        return fsync(handle)

    def failing_rename(source, destination, flag):
        the_disk.written(destination)
        return rename(source, destination, flag)

    def of_polars(write):
        def failing(frame, file=None, **options):
            if isinstance(file, str | Path):
                try:
                    the_disk.written(file)
                except OSError as error:  # as polars says it
                    raise OSError(f"{error.strerror} (os error {error.errno})") from None
            return write(frame, file, **options)

        return failing

    monkeypatch.setattr(os, "fsync", failing_fsync)
    monkeypatch.setattr(workshop, "_rename", failing_rename)
    monkeypatch.setattr(pl.DataFrame, "write_csv", of_polars(write_csv))
    monkeypatch.setattr(pl.DataFrame, "write_parquet", of_polars(write_parquet))
    return the_disk
