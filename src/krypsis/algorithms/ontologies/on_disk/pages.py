"""Files of axioms, read and written in whole pages, and the memory that may be used for buffers."""

import errno
import mmap
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np

from krypsis.arrays import IntArray
from krypsis.errors import OutputError, UsageError

PAGE_BYTES = 4096
AXIOM_BYTES = 8
"""An axiom is one number of 64 bits; see :mod:`krypsis.algorithms.ontologies.on_disk.edges`."""

OWN_PAGES = 2**16
"""Buffers of so many bytes are asked from the system instead of the heap, which would keep the room of freed ones."""


@dataclass(eq=False)
class MemoryBudget:
    """Hands out buffers and refuses to exceed its limit.

    Examples
    --------
    >>> budget = MemoryBudget(8192)
    >>> with budget.buffer(512) as numbers:
    ...     len(numbers), budget.free
    (512, 4096)
    >>> budget.free, budget.peak
    (8192, 4096)
    """

    limit: int
    """In bytes."""
    used: int = 0
    peak: int = 0

    @property
    def free(self) -> int:
        """How many bytes are left."""
        return self.limit - self.used

    def take(self, count: int, dtype: Any = np.int64) -> np.ndarray[Any, Any]:
        """Return a buffer for so many numbers, which counts until it is given back."""
        size = int(count) * np.dtype(dtype).itemsize
        self.count(size)
        if size < OWN_PAGES:
            return np.empty(int(count), dtype=dtype)
        return np.frombuffer(mmap.mmap(-1, size), dtype=dtype)  # goes back to the system as soon as it is not needed

    def count(self, size: int) -> None:
        """Count bytes that lie elsewhere."""
        if size > self.free:
            raise UsageError(
                f"the memory for completion on disk is too small: {size:,} more bytes are needed, {self.used:,} of "
                f"{self.limit:,} are in use; raise 'memory'"
            )
        self.used += size
        self.peak = max(self.peak, self.used)

    def give_back(self, buffer: np.ndarray[Any, Any]) -> None:
        """Count a buffer no longer."""
        self.used -= buffer.nbytes

    @contextmanager
    def buffer(self, count: int) -> Iterator[IntArray]:
        """Return a buffer for as long as it is needed."""
        taken = self.take(count)
        try:
            yield taken
        finally:
            self.give_back(taken)


