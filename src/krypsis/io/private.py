"""Files that stay with the publisher: only their owner can read them, from the first byte on."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from krypsis.errors import OutputError
from krypsis.io.owners import part_prefix, remove_parts


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
