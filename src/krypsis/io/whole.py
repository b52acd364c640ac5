"""Files that are written as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copymode

from krypsis.errors import OutputError


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
    beside = path.absolute().parent / f".{path.name}.{os.getpid()}"
    try:
        yield beside
        if path.exists():
            copymode(path, beside)  # what only its owner could read stays so
        beside.replace(path)
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        beside.unlink(missing_ok=True)
