"""Read text files with one set of items per line: FIMI, SPMF, CSV without a header, and JSON lines."""

import json
from json import JSONDecoder
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.errors import DataError
from krypsis.io.csv_file import USUAL, parse_delimiter, records
from krypsis.io.paths import usable_path
from krypsis.io.source import TextSource

JSON_LINES = (".jsonl", ".ndjson")
JSON = (*JSON_LINES, ".json")
TEXT = (".dat", ".txt", ".csv", ".tsv", ".data", "")
SPMF_ENDS = ("-1", "-2")
"""What SPMF writes after each set of a sequence, and at the end of a line."""
LOOKED_AT = 200
"""How many lines are looked at to find out what stands between items."""
HEAD = 100_000
"""How many characters are looked at to find out what a file holds."""


def read_set_lines(path: Path, delimiter: str | None = None, encoding: str | None = None) -> pl.Series:
    r"""Return one list of items per line; of an empty line none.

    Between items stands a comma, semicolon, tab or bar if the first lines have one, else a space; an item that contains
    it stands in double quotes. The marks of SPMF files (``-1``, ``-2``, ``@ITEM=1=milk``) are understood. JSON has a
    list of items on every line, or is one list of all records.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "sales.dat")
    ...     _ = file.write_text("1 2 3\n2 3\n", encoding="utf-8")
    ...     read_set_lines(file).to_list()
    [['1', '2', '3'], ['2', '3']]
    """
    text = _text(path, encoding)
    if path.suffix.lower() in JSON:
        return _json_sets(text, path)
    mark = found_delimiter(text) if delimiter is None else parse_delimiter(delimiter)
    if '"' in text:
        cells = [[cell for cell in fields if cell] for _, fields in records(text, mark, path.name)]
        return pl.Series("item", cells, dtype=pl.List(pl.String))
    return _plain(text, mark)


def is_pairs(path: Path, delimiter: str | None = None, encoding: str | None = None) -> bool:
    """Say whether a text file looks like a table of two columns with a header: an id that comes again, and an item.

    Sets of two items in every line look the same but for the header, which names neither of the items below it.
    """
    names, *below = _rows_with_names(path, delimiter, encoding) or [[]]
    keys = [row[0] for row in below]
    return len(names) == 2 and len(set(keys)) < len(keys)


def table_names(path: Path, delimiter: str | None = None, encoding: str | None = None) -> list[str]:
    r"""Return the names of the columns of a text file that is a table, and nothing for one with a set per line.

    It is a table if all lines have equally many cells, and below a name that is no number stand nothing but numbers.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     sales, table = Path(folder, "sales.csv"), Path(folder, "table.csv")
    ...     _ = sales.write_text("milk,wine\nmilk,bread\n"), table.write_text("id,item,pieces\n1,milk,2\n1,wine,1\n")
    ...     table_names(sales), table_names(table)
    ([], ['id', 'item', 'pieces'])
    """
    names, *below = _rows_with_names(path, delimiter, encoding) or [[]]
    columns = zip(names, *below, strict=True)
    return names if any(not _is_number(name) and all(map(_is_number, cells)) for name, *cells in columns) else []


def _rows_with_names(path: Path, delimiter: str | None, encoding: str | None) -> list[list[str]]:
    """Return the first rows of a text file, if they are equally long and the first one names nothing that follows."""
    head = TextSource.open(path, encoding).head(HEAD).decode("utf-8-sig", errors="replace")
    mark = found_delimiter(head) if delimiter is None else parse_delimiter(delimiter)
    lines = records(head[: head.rfind("\n") + 1] or head, mark, path.name)
    rows = [[cell or "" for cell in fields] for _, fields in lines][:LOOKED_AT]
    if mark == " " or len(rows) < 2 or len(rows[0]) < 2 or len({len(row) for row in rows}) > 1:
        return []
    return [] if set(rows[0]) & {cell for row in rows[1:] for cell in row} else rows


def _is_number(cell: str) -> bool:
    return cell.strip().removeprefix("-").replace(".", "", 1).isdecimal()


def looks_like_sets(path: Path) -> bool:
    r"""Say whether a file clearly holds one set of items per line, and no table.

    JSON lines do, and whole numbers with spaces between them, not equally many in every line.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     sales, table = Path(folder, "sales.dat"), Path(folder, "table.csv")
    ...     _ = sales.write_text("1 2 3\n2 3\n"), table.write_text("age,sex\n40,f\n")
    ...     looks_like_sets(sales), looks_like_sets(table)
    (True, False)
    """
    path = usable_path(path)
    if path.suffix.lower() in JSON_LINES:
        return path.is_file()
    if not path.is_file() or path.suffix.lower() not in TEXT:
        return False
    with path.open("rb") as file:
        lines = [line.split() for line in file.read(HEAD).splitlines()[:LOOKED_AT]]
    numbers = all(word.removeprefix(b"-").isdigit() for line in lines for word in line)
    return numbers and len({len(line) for line in lines if line}) > 1


