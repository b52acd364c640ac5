"""Writing a table to a file."""

import csv
import hashlib
import json
from collections.abc import Callable, Iterator
from io import RawIOBase, StringIO
from itertools import pairwise
from pathlib import Path
from typing import IO

import polars as pl
from polars import selectors

from krypsis.data.transactions import Transactions
from krypsis.errors import OutputError
from krypsis.io.coded_table import are_many
from krypsis.io.private import written_as_a_whole
from krypsis.io.set_lines import JSON

PARQUET_WRITER = f"polars {pl.__version__}"
"""What writes Parquet files: another version may write the same table as other bytes."""
ROW_GROUP = 122_880
"""How many rows of a table of many are in a row group, about as many as polars would choose."""
Target = str | Path | IO[bytes]


def write_csv(frame: pl.DataFrame, path: Target, *, as_texts: bool = False) -> None:
    """Write the table as CSV: UTF-8, commas, a header, quotes where needed.

    A missing value is an empty field, an empty text is ``""``, so :func:`krypsis.io.read.read_table` brings back the
    same texts.

    Raises
    ------
    OutputError
        if the file cannot be written, or a column holds lists or other nested values, which CSV cannot hold.
    """
    try:
        _shown(frame, as_texts=as_texts).write_csv(
            _target(path),
            include_header=True,
            separator=",",
            quote_style="necessary",
            # readers take a mark at the beginning for that of the file and not for a part of the first name
            include_bom=bool(frame.columns) and frame.columns[0].startswith("\ufeff"),
        )
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _not_written(path, error) from error


def write_parquet(frame: pl.DataFrame, path: Target, *, as_texts: bool = False) -> None:
    """Write the table as Parquet, types kept; or else categories as the texts they are.

    Raises
    ------
    OutputError
        if the file cannot be written.
    """
    try:
        if are_many(frame.height):
            # Categories become texts a few at a time. Row groups of a given size do not depend on how that is done.
            table = _with_texts(frame.lazy()) if as_texts else frame.lazy()
            table.sink_parquet(_target(path), row_group_size=ROW_GROUP, maintain_order=True)
        else:
            _shown(frame, as_texts=as_texts).write_parquet(_target(path))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _not_written(path, error) from error


def write_parquet_in_other_groups(frame: pl.DataFrame, path: Target) -> None:
    """Write the table as Parquet as releases were written at first: polars chooses the row groups."""
    frame.write_parquet(_target(path))


PARQUET_LAYOUTS = (write_parquet, write_parquet_in_other_groups)
"""All ways in which releases have been written by one and the same version of polars."""


def _shown(table: pl.DataFrame, *, as_texts: bool) -> pl.DataFrame:
    return _with_texts(table.lazy()).collect() if as_texts else table


def _with_texts(table: pl.LazyFrame) -> pl.LazyFrame:
    return table.with_columns(selectors.by_dtype(pl.Enum).cast(pl.String))


def digest_of(write: Callable[[pl.DataFrame, IO[bytes]], None], frame: pl.DataFrame) -> str:
    r"""Return the SHA-256 of what a table is written as, without keeping it.

    Examples
    --------
    >>> digest_of(write_csv, pl.DataFrame({"age": [34]})) == hashlib.sha256(b"age\n34\n").hexdigest()
    True
    """
    found = _Digest()
    write(frame, found)  # type: ignore[arg-type]  # it is written to and nothing else
    return found.digest.hexdigest()


class _Digest(RawIOBase):
    """A file that keeps the checksum of what is written to it, and nothing else."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, content: bytes) -> int:  # type: ignore[override]
        self.digest.update(content)
        return len(content)


def _target(path: Target) -> Path | IO[bytes]:
    return Path(path) if isinstance(path, str | Path) else path


def _not_written(path: Target, error: Exception) -> OutputError:
    return OutputError(f"{path} cannot be written: {error}")


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
