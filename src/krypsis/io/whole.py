"""Files that are written as a whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copymode

from krypsis.errors import OutputError
from krypsis.io.owners import part_prefix, remove_parts, short_hash


@contextmanager
def written_as_a_whole(path: Path) -> Iterator[Path]:
    """Yield a place beside a file to write to; at the end it takes the place of the file, after an error it is removed.

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
