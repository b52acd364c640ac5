"""How the checker reads sets of items back: those of a release, and those of any tool."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.checker.base import Given, KindCheck, based_on, names_of
from krypsis.checker.sets import check_sets
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Disassociated, GroupedSets, PublishedSets
from krypsis.errors import DataError, HierarchyError, PromiseBroken, UsageError, column_not_found
from krypsis.format.chunks_file import HEAD, chunk_lines, read_chunk_lines, read_chunks
from krypsis.format.claims import Claims
from krypsis.format.files import CHUNKS, opened, read_data, read_sensitive_table
from krypsis.io.frames import frame_of
from krypsis.io.item_sets import GROUP, ITEM, RECORD, sets_of, transactions_of
from krypsis.io.read import read_table
from krypsis.models.base import Basis, PrivacyModel, Verdict


class SetsCheck(KindCheck):
    """Reads sets of items: as they are, in groups, or in pieces."""

    name = "transactions"
    promise_kinds = ("transactions",)
    judged_fields = frozenset({"group_column", "sensitive_table", "sensitive_items", "item_hierarchy"})

    def check_files(
        self, folder: Path, claims: Claims, models: Sequence[PrivacyModel], given: Given
    ) -> tuple[Verdict, ...]:
        named = claims.sensitive_items if given.sensitive is None else names_of(given.sensitive)
        published, sensitive = load_sets(folder, claims), frozenset(named)
        hierarchy = (given.hierarchies or {}).get(ITEM)
        if hierarchy is not None:
            return check_sets(published, models, hierarchy=hierarchy, sensitive=sensitive)
        try:
            return check_sets(published, models, hierarchy=claims.hierarchy_of_items, sensitive=sensitive)
        except HierarchyError as error:
            raise PromiseBroken(
                f"the manifest of {folder} states a hierarchy that does not fit its sets: {error}"
            ) from None

    def check_data(self, published: Any, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
        item, reading = given.item, given.named("delimiter", "encoding")
        sets = published_sets(published, **given.named("key", "item", "group", "sensitive_table"), **reading)
        named = frozenset(names_of(given.sensitive))
        hierarchy = _hierarchy_of_items(given.hierarchies or {}, item)
        columns = () if item is None else columns_of(published, **reading)
        hidden = sets.sensitive if isinstance(sets, GroupedSets) and not named else named
        basis = basis_of_sets(columns, item, {given.key, given.group}, sorted(hidden))
        return based_on(basis, check_sets(sets, models, hierarchy=hierarchy, sensitive=named))

    def files(self, claims: Claims) -> frozenset[str]:
        is_in_pieces = CHUNKS in {file.name for file in claims.files}
        return frozenset({CHUNKS}) if is_in_pieces else super().files(claims)


def load_chunks(folder: Path, claims: Claims) -> Disassociated | None:
    """Read disassociated sets; ``None`` where the release has another form."""
    file = next((file for file in claims.files if file.name == CHUNKS), None)
    if file is None:
        return None
    try:
        with opened(folder / CHUNKS, file) as stream:
            found = read_chunk_lines(stream, CHUNKS)
    except DataError as error:
        raise PromiseBroken(f"{folder} publishes no clusters of sets that can be read: {error}") from None
    if len(found) != claims.rows:
        raise PromiseBroken(f"{folder} publishes {len(found)} records, but its manifest says {claims.rows}")
    if _digest(chunk_lines(found)) != file.sha256:
        raise PromiseBroken(
            f"{folder / CHUNKS} is not written as a release writes its clusters, so it may hold more than these; do "
            "not trust this release"
        )
    return found


def _digest(lines: Iterable[str]) -> str:
    found = sha256()
    for line in lines:
        found.update(line.encode())
    return found.hexdigest()


def load_sets(folder: Path, claims: Claims) -> PublishedSets:
    """Read published sets from a folder, in whichever form they are published."""
    chunks = load_chunks(folder, claims)
    if chunks is not None:
        return chunks
    table, sensitive_table = read_data(folder, claims), read_sensitive_table(folder, claims)
    expected = [RECORD, ITEM] if sensitive_table is None else [RECORD, GROUP, ITEM]
    if sorted(table.columns) != sorted(expected):
        raise PromiseBroken(
            f"{folder} publishes the columns {', '.join(table.columns)}; sets of items have {', '.join(expected)}, and "
            "nothing is known about others: do not trust this release"
        )
    try:
        return sets_of(table, sensitive_table)
    except DataError as error:
        raise PromiseBroken(f"{folder} publishes no sets that can be read: {error}") from None


def published_sets(
    data: Any,
    *,
    key: str | None = None,
    item: str | None = None,
    group: str | None = None,
    sensitive_table: Any = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> PublishedSets:
    """Return published sets in the form in which they are published.

    Parameters
    ----------
    data, key, item, delimiter, encoding
        the sets, in any form that :func:`krypsis.io.item_sets.transactions_of` reads; or the JSON file of a
        disassociated release.
    group, sensitive_table
        of sets in groups: the column that says which group a record is in, and the table of sensitive items with the
        columns group, item and number of records.

    Examples
    --------
    >>> len(published_sets([["bread", "milk"], ["bread"]]))
    2
    """
    if _is_chunks(data):
        return read_chunks(Path(data))
    if group is None and sensitive_table is None:
        return transactions_of(data, key=key, item=item, delimiter=delimiter, encoding=encoding)
    if group is None or sensitive_table is None or key is None or item is None:
        raise UsageError(
            "sets in groups need four names: the columns of records (key), items (item) and groups (group), and the "
            "table of sensitive items (sensitive_table)"
        )
    table = _selected(_frame(data, delimiter, encoding), {RECORD: key, GROUP: group, ITEM: item})
    sensitive_table = _frame(sensitive_table, delimiter, encoding)
    if sensitive_table.width != 3:
        found = ", ".join(sensitive_table.columns)
        raise DataError(f"the table of sensitive items must have the columns group, item and count; got: {found}")
    return sets_of(table, sensitive_table)


def columns_of(data: Any, delimiter: str | None = None, encoding: str | None = None) -> tuple[str, ...]:
    """Return the columns of a table of items, also those that are not read from it; none for other forms of sets."""
    return () if _is_chunks(data) else tuple(_frame(data, delimiter, encoding).columns)


def _is_chunks(data: Any) -> bool:
    """Whether data is the file of a disassociated release."""
    if not isinstance(data, str | os.PathLike) or Path(data).suffix.lower() != ".json" or not Path(data).is_file():
        return False
    with Path(data).open("rb") as file:
        return file.read(len(HEAD)) == HEAD.encode()


def _frame(data: Any, delimiter: str | None, encoding: str | None) -> pl.DataFrame:
    if isinstance(data, str | os.PathLike):
        return read_table(Path(data), delimiter=delimiter, encoding=encoding)
    return frame_of(data)


def _selected(frame: pl.DataFrame, names: dict[str, str]) -> pl.DataFrame:
    for name in names.values():
        if name not in frame.columns:
            raise column_not_found(name, frame.columns)
    return frame.select(frame.get_column(name).alias(new) for new, name in names.items())


def _hierarchy_of_items(hierarchies: Mapping[str, Any], item: str | None) -> Hierarchy | None:
    found = hierarchies.get(item or "item")
    if found is not None and not isinstance(found, Hierarchy):
        raise UsageError(f"the hierarchy of items must be a Hierarchy, got {type(found).__name__}")
    return found


def basis_of_sets(
    columns: Sequence[str], item: str | None, structure: Collection[str | None], sensitive: Sequence[str]
) -> Basis:
    """Return what sets of items of any tool were judged on: an attacker knows items of a record.

    Examples
    --------
    >>> basis_of_sets(["record", "item", "town"], "item", {"record", None}, []).sentences()
    ('Judged on: an attacker knows item; sensitive: none.', 'Not judged: town.')
    """
    rest = tuple(name for name in columns if name != item and name not in structure)
    return Basis(quasi_identifiers=((item or ITEM,),), sensitive=tuple(sensitive), not_judged=rest)
