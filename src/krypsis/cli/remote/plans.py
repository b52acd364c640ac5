"""A plan on its way to a server: the files it names go along."""

from __future__ import annotations

from collections.abc import Callable
from json import dumps
from pathlib import Path
from typing import Any

from krypsis.errors import DataError, PlanError
from krypsis.io.yaml_file import parse_yaml
from krypsis.plan.plan import KEYS

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
        if isinstance(home.get(name), str):
            home[name] = _sent(
                path.parent / home[name], send, "data" if home is content and name == "data" else "files"
            )
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
        *((content, name) for name in ("population", "private_columns", "dossier")),
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
