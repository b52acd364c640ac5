"""Writing a plan: as a whole or not at all, and nothing is replaced unasked."""

import os
from pathlib import Path

from krypsis.errors import OutputError, UsageError
from krypsis.io.private import written_as_a_whole


def check_free(output: Path, *, force: bool, usual: str = "plan.yaml") -> None:
    """Raise unless a file may be written there; ``usual`` is what such files are called."""
    if output.is_dir():
        raise UsageError(f"{output} is a folder; name a file in it, such as {output / usual}")
    if output.exists() and not force:
        raise UsageError(f"{output} exists; add --force to replace it, or name another file")
    if not output.absolute().parent.is_dir():
        raise OutputError(f"{output} cannot be written: the folder {output.parent} does not exist")


def relative(file: Path, output: Path) -> str:
    """Return the path of the data as seen from the folder of the plan."""
    try:
        path = Path(os.path.relpath(file.resolve(), output.resolve().parent))
    except ValueError:  # another drive
        path = file.resolve()
    return path.as_posix()


def write_plan(text: str, output: Path, *, force: bool) -> None:
    """Write the plan as a whole or not at all."""
    with written_as_a_whole(output) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
        check_free(output, force=force)  # it may have come into being meanwhile
