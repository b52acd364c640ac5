"""A plan may come from anywhere, so what it names must lie in the folder of its project."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from krypsis.errors import PlanError
from krypsis.io.yaml_file import parse_yaml
from krypsis.plan.plan import KEYS

BETWEEN = re.compile(r"[,=]")
"""What stands between the names and values of a parameter that is written in short."""


def check_places(text: str) -> None:
    r"""Raise if a plan names a place outside its folder, whatever for.

    Examples
    --------
    >>> check_places("data: data/patients.csv\ncolumns: {age: {role: QI, hierarchy: hierarchies/age.csv}}")
    >>> check_places("data: ../patients.csv")
    Traceback (most recent call last):
        ...
    krypsis.errors.PlanError: '../patients.csv' is outside the project; ...
    """
    for value in _texts(parse_yaml(text, "the plan", KEYS, PlanError)):
        for part in (value, *BETWEEN.split(value)):
            if _leads_out(part.strip()):
                raise PlanError(
                    f"{part.strip()[:100]!r} is outside the project; a plan in the browser works with files of its own "
                    "project: upload the file, and name it as the project shows it"
                )


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, dict):
        for value in content.values():
            yield from _texts(value)
    elif isinstance(content, list):
        for value in content:
            yield from _texts(value)
    elif content is not None:
        yield str(content)


def _leads_out(text: str) -> bool:
    windows = PureWindowsPath(text)
    is_elsewhere = text.startswith(("/", "~", "\\")) or bool(windows.drive)
    return is_elsewhere or ".." in PurePosixPath(text).parts or ".." in windows.parts
