"""``krypsis check --server``: send what was published, and ask the checker there."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from krypsis.cli.remote.server import Server
from krypsis.errors import DataError, UsageError
from krypsis.models.verdict import Verdict
from krypsis.progress import NO_PROGRESS


def check_there(
    server: Server, path: Path, promises: Sequence[str], qi: Sequence[str], sensitive: str | None
) -> tuple[tuple[Verdict, ...], str]:
    """Return the verdicts of a server about a release folder or a table, and what the method guarantees."""
    if not path.exists():
        raise DataError(f"no file or folder {path}")
    asked: dict[str, Any] = {"promise": list(promises), "qi": list(qi), "sensitive": sensitive or ""}
    with TemporaryDirectory() as workshop, server.project("Check") as project:
        file = _zipped(path, Path(workshop)) if path.is_dir() else path
        started = server.upload("POST", f"{project}/checks/{quote(file.name)}", file, **asked)
        result = server.follow(project, started, NO_PROGRESS).result
    return tuple(Verdict.model_validate(verdict) for verdict in result["verdicts"]), str(result["guarantee"])


def refuse_unknown(options: dict[str, object]) -> None:
    """Raise if something is asked for that the checker of a server is not told."""
    if given := [name for name, value in options.items() if value is not None]:
        raise UsageError(f"--{given[0].replace('_', '-')} is not sent to a server; leave it out, or check here")


def _zipped(folder: Path, workshop: Path) -> Path:
    archive = workshop / "release.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(path for path in folder.iterdir() if path.is_file()):
            packed.write(file, file.name)
    return archive
