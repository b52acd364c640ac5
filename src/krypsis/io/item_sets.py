"""Read sets of items that belong together for an analysis, such as utility constraints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from krypsis.errors import DataError
from krypsis.io.paths import usable_path
from krypsis.io.set_lines import read_set_lines

HEADERS = (["codes"], ["items"])
"""A first line that is a heading and no set."""


def read_item_sets(path: Path) -> tuple[tuple[str, ...], ...]:
    """Return the sets in a file: JSON with a list of lists, or lists by name; or text with one set per line.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "together.json")
    ...     _ = file.write_text('{"mental": ["294.10", "295.04"], "skin": ["692.71"]}', encoding="utf-8")
    ...     read_item_sets(file)
    (('294.10', '295.04'), ('692.71',))
    """
    path = usable_path(path)
    if not path.is_file():
        raise DataError(f"file {path} not found; expected sets of items that analyses need together")
    if path.suffix.lower() == ".json":
        return _of_json(path)
    rows = [row for row in read_set_lines(path).to_list() if row]
    if rows and rows[0] in HEADERS:
        rows = [cell.split(",") for row in rows[1:] for cell in row]
    return tuple(tuple(dict.fromkeys(item.strip() for item in row)) for row in rows)


def _of_json(path: Path) -> tuple[tuple[str, ...], ...]:
    try:
        content: Any = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path.name} is not JSON: {error}") from None
    sets = list(content.values()) if isinstance(content, dict) else content
    if not isinstance(sets, list) or not all(
        isinstance(one, list) and all(isinstance(item, str) for item in one) for one in sets
    ):
        raise DataError(f"{path.name} must hold lists of items, in a list or by name; items are texts")
    return tuple(tuple(dict.fromkeys(one)) for one in sets if one)
