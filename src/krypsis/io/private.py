"""Files that stay with the publisher: only their owner can read them, from the first byte on."""

import hashlib
import os
import platform
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import copymode
from typing import IO

from krypsis.errors import OutputError


def write_private_files(contents: Mapping[Path, bytes]) -> None:
    """Write files with mode 0600, in place of older ones of the same name.

    All are written completely under other names first, so that a full disk leaves the old ones as they were. What
    killed processes left unfinished in the same folders is removed.

    Raises
    ------
    OutputError
        if one of them cannot be written.
    """
    with ExitStack() as cleaning:
        try:
            for folder in {path.parent for path in contents}:
                remove_parts(folder)
            written = {path: _write_part(path, content, cleaning) for path, content in contents.items()}
            for path, temporary in written.items():
                temporary.replace(path)
        except OSError as error:
            names = " and ".join(str(path) for path in contents)
            raise OutputError(f"{names} cannot be written: {error.strerror or error}") from error


def _write_part(path: Path, content: bytes, cleaning: ExitStack) -> Path:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=part_prefix())  # only the owner can read it
    temporary = Path(name)
    cleaning.callback(temporary.unlink, missing_ok=True)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return temporary


PART = ".krypsis-part-"
"""How the name of an unfinished file begins."""
MARK = r"(?P<host>[0-9a-f]{10})-(?P<process>\d+)-(?P<start>\w+)"


def owner_mark() -> str:
    """Return the mark of this process: its machine, its number and the moment of its start.

    Examples
    --------
    >>> is_alive(re.fullmatch(MARK, owner_mark()))
    True
    """
    return f"{short_hash(platform.node())}-{os.getpid()}-{_start_of(os.getpid())}"


def is_alive(mark: re.Match[str]) -> bool:
    """Say whether the process of a mark may still work; of processes on other machines nobody here knows."""
    # A process number comes back one day, in containers at once; the moment of its start does not.
    return mark["host"] != short_hash(platform.node()) or _start_of(int(mark["process"])) == mark["start"]


def short_hash(text: str) -> str:
    """Return a short name made of any text, without signs of its own."""
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:10]


def part_prefix() -> str:
    """Return how the name of a file begins that this process has not finished."""
    return f"{PART}{owner_mark()}-"


def remove_parts(folder: Path) -> None:
    """Remove the unfinished files of processes that are gone from a folder; those of living ones stay."""
    of_somebody = re.compile(re.escape(PART) + MARK + "-.*")
    for entry in list(folder.iterdir()) if folder.is_dir() else []:
        mark = of_somebody.fullmatch(entry.name)
        if mark and not is_alive(mark) and not entry.is_dir():
            entry.unlink(missing_ok=True)


def _start_of(process: int) -> str:
    """Return when a process started, as the system counts; ``unknown`` where it does not tell, ``gone`` if it ended."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return "gone"
    except PermissionError:
        pass  # it runs, under another user
    status = Path(f"/proc/{process}/stat")
    if not status.exists():
        return "unknown"
    state, *numbers = status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    return "gone" if state in "ZX" else numbers[18]


@contextmanager
def written_as_a_whole(path: Path) -> Iterator[Path]:
    """Yield a place next to a file to write to; it replaces the file at the end, and is removed after an error.

    Raises
    ------
    OutputError
        if the system cannot write the file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, written_as_a_whole(Path(folder, "plan.yaml")) as place:
    ...     _ = place.write_text("data: patients.csv", encoding="utf-8")
    """
    folder = path.absolute().parent
    part = folder / f"{part_prefix()}{short_hash(path.name)}"
    try:
        remove_parts(folder)  # what a killed process left
        _create(part, like=path)
        yield part
        if path.exists():
            copymode(path, part)
        with part.open("rb+") as written:
            os.fsync(written.fileno())
        part.replace(path)
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)


def _create(part: Path, like: Path) -> None:
    """Create a file with the rights of another one: what only its owner can read is read by nobody else meanwhile."""
    mode = stat.S_IMODE(like.stat().st_mode) if like.exists() else 0o666  # minus what the umask takes away
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode))


if os.name == "nt":
    import msvcrt

    def lock(stream: IO[bytes]) -> None:
        """Hold the lock of an open file until it is closed; ``OSError`` if somebody else holds it."""
        stream.seek(1 << 30)  # beyond what is written, so that others can read who holds it
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]

else:
    import fcntl

    def lock(stream: IO[bytes]) -> None:
        """Hold the lock of an open file until it is closed; ``OSError`` if somebody else holds it."""
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


HELD = (BlockingIOError, PermissionError)
"""What is raised where somebody else holds a lock; the second is what Windows calls it."""