@dataclass(eq=False)
class PageFolder:
    """A temporary folder for files of pages, which is removed in the end, with the memory and counts of pages."""

    memory: MemoryBudget
    folder: str | os.PathLike[str] | None = None
    """Where the temporary folder is made; ``None`` for the usual place."""
    page_bytes: int = PAGE_BYTES
    pages_read: int = 0
    pages_written: int = 0
    most_pages: int = 0
    """The most pages that lay in files at the same time."""
    _pages: int = 0
    _files: int = 0
    _temporary: Any = field(default=None, init=False)

    def __enter__(self) -> Self:
        try:
            self._temporary = tempfile.TemporaryDirectory(prefix="krypsis-", dir=self.folder)
        except OSError as error:
            raise OutputError(f"no temporary folder can be made in {self.folder}: {error.strerror}") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._temporary.cleanup()

    @property
    def page(self) -> int:
        """How many axioms a page holds."""
        return self.page_bytes // AXIOM_BYTES

    def new_path(self) -> Path:
        """Return where the next file may lie."""
        self._files += 1
        return Path(self._temporary.name) / f"{self._files}"

    def count_written(self, pages: int) -> None:
        """Count pages that were added to a file."""
        self.pages_written += pages
        self._pages += pages
        self.most_pages = max(self.most_pages, self._pages)

    def count_deleted(self, pages: int) -> None:
        """Count pages of a file that is no more."""
        self._pages -= pages

    def whole_pages(self, size: int, at_least: int = 1) -> int:
        """Return how many axioms fit into so many bytes if a buffer consists of whole pages."""
        return max(size // self.page_bytes, at_least) * self.page


class Stream(Protocol):
    """Axioms in ascending order, read once from the first to the last."""

    def read_into(self, buffer: IntArray, start: int) -> int:
        """Fill a buffer from a place on and return how many axioms came; 0 at the end."""

    @property
    def at_end(self) -> bool:
        """Whether all has been read."""

    def close(self) -> None:
        """Give back files and buffers."""


@dataclass(eq=False)
class PageFile:
    """Axioms in a file, which is written once from the first to the last, and may then be read many times."""

    workspace: PageFolder
    count: int = 0
    """How many axioms it holds."""
    _tail: IntArray | None = None
    """Axioms that do not fill a page yet."""
    _tail_count: int = 0
    _descriptor: int | None = None

    def __post_init__(self) -> None:
        self.path = self.workspace.new_path()

    def __len__(self) -> int:
        return self.count

    @property
    def pages(self) -> int:
        """How many pages it has."""
        return -(-self.count // self.workspace.page)

    @property
    def unwritten(self) -> int:
        """How many axioms do not fill a page yet."""
        return self._tail_count if self._descriptor is not None else 0

    @property
    def tail(self) -> IntArray:
        """The axioms that do not fill a page yet."""
        assert self._tail is not None
        return self._tail[: self.unwritten]

    def append(self, axioms: IntArray) -> None:
        """Write more axioms, as far as they fill pages."""
        if self._descriptor is None:
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            self._tail = self.workspace.memory.take(self.workspace.page)
        assert self._tail is not None
        self.count += len(axioms)
        page, start = self.workspace.page, 0
        if self._tail_count:
            start = min(page - self._tail_count, len(axioms))
            self._tail[self._tail_count : self._tail_count + start] = axioms[:start]
            self._tail_count += start
            if self._tail_count < page:
                return
            self._write(self._tail, 1)
            self._tail_count = 0
        whole = (len(axioms) - start) // page
        if whole:
            self._write(axioms[start : start + whole * page], whole)
        rest = axioms[start + whole * page :]
        self._tail[: len(rest)] = rest
        self._tail_count = len(rest)

    def finish(self) -> Self:
        """Write what does not fill a page; nothing can be appended any more."""
        if self._descriptor is not None:
            assert self._tail is not None
            if self._tail_count:
                self._write(self._tail[: self._tail_count], 1)
            os.close(self._descriptor)
            self.workspace.memory.give_back(self._tail)
            self._descriptor = self._tail = None
        return self

    def _write(self, axioms: IntArray, pages: int) -> None:
        assert self._descriptor is not None
        rest = np.ascontiguousarray(axioms).data.cast("B")
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            if error.errno not in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
                raise
            size = self.workspace.most_pages * self.workspace.page_bytes
            raise OutputError(
                f"no space is left in {self.path.parent.parent}, after {size:,} bytes of temporary files: make room, "
                "or choose another 'folder'"
            ) from error
        self.workspace.count_written(pages)

    def read(self) -> "FileStream":
        """Return its axioms from the first on."""
        return FileStream(self)

    def delete(self) -> None:
        """Remove it from the disk."""
        self.finish()
        self.path.unlink(missing_ok=True)
        self.workspace.count_deleted(self.pages)


@dataclass(eq=False)
class FileStream:
    """The axioms of a file, read in whole pages straight into the buffers of others."""

    file: PageFile
    place: int = 0
    _descriptor: int | None = None

    @property
    def at_end(self) -> bool:
        return self.place >= self.file.count

    def read_into(self, buffer: IntArray, start: int) -> int:
        workspace = self.file.workspace
        on_disk = self.file.count - self.file.unwritten
        if self.place == on_disk < self.file.count:  # what does not fill a page yet is still in memory
            return self._copy_tail(buffer, start)
        pages = min((len(buffer) - start) // workspace.page, -(-(on_disk - self.place) // workspace.page))
        if pages <= 0:
            return 0
        if self._descriptor is None:
            self._descriptor = os.open(self.file.path, os.O_RDONLY)
        count = min(pages * workspace.page, on_disk - self.place)
        got = os.preadv(self._descriptor, [buffer[start : start + count].data], self.place * AXIOM_BYTES)
        if got != count * AXIOM_BYTES:
            raise OutputError(f"{self.file.path} has changed while it was in use: {got} bytes came, not {count * 8}")
        workspace.pages_read += pages
        self.place += count
        if self.at_end:
            self.close()
        return count

    def _copy_tail(self, buffer: IntArray, start: int) -> int:
        tail = self.file.tail
        buffer[start : start + len(tail)] = tail
        self.place += len(tail)
        return len(tail)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