def _text(path: Path, encoding: str | None) -> str:
    if not usable_path(path).is_file():
        raise DataError(f"file {path} not found; expected a text file with one set of items per line")
    source = TextSource.open(path, encoding)
    try:
        return source.text()
    except UnicodeDecodeError as error:
        return source.read_differently(error).text()


def found_delimiter(text: str) -> str:
    r"""Return what stands between the items of the first lines.

    Examples
    --------
    >>> found_delimiter("bread;milk\nwine\n"), found_delimiter("3 17 2\n"), found_delimiter("red wine,milk\n")
    (';', ' ', ',')
    """
    head = text[:1_000_000].split("\n", LOOKED_AT)[:LOOKED_AT]
    counts = {mark: sum(mark in line for line in head) for mark in USUAL}
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] else " "


def _plain(text: str, mark: str) -> pl.Series:
    lines = text.replace("\r\n", "\n").split("\n")
    if lines and not lines[-1]:  # what follows the last line end is no line
        lines.pop()
    names, lines = _spmf_names(lines) if mark == " " else ({}, lines)
    cells = pl.DataFrame([pl.Series("item", lines, dtype=pl.String).str.split(mark)]).with_row_index("line")
    flat = cells.lazy().explode("item").with_columns(pl.col("item").str.strip_chars()).filter(pl.col("item") != "")
    found = flat.collect()
    if mark == " " and _is_spmf(found):
        found = found.filter(~pl.col("item").is_in(SPMF_ENDS))
    if names:
        found = found.with_columns(pl.col("item").replace(names))
    sets = found.group_by("line", maintain_order=True).agg("item")
    return cells.select("line").join(sets, on="line", how="left", maintain_order="left").get_column("item")


def _is_spmf(found: pl.DataFrame) -> bool:
    """Say whether every set that is not empty ends with a mark of SPMF."""
    ends = found.get_column("line").shift(-1).ne_missing(found.get_column("line"))
    last = found.get_column("item").filter(ends)
    return len(last) > 0 and bool(last.is_in(SPMF_ENDS).all())


def _spmf_names(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the names of items that an SPMF file gives in its first lines, and the other lines."""
    names: dict[str, str] = {}
    place = 0
    while place < len(lines) and lines[place].startswith("@"):
        key, _, rest = lines[place].partition("=")
        number, equals, name = rest.partition("=")
        if key == "@ITEM" and equals:
            names[number.strip()] = name.strip()
        place += 1
    return names, lines[place:]


def _json_sets(text: str, path: Path) -> pl.Series:
    if path.suffix.lower() not in JSON_LINES and (whole := _one_list(text)) is not None:
        found = [_json_set(one, f"{path.name}, record {number}") for number, one in enumerate(whole, start=1)]
    else:
        lines = enumerate(text.split("\n"), start=1)
        found = [_json_line(line, f"{path.name}, line {number}") for number, line in lines if line.strip()]
    return pl.Series("item", found, dtype=pl.List(pl.String))


def _one_list(text: str) -> list[Any] | None:
    """Return the records of a file that is one list of them; ``None`` for a file with one record per line."""
    try:
        first, end = JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return None  # reading line by line finds out where the mistake is
    is_whole = isinstance(first, list) and not text.lstrip()[end:].strip()
    return first if is_whole and all(isinstance(one, list | dict) for one in first) else None


def _json_line(line: str, where: str) -> list[str]:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{where} is not JSON: {error}; expected a list of items on every line, or one list of all records"
        ) from None
    return _json_set(content, where)


def _json_set(content: object, where: str) -> list[str]:
    if isinstance(content, dict):
        lists = [value for value in content.values() if isinstance(value, list)]
        content = lists[0] if len(lists) == 1 else content
    if not isinstance(content, list):
        raise DataError(f"{where}: expected a list of items, or an object with one list; got {content!r:.60}")
    for item in content:
        if not isinstance(item, str | int) or isinstance(item, bool):
            raise DataError(f"{where} holds the item {item!r:.60}; items are texts or whole numbers")
    return [str(item) for item in content]
