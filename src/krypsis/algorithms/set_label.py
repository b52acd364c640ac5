"""The text of a set of values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

UNCLEAR = re.compile(r'[,{}"]|^\s|\s$|^$')
"""What a value may hold so that nobody could tell where it ends in a set."""


def set_label(values: Iterable[object]) -> str:
    """Return a set as text; a value that would be unclear among others stands in quotation marks, as in JSON.

    Examples
    --------
    >>> set_label(["cook", "waiter"]), set_label(["cook", "craft, repair"])
    ('{cook, waiter}', '{cook, "craft, repair"}')
    """
    return "{" + ", ".join(map(_clear, map(str, values))) + "}"


def _clear(value: str) -> str:
    return json.dumps(value, ensure_ascii=False) if UNCLEAR.search(value) else value
