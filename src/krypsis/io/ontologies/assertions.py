"""Assertions in CSV files: which class an individual is in, and who is related to whom."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from krypsis.arrays import CodeArray
from krypsis.data.ontologies import AxiomType, Ontology, Operator
from krypsis.data.ontologies.ontology import Expressions, Ragged
from krypsis.data.ontologies.wording import FORBIDDEN, in_brackets
from krypsis.errors import DataError
from krypsis.io.csv_file import find_header, is_blank, records
from krypsis.io.ontologies.constructs import BOTTOM_ROLE, NOTHING, THING, TOP_ROLE
from krypsis.io.ontologies.functional import USUAL_PREFIXES
from krypsis.io.source import TextSource, undecodable

INDIVIDUAL = frozenset({"individual", "subject", "member", "person", "source", "from"})
HEADERS = (
    (INDIVIDUAL, frozenset({"class", "type", "concept"})),
    (
        INDIVIDUAL,
        frozenset({"role", "predicate", "property", "relation"}),
        frozenset({"individual", "object", "other", "target", "to", "individual_2", "individual2", "value"}),
    ),
)
"""What the columns may be called; a file without such a header begins with an assertion."""
COLUMNS = ("individual", "middle", "other")


def read_assertions(source: TextSource, *, delimiter: str | None, prefixes: Mapping[str, str]) -> Ontology:
    """Return the ontology of a CSV file with the columns individual and class, or individual, role and individual.

    Both kinds of rows may stand in one file. Names are taken as they are, unless they begin with a prefix, or there is
    one for names without.

    Raises
    ------
    DataError
        if a row has other columns, with its line.
    """
    where = source.path.name
    try:
        header = find_header(source, delimiter)
        frame = _read_fast(source, header.delimiter, len(header.names))
        if frame is None:
            frame = _read_exactly(source, header.delimiter)
    except UnicodeDecodeError as error:
        raise undecodable(source.path, source.encoding, source.array().tobytes(), error) from None
    given = [(name or "").strip().casefold() for name in header.names]
    if any(len(given) == len(known) and all(map(frozenset.__contains__, known, given)) for known in HEADERS):
        frame = frame.slice(1)
    short = frame.filter((pl.col("individual") == "") | (pl.col("middle") == ""))
    if short.height:
        raise DataError(
            f"{where}, line {short['line'][0]}: expected individual and class, or individual, role and individual; "
            "a name is missing"
        )
    return _ontology_of(frame.with_columns(pl.col(COLUMNS).str.strip_chars()), prefixes, where)


def _read_fast(source: TextSource, delimiter: str, width: int) -> pl.DataFrame | None:
    """Return all rows as polars reads them; nothing if a row may be other than it seems."""
    schema = dict.fromkeys(COLUMNS[:width], pl.String)
    try:
        frame = pl.read_csv(
            source.content(), separator=delimiter, has_header=False, schema=schema, infer_schema=False, glob=False
        )
    except pl.exceptions.PolarsError:
        return None
    if b'"' in source.array().tobytes():  # a row may take several lines
        return None
    frame = frame.with_row_index("line", 1)
    if width < len(COLUMNS):
        frame = frame.with_columns(other=pl.lit(""))
    return frame.filter(~pl.all_horizontal(pl.col(COLUMNS).fill_null("") == "")).fill_null("")


def _read_exactly(source: TextSource, delimiter: str) -> pl.DataFrame:
    where = source.path.name
    rows: list[tuple[int, str, str, str]] = []
    for line, fields in records(source.text(), delimiter, where):
        if is_blank(fields):
            continue
        if len(fields) not in {2, 3}:
            raise DataError(
                f"{where}, line {line}: expected individual and class, or individual, role and individual; "
                f"got {len(fields)} column(s)"
            )
        values = [value or "" for value in fields]
        rows.append((line, values[0], values[1], values[2] if len(values) > 2 else ""))
    return pl.DataFrame(rows, schema={"line": pl.UInt32, **dict.fromkeys(COLUMNS, pl.String)}, orient="row")


def _ontology_of(frame: pl.DataFrame, prefixes: Mapping[str, str], where: str) -> Ontology:
    """Return the ontology, built of whole columns; the first of equal rows counts."""
    is_member = (frame["other"] == "").to_numpy()
    individuals, (ones, others) = _numbered([frame["individual"], frame["other"].filter(~is_member)], prefixes)
    classes, (class_codes,) = _numbered([frame["middle"].filter(is_member)], prefixes)
    roles, (role_codes,) = _numbered([frame["middle"].filter(~is_member)], prefixes)
    if special := [name for name in roles if name in {TOP_ROLE, BOTTOM_ROLE}]:
        raise DataError(f"{where}: {special[0]} relates everything or nothing; expected the name of a role")
    named = classes.is_in([THING, NOTHING]).to_numpy()
    expression_of = np.cumsum(~named, dtype=np.int32) + 1  # after ⊤ and ⊥
    for place in np.flatnonzero(named).tolist():
        expression_of[place] = 0 if classes[place] == THING else 1
    classes = classes.filter(~named)
    first = 2 + len(classes)
    rows = np.full((len(frame), 3), -1, dtype=np.int32)
    rows[is_member, 0], rows[is_member, 1] = expression_of[class_codes], first + ones[is_member]
    rows[~is_member, 0], rows[~is_member, 1], rows[~is_member, 2] = role_codes, first + ones[~is_member], first + others
    different = (
        pl.DataFrame(rows, schema=["a", "b", "c"], orient="row")
        .with_columns(is_member=is_member, line=frame["line"].cast(pl.Int64))
        .unique(subset=["a", "b", "c", "is_member"], keep="first", maintain_order=True)
    )
    rows, is_member = different.select("a", "b", "c").to_numpy(), different["is_member"].to_numpy()
    lengths = np.where(is_member, 2, 3)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    values = rows[np.arange(3) < lengths[:, None]].astype(np.int32)
    return Ontology(
        classes=classes,
        individuals=individuals,
        roles=roles,
        expressions=_names_alone(len(classes), len(individuals)),
        types=np.where(is_member, AxiomType.MEMBER, AxiomType.RELATED).astype(np.int32),
        arguments=Ragged(values, starts),
        prefixes=dict(prefixes),
        lines=different["line"].to_numpy(),
    )


def _names_alone(classes: int, individuals: int) -> Expressions:
    """Return the expressions of names, after ⊤ and ⊥."""
    counts = (1, 1, classes, individuals)
    operators = np.repeat([Operator.TOP, Operator.BOTTOM, Operator.NAME, Operator.NOMINAL], counts).astype(np.int32)
    values = np.concatenate([np.arange(classes), np.arange(individuals)]).astype(np.int32)
    starts = np.concatenate([[0, 0], np.arange(len(values) + 1)]).astype(np.int64)
    return Expressions(operators, Ragged(values, starts))


def _numbered(columns: list[pl.Series], prefixes: Mapping[str, str]) -> tuple[pl.Series, list[CodeArray]]:
    """Return the different names, as whole ones, and the number of each in the columns."""
    joined = pl.concat([column.alias("name") for column in columns])
    written = joined.unique(maintain_order=True)
    codes = joined.cast(pl.Enum(written)).to_physical().cast(pl.Int32).to_numpy()
    names = _whole_names(written, prefixes)
    if names.n_unique() < len(names):  # some are written in several ways
        whole = names
        names = whole.unique(maintain_order=True)
        codes = whole.cast(pl.Enum(names)).to_physical().cast(pl.Int32).to_numpy()[codes]
    return names, np.split(codes, np.cumsum([len(column) for column in columns])[:-1])


def _whole_names(names: pl.Series, prefixes: Mapping[str, str]) -> pl.Series:
    """Return names with prefixes replaced by what they stand for, and ``%20`` for what no name may hold."""
    known = {**USUAL_PREFIXES, **prefixes}
    parts = names.to_frame("name").select(
        "name",
        prefix=pl.col("name").str.extract(r"^([\w.-]*:)[^/]", 1),
        bare=~pl.col("name").str.contains(":", literal=True),
    )
    start = pl.col("prefix").replace_strict(list(known), list(known.values()), default=None, return_dtype=pl.String)
    without = pl.lit(prefixes.get(":", ""))
    whole = parts.select(
        name=pl.when(start.is_not_null())
        .then(start + pl.col("name").str.strip_prefix(pl.col("prefix")))
        .when(pl.col("bare"))
        .then(without + pl.col("name"))
        .otherwise("name")
    )["name"]
    if not (odd := whole.str.contains(FORBIDDEN.pattern)).any():
        return whole
    return whole.set(odd, None).fill_null(
        pl.Series([in_brackets(name)[1:-1] if is_odd else "" for name, is_odd in zip(whole, odd, strict=True)])
    )
