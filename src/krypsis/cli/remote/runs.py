"""``krypsis run --server``: send the data and the plan, follow the work, bring the release home."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from krypsis.cli.remote.plans import plan_there
from krypsis.cli.remote.server import Server
from krypsis.io.archive import unpack
from krypsis.io.private import write_private_files
from krypsis.progress import Progress
from krypsis.release.release import Release
from krypsis.release.workshop import open_workshop, private_path
from krypsis.release.writer import check_destination
from krypsis.report import report_paths

MOST_BYTES = 64 * 1024**3
"""How large a release may be that a server sends."""


@dataclass(frozen=True, eq=False)
class BroughtHome:
    """A release that a server has made, and where its files lie here."""

    release: Release
    paths: dict[str, Path]
    result: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return what was published, ready for JSON, without the places of the files."""
        return {name: value for name, value in self.result.items() if name != "release"}


def run_there(
    server: Server,
    plan: Path,
    folder: Path,
    progress: Progress,
    *,
    levels: str | None = None,
    report: bool | None = None,
    strict: bool = False,
    force: bool = False,
) -> BroughtHome:
    """Let a server carry out a plan and put what it published where a run here would put it.

    Data and release are removed from the server at the end, however that comes.
    """
    check_destination(folder, force=force)  # better now than after a long search
    with server.project(plan.stem) as project:

        def send(file: Path, place: str) -> str:
            # files of the same name from different folders do not meet; the data keeps its name, which the report tells
            name = file.name if place == "data" else f"{secrets.token_hex(4)}-{file.name}"
            stored: dict[str, Any] = server.upload("PUT", f"{project}/{place}/{quote(name)}", file)
            return str(stored["place"])

        progress.phase("send")
        server.call("PUT", f"{project}/plan", json={"text": plan_there(plan, send, report=report, strict=strict)})
        wanted = {"kind": "run"} | ({} if levels is None else {"levels": levels})
        job = server.follow(project, server.call("POST", f"{project}/jobs", json=wanted), progress)
        return _bring_home(server, f"{project}/releases/{job.result['release']}", folder, job.result, force=force)


def _bring_home(server: Server, there: str, folder: Path, result: dict[str, Any], *, force: bool) -> BroughtHome:
    """Download a release with everything beside it; the release takes its place in one step."""
    release_id = str(server.call("GET", there)["release_id"])
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open_workshop(folder.resolve(), release_id) as workshop:
        with TemporaryDirectory(dir=workshop.folder) as place:
            _unpacked(server, there, Path(place))
            (content,) = (path for path in Path(place).iterdir() if path.is_dir())
            for file in content.iterdir():
                file.rename(workshop.new / file.name)
        Release.load(workshop.new)  # its files are those that the server has published
        write_private_files({private_path(folder, release_id): server.content(f"{there}/private.json")})
        workshop.put_in_place(replace=folder.exists() and force)
    paths = {"release": folder, "private record": private_path(folder, release_id)}
    release = Release.load(folder)
    return BroughtHome(release, paths | _report(server, there, folder), result)


def _unpacked(server: Server, there: str, folder: Path) -> None:
    archive = folder / "release.zip"
    server.save(f"{there}/release.zip", archive)
    unpack(archive, folder, MOST_BYTES)


def _report(server: Server, there: str, folder: Path) -> dict[str, Path]:
    page, data = report_paths(folder)
    if not server.has(f"{there}/report.html"):
        return {}
    write_private_files({page: server.content(f"{there}/report.html"), data: server.content(f"{there}/report.json")})
    return {"report": page}
