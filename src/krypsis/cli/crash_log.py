"""Where an unexpected error came from, kept in a private place and without a value of the data."""

from __future__ import annotations

import os
import platform
import sys
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIBRARIES = ("krypsis", "polars", "numba", "numpy", "pydantic", "typer")


def write_crash_log(error: BaseException) -> Path | None:
    """Write which functions an error came through, readable by its owner alone; return where, if it could be written.

    Messages are left out: those of other libraries quote what they could not read.
    """
    moment = datetime.now(UTC)
    try:
        folder = _folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / f"crash-{moment:%Y%m%dT%H%M%S}-{os.getpid()}.log"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(description(error))
    except (OSError, RuntimeError, MemoryError):  # RuntimeError: nobody knows the home folder
        return None
    return path


def description(error: BaseException) -> str:
    """Return kinds of errors, places and versions.

    Examples
    --------
    >>> "secret" in description(ValueError("secret"))
    False
    """
    system = f"python {platform.python_version()}, {platform.system()} {platform.release()}"
    lines = [f"krypsis {_version('krypsis')}, {system}"]
    lines += [f"{name} {_version(name)}" for name in LIBRARIES[1:]]
    for found in causes(error):
        lines += ["", f"{type(found).__module__}.{type(found).__qualname__}", *_places(found)]
    return "\n".join(lines) + "\n"


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and all that led to it, without what was deliberately left behind (``raise … from None``)."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)


def place_of(error: BaseException) -> str:
    """Return the file and line of the toolkit where an error came from."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [one for one in frames if "krypsis" in Path(one.filename).parts] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "an unknown place"


def _places(error: BaseException) -> list[str]:
    """Return file, line and function of each step; no line of code, no variable."""
    return [f"  {_short(one.filename)}:{one.lineno} {one.name}" for one in traceback.extract_tb(error.__traceback__)]


def _short(file: str) -> str:
    """Return the path inside its package: where people keep things is not needed."""
    parts = Path(file).parts
    roots = [
        place for place, part in enumerate(parts) if part in ("site-packages", "src") or part.startswith("python3")
    ]
    return "/".join(parts[roots[-1] + 1 :]) if roots else parts[-1]


def _folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "krypsis"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "krypsis"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "of unknown version"
