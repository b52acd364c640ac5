"""``krypsis run --server``: send the data and the plan, follow the work, bring the release home."""

import secrets
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from json import dumps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from krypsis.cli.remote.server import Server
from krypsis.errors import DataError, PlanError, UsageError
from krypsis.io.archive import unpack
from krypsis.io.private import write_private_files
from krypsis.io.yaml_file import parse_yaml
from krypsis.models.base import Verdict
from krypsis.plan.plan import KEYS
from krypsis.progress import NO_PROGRESS, Progress
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
    table: str = ""
    """A server writes to no database."""

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
            # files of the same name from different folders do not meet; the data keeps its name, which the report
            # states
            name = file.name if place == "data" else f"{secrets.token_hex(4)}-{file.name}"
            stored: dict[str, Any] = server.upload("PUT", f"{project}/{place}/{quote(name)}", file)
            return str(stored["place"])

        progress.phase("send")
        server.call("PUT", f"{project}/plan", json={"text": plan_there(plan, send, report=report, strict=strict)})
        wanted = {"kind": "run"} | ({} if levels is None else {"levels": levels})
        job = server.follow(project, server.call("POST", f"{project}/jobs", json=wanted), progress)
        return _bring_home(server, f"{project}/releases/{job.result['release']}", folder, job.result, force=force)


def _bring_home(server: Server, there: str, folder: Path, result: dict[str, Any], *, force: bool) -> BroughtHome:
    """Download a release with everything next to it; the release takes its place in one step."""
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


Send = Callable[[Path, str], str]
"""Sends a file into ``data`` or ``files`` and returns how the plan names it there."""


def plan_there(path: Path, send: Send, *, report: bool | None = None, strict: bool = False) -> str:
    """Send all files that a plan names, and return the plan that names them as the server does.

    Parameters
    ----------
    path
        of the plan, which can be understood.
    send
        sends a file.
    report
        whether a report is wanted, instead of what the plan says.
    strict
        whether risks are refused, also where the plan does not say so.
    """
    content = parse_yaml(path.read_text("utf-8"), "the plan", KEYS, PlanError)
    for home, name in _places(content):
        there, place = home.get(name), "data" if home is content and name == "data" else "files"
        if isinstance(there, str):
            home[name] = _sent(path.parent / there, send, place)
        elif isinstance(there, list):
            home[name] = [_sent(path.parent / one, send, place) if isinstance(one, str) else one for one in there]
    output = {key: value for key, value in content.get("output", {}).items() if key != "folder"}
    content["output"] = output | ({} if report is None else {"report": report})
    if strict:
        content["strict"] = True
    return dumps(content, ensure_ascii=False)  # every JSON text is YAML


def _places(content: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Return where a plan may name a file: the mapping and its key."""
    tables = [content, *_mappings(content.get("tables"))]
    columns = [column for table in tables for column in _mappings(table.get("columns"))]
    ruled = [*columns, *_mappings({"items": content.get("items")})]
    return [
        *((table, "data") for table in tables),
        *((content, name) for name in ("population", "private_columns", "dossier", "public", "vertices")),
        *((one, "public") for one in content.get("dependencies") or () if isinstance(one, dict)),
        *((one, "hierarchy") for one in ruled),
        *((one["hierarchy"], "file") for one in ruled if isinstance(one.get("hierarchy"), dict)),
        *((one, "constraints") for one in _mappings({"items": content.get("items")})),
    ]


def _mappings(content: object) -> list[dict[str, Any]]:
    values = content.values() if isinstance(content, dict) else ()
    return [value for value in values if isinstance(value, dict)]


def _sent(path: Path, send: Send, place: str) -> str:
    if not path.is_file():
        raise DataError(f"the plan names {path}, and there is no such file")
    return send(path, place)


def check_there(
    server: Server,
    path: Path,
    promises: Sequence[str],
    qi: Sequence[str],
    sensitive: str | None,
    public: Sequence[Path] = (),
) -> tuple[tuple[Verdict, ...], str]:
    """Return the verdicts of a server about what was published, and what the method guarantees."""
    for one in (path, *public):
        if not one.exists():
            raise DataError(f"no file or folder {one}")
    asked: dict[str, Any] = {"promise": list(promises), "qi": list(qi), "sensitive": sensitive or ""}
    with TemporaryDirectory() as workshop, server.project("Check") as project:
        file = _zipped(path, Path(workshop)) if path.is_dir() else path
        named = [f"{number}-{one.name}" for number, one in enumerate(public)]  # two may be called the same
        asked["public"] = [
            server.upload("PUT", f"{project}/files/{quote(name)}", one)["place"]
            for name, one in zip(named, public, strict=True)
        ]
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
