"""Writing sets of items to a text file, one set per line."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from io import StringIO
from itertools import pairwise
from pathlib import Path

from krypsis.data.transactions import Transactions
from krypsis.io.set_lines import JSON
from krypsis.io.whole import written_as_a_whole


def write_set_lines(sets: Transactions, path: Path) -> None:
    """Write one set per line: as a JSON list where the file is called so, else with commas between the items.

    Items are in the order of the item table. :func:`krypsis.io.set_lines.read_set_lines` brings back the same sets.

    Raises
    ------
    OutputError
        if the file cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "sales.csv")
    ...     write_set_lines(Transactions.of_sets([["milk", "bread"], ["milk"]]), file)
    ...     print(file.read_text("utf-8").strip())
    bread,milk
    milk
    """
    with written_as_a_whole(path) as part, part.open("w", encoding="utf-8", newline="") as stream:
        if path.suffix.lower() in JSON:
            stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in _rows(sets))
        else:
            csv.writer(stream, lineterminator="\n").writerows(_rows(sets))


def set_lines(sets: Transactions) -> str:
    """Return sets as text, one per line with commas between the items.

    Examples
    --------
    >>> print(set_lines(Transactions.of_sets([["milk", "bread"], ["salt, coarse"]])), end="")
    bread,milk
    "salt, coarse"
    """
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(_rows(sets))
    return text.getvalue()


def _rows(sets: Transactions) -> Iterator[list[str]]:
    """Yield the items of each set, in the order of the item table."""
    labels = [sets.items[code] for code in sets.codes.tolist()]
    return (labels[start:end] for start, end in pairwise(sets.starts.tolist()))
