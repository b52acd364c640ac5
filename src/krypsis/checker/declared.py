"""What a manifest declares must be what its files hold, and something must judge it: nothing is published unread."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from krypsis.checker.histories import COUNTERFEITS
from krypsis.datasets.set_tables import ITEM
from krypsis.errors import PromiseBroken, shorten
from krypsis.format.claims import Claims
from krypsis.format.files import CHUNKS, CSV, DATA, PARQUET, SENSITIVE_TABLE
from krypsis.models.base import PrivacyModel
from krypsis.models.mechanisms import MethodModel

KNOWN_WRITER = re.compile(r"polars [0-9]{1,4}(\.[0-9]{1,4}){1,3}((a|b|rc|-alpha\.|-beta\.|-rc\.)[0-9]{1,3})?")
"""How the manifest names what wrote its Parquet files."""

COLUMNS = ("group_column", "subject_column")
"""Fields of a manifest that name one column."""


def refuse_unjudged(folder: Path, claims: Claims, promises: Sequence[PrivacyModel]) -> None:
    """Raise if a manifest declares files, tables or values that no promise of the release is judged on.

    Raises
    ------
    PromiseBroken
        with what is declared and not judged.
    """
    found = [*_unread_files(claims), *_strange_names(claims), *_strange_writer(claims)]
    found += _of_sets(claims) if claims.kind == "transactions" else _of_tables(claims, promises)
    if found:
        raise PromiseBroken(
            f"the manifest of {folder} declares what no promise is judged on: {shorten(found, 5)}; nothing is known "
            "about it: do not trust this release"
        )


def _unread_files(claims: Claims) -> list[str]:
    names = {file.name for file in claims.files}
    stems = {DATA, *claims.tables} | (set() if claims.sensitive_table is None else {SENSITIVE_TABLE})
    is_in_pieces = claims.kind == "transactions" and CHUNKS in names
    read = {CHUNKS} if is_in_pieces else {stem + ending for stem in stems for ending in (CSV, PARQUET)}
    return [f"the file {name}" for name in sorted(names - read)]


def _strange_writer(claims: Claims) -> Iterator[str]:
    """Yield a name of what wrote Parquet files that is no version of polars, or where there are none."""
    has_parquet = any(file.name.endswith(PARQUET) for file in claims.files)
    if claims.parquet_writer and not (has_parquet and KNOWN_WRITER.fullmatch(claims.parquet_writer)):
        yield f"{claims.parquet_writer!r} as the writer of Parquet files"


def _strange_names(claims: Claims) -> Iterator[str]:
    """Yield fields that name columns which are not published."""
    published = {column.name for column in claims.columns}
    further = {f"{name}.{column.name}" for name, table in claims.tables.items() for column in table.columns}
    known = {*published, *further, *claims.sensitive, ITEM}
    for field in ("weights", "hierarchies", "levels", "heights"):
        yield from (f"{field} of {name!r}" for name in getattr(claims, field) if name not in known)
    for field in ("reference", "sensitive_hierarchies"):
        yield from (f"{field} of {name!r}" for name in getattr(claims, field) if name not in claims.sensitive)
    named = {"quasi_identifier_sets": {name for names in claims.quasi_identifier_sets for name in names}}
    named |= {field: {name} for field in COLUMNS if (name := getattr(claims, field)) is not None}
    for field, names in named.items():
        yield from (f"{field} with {name!r}" for name in sorted(names - published))


def _of_tables(claims: Claims, promises: Sequence[PrivacyModel]) -> Iterator[str]:
    kinds = {promise.kind for promise in promises}
    if claims.sensitive_table is not None and claims.sensitive_table.columns[0].name != claims.group_column:
        yield f"a table of sensitive values that does not begin with the group ({claims.group_column})"
    if claims.subject_column is not None:
        yield from _unlinked(claims, claims.subject_column)
        if claims.tables and "tables" not in kinds:
            yield f"further tables ({', '.join(claims.tables)}) without a promise about all tables together"
    elif strangers := set(claims.tables) - ({COUNTERFEITS} if claims.group_column is not None else set()):
        yield f"further tables that nothing links to the first ({', '.join(sorted(strangers))})"
    elif claims.tables and "history" not in kinds:
        yield "counterfeits without a promise about several releases"
    if claims.mechanism_record is not None and not any(isinstance(promise, MethodModel) for promise in promises):
        yield "a record of a mechanism without a promise about it"
    yield from (f"the field {field}" for field in ("sensitive_items", "item_hierarchy") if getattr(claims, field))


def _unlinked(claims: Claims, subject: str) -> Iterator[str]:
    for name, table in claims.tables.items():
        if subject not in [column.name for column in table.columns]:
            yield f"a table {name} without the column {subject!r}"


def _of_sets(claims: Claims) -> Iterator[str]:
    tables = ("subject_column", "tables", "mechanism_record", "reference", "sensitive_hierarchies")
    yield from (f"the field {field}" for field in tables if getattr(claims, field))
