"""The report as JSON, and back: the same blocks, number by number."""

import json
import math
from dataclasses import fields
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from krypsis.report.blocks import Report, Value


def render_json(report: Report) -> str:
    """Return the report as JSON: the same content, number by number.

    What is as usual is left out, so that the file stays small. A number that JSON does not know is a text: ``inf``.

    Examples
    --------
    >>> from krypsis.report.blocks import Number, Section, Text
    >>> text = Text(("Risk: ", Number(0.5, "share")))
    >>> report = Report("table", "", "Report", "", "1.0", True, 4, (Section("risk", ("Risk",), (text,)),))
    >>> json.loads(render_json(report))["sections"][0]["blocks"]
    [{'type': 'text', 'words': ['Risk: ', {'value': 0.5, 'unit': 'share'}]}]
    >>> parse_json(render_json(report)) == report
    True
    """
    return json.dumps(_plain(report), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def parse_json(text: str | bytes) -> Report:
    """Return the report that JSON holds.

    Raises
    ------
    pydantic.ValidationError
        if it is no report of this version.
    """
    return _adapter().validate_json(text)


@cache
def _adapter() -> TypeAdapter[Report]:
    return TypeAdapter(Report)


def _plain(value: Any) -> Any:
    """Return a value as JSON knows it; of a block, its type first and then what is not as usual."""
    if isinstance(value, Value):
        block: Any = type(value)
        kind = {"type": value.type} if hasattr(value, "type") else {}
        given = {name: (getattr(value, name), usual) for name, usual in _usual(block).items()}
        return kind | {name: _plain(held) for name, (held, usual) in given.items() if held != usual}
    if isinstance(value, tuple):
        return [*map(_plain, value)]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


@cache
def _usual(block: Any) -> dict[str, Any]:
    """Return the fields of a class of blocks with their defaults."""
    return {field.name: field.default for field in fields(block)}
