"""The triples of an RDF graph, read from N-Triples, as numbers of terms."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.errors import DataError

NAME = r"<[^<>\"{}|^`\\\x00-\x20]*>"
BLANK_NODE = r"_:[^\s<>\"]+"
LITERAL = r"\"(?:[^\"\\\n\r]|\\.)*\"(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*(?:--[a-z]+)?|\^\^<[^<>\"\s]*>)?"
ESCAPED = r"<(?:[^<>\"{}|^`\\\x00-\x20]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*>"
STATEMENT = re.compile(
    rf"\s*(?P<s>{ESCAPED}|{BLANK_NODE})\s*(?P<p>{ESCAPED})\s*(?P<o>{ESCAPED}|{BLANK_NODE}|{LITERAL})\s*\.\s*(?:#.*)?",
)
"""A line in any spelling that N-Triples allows."""
BLANK = re.compile(r"\s*(?:#.*)?")


@dataclass(frozen=True, eq=False, repr=False)
class Triples:
    """The triples of a graph; names stand without brackets, blank nodes as ``_:x``, and literals in quotes."""

    terms: pl.Series
    subjects: CodeArray
    predicates: CodeArray
    objects: CodeArray
    lines: IntArray | None
    """The line of each triple, where it was read from one."""

    def __len__(self) -> int:
        return len(self.subjects)


def read_triples(data: bytes, where: str, *, with_lines: bool = True) -> Triples:
    r"""Return the triples of a text in N-Triples, which is UTF-8.

    Raises
    ------
    DataError
        if a line is no triple, with its number.

    Examples
    --------
    >>> triples = read_triples(b"<a:b> <a:c> _:d .\n# nothing\n<a:b> <a:c> <a:b> .\n", "example")
    >>> terms = triples.terms.to_list()
    >>> [[terms[each[place]] for each in (triples.subjects, triples.objects)] for place in range(2)]
    [['a:b', '_:d'], ['a:b', 'a:b']]
    """
    lines = _lines(data)
    # In the usual spelling one blank stands between the parts of a triple, and one before its end.
    parts = lines.str.splitn(" ", 3).struct.unnest()
    parts.columns = ["s", "p", "o"]
    ends = parts["o"].str.ends_with(" .").fill_null(value=False).to_numpy()
    parts = parts.with_columns(pl.col("o").str.strip_suffix(" .")).fill_null("")
    places = np.arange(1, len(lines) + 1)
    found = _numbered(parts)
    usual = _in_usual_spelling(found, ends)
    if not usual.all():
        parts, places = _with_others(lines, parts, usual, where)
        found = _numbered(parts)
    return replace(found, terms=_without_brackets(found.terms), lines=places if with_lines else None)


def _lines(data: bytes) -> pl.Series:
    """Return the lines of a text; empty ones, which may be missing values, count."""
    if not data or data.isspace():  # strip would copy all of it
        return pl.Series("line", [], dtype=pl.String)
    try:
        return pl.read_csv(
            data, has_header=False, separator="\x01", quote_char=None, schema={"line": pl.String}, infer_schema=False
        )["line"].fill_null("")
    except pl.exceptions.PolarsError:  # the separator occurs
        return pl.Series("line", data.decode("utf-8").split("\n"), dtype=pl.String).str.strip_suffix("\r")


def _numbered(parts: pl.DataFrame) -> Triples:
    """Return triples as numbers of terms, which stand as they are written."""
    kinds = parts["p"].alias("term").unique()  # few
    names = pl.concat([kinds, parts["s"].alias("term"), parts["o"].alias("term")])
    terms = names.unique(maintain_order=True)
    codes = names.cast(pl.Enum(terms)).to_physical().cast(pl.Int32).to_numpy()
    predicates = codes[: len(kinds)][parts["p"].cast(pl.Enum(kinds)).to_physical().to_numpy()]
    subjects, objects = codes[len(kinds) :].reshape(2, -1)
    return Triples(terms, subjects, predicates, objects, None)


def _in_usual_spelling(found: Triples, ends: BoolArray) -> BoolArray:
    is_name, is_blank, is_literal = (
        found.terms.str.contains(rf"^(?:{pattern})$").to_numpy() for pattern in (NAME, BLANK_NODE, LITERAL)
    )
    has_ends = ends & (is_name | is_blank)[found.subjects] & (is_name | is_blank | is_literal)[found.objects]
    right: BoolArray = has_ends & is_name[found.predicates]
    return right


def _with_others(lines: pl.Series, parts: pl.DataFrame, usual: BoolArray, where: str) -> tuple[pl.DataFrame, IntArray]:
    """Return all triples, those in unusual spelling among them, and their lines."""
    rows: list[tuple[str, str, str]] = []
    places: list[int] = []
    for place in np.flatnonzero(~usual).tolist():
        line = lines[place]
        if found := STATEMENT.fullmatch(line):
            rows.append((found["s"], found["p"], found["o"]))
            places.append(place + 1)
        elif not BLANK.fullmatch(line):
            raise DataError(
                f"{where}, line {place + 1}: expected a triple such as '<http://a> <http://b> <http://c> .', "
                f"got {line[:80]!r}"
            )
    known = np.flatnonzero(usual) + 1
    others = pl.DataFrame(rows, schema=parts.schema, orient="row")
    all_places = np.concatenate([known, np.array(places, dtype=np.int64)])
    order = np.argsort(all_places, kind="stable")
    return pl.concat([parts.filter(pl.Series(usual)), others])[order], all_places[order]


def _without_brackets(terms: pl.Series) -> pl.Series:
    """Return names without brackets and escapes; no literal begins with a bracket."""
    is_name = terms.str.starts_with("<")
    bare = terms.to_frame("term").select(
        pl.when(is_name).then(pl.col("term").str.slice(1, pl.col("term").str.len_chars() - 2)).otherwise("term")
    )["term"]
    if not (escaped := is_name & terms.str.contains("\\", literal=True)).any():
        return bare
    texts: Iterable[str] = (
        _unescaped(text) if change else text for text, change in zip(bare.to_list(), escaped.to_list(), strict=True)
    )
    return pl.Series("term", list(texts), dtype=pl.String)


def _unescaped(name: str) -> str:
    return re.sub(r"\\u(.{4})|\\U(.{8})", lambda found: chr(int(found[1] or found[2], 16)), name)
