"""From the groups of a version to a release: the tables that are published, and nothing that reveals who is who."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.algorithms.histories.base import LEFT_OUT, Form, HistoryMethod, Shown, Snapshot, VersionGrouping
from krypsis.algorithms.histories.families import first_nodes, level_and_code
from krypsis.algorithms.histories.groups import crowds_of
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.algorithms.histories.splits import axes_of_snapshot
from krypsis.algorithms.tables.boxes import Axis, publish_groups
from krypsis.algorithms.tables.boxes.boxes import ranks_of
from krypsis.arrays import BoolArray, CodeArray, FloatArray, IntArray
from krypsis.data.hierarchies import describe
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.ordering import order_of
from krypsis.data.recoding import CellRecoding, Codebook, FrequencySet
from krypsis.data.schema import Role, Schema
from krypsis.io.frames import worked_on
from krypsis.kinds.history.arrays import signature_rows
from krypsis.kinds.history.comparison import VersionTable
from krypsis.kinds.history.publication import HistoryVersion
from krypsis.kinds.history.settings import HistorySettings
from krypsis.kinds.history.state import State
from krypsis.kinds.table.families.bucketing import free_name
from krypsis.release.plain_types import keeps_spelling
from krypsis.release.provenance import Before, MadeBy
from krypsis.release.publication import PublishedTable
from krypsis.release.release import Release
from krypsis.release.run import Run

COUNTERFEITS = "counterfeits"
"""The name of the table that states how many counterfeits a group has, and of its column."""

MOST_COMPARED = 2_000_000
"""Of more records, the table before is not kept for a report: memory is needed for the release."""

GUARANTEE = (
    "One of several releases of a table that changes. Some records may be counterfeits, which nobody has; the table "
    "'counterfeits' states how many each group has. "
)
GUARANTEES: dict[Form, str] = {
    "anatomy": GUARANTEE
    + "The attributes an attacker may know are published as they are, so the release reveals who is "
    "in the table. It hides which of the sensitive values of a group belongs to whom: these values are in a table of "
    "their own, counted by group.",
    "generalization": GUARANTEE + "The records of a group look alike.",
}


@dataclass(frozen=True, eq=False)
class _Rows:
    """All published records, counterfeits at the end: group as it is published, quasi-identifiers, sensitive node."""

    group: IntArray
    codes: CodeArray
    nodes: IntArray
    real: int


def numbered(publication: VersionGrouping, rng: np.random.Generator) -> IntArray:
    """Return the published number of each group, from 1 on: by chance, so that no order reveals anything."""
    return rng.permutation(publication.groups) + 1


def release_of(
    settings: HistorySettings,
    method: HistoryMethod,
    snapshot: Snapshot,
    publication: VersionGrouping,
    numbers: IntArray,
    given: VersionTable,
    run: Run,
) -> Release:
    """Return the release of one version. Its promises have not been checked."""
    rows = _rows(snapshot, publication, numbers)
    column = free_name("group", list(settings.schema_of_columns.roles))
    labels, is_exact = _labels(snapshot.taxonomy, rows.nodes), (rows.nodes < len(snapshot.taxonomy.values)).all()
    values = (_in_type(labels, given.types[-1]) if is_exact else labels).rename(snapshot.sensitive)
    groups = pl.Series(column, rows.group)
    sensitive_table, books = None, {}
    if method.publish == "anatomy":
        table = pl.DataFrame([*_exact(snapshot, rows, given.types), groups])
        sensitive_table = _sensitive_table(rows, groups, values, table.columns)
    else:
        axes = axes_of_snapshot(snapshot)
        recoding = _recoding(snapshot, axes, rows, _crowd_of(axes, publication, rows, settings.k))
        table = pl.DataFrame([*_general(snapshot, recoding), values, groups])
        books = dict(zip(snapshot.attributes, recoding.codebooks, strict=True))
    untouched = [column for column in table if column.name in snapshot.attributes and sensitive_table is not None]
    untouched += [values] if is_exact else []
    version = HistoryVersion(
        table,
        _published_schema(settings.schema_of_columns, column),
        sensitive_table=sensitive_table,
        # The state compares texts, so a value must be the same text again when it is read.
        from_text=frozenset(one.name for one in untouched if given.is_text and keeps_spelling(one)),
        counterfeits=_counterfeits(rows, column),
        group_column=column,
    )
    made_by = MadeBy(
        promises=settings.promises,
        algorithm=method.spec,
        scheme=method.scheme,
        guarantee=GUARANTEES[method.publish],
        hierarchies=_used_hierarchies(settings, snapshot, method.publish),
        rows_before=table.height,
    )
    return run.release(
        version,
        made_by,
        _before(snapshot, publication, books, np.arange(table.height) >= rows.real)
        if rows.real <= MOST_COMPARED
        else None,
    )


def _used_hierarchies(settings: HistorySettings, snapshot: Snapshot, form: Form) -> dict[str, str]:
    """Return the hierarchies whose nodes are published: none where values are exact, or become ranges or sets."""
    used = [name for name in snapshot.attributes if name in snapshot.with_hierarchy and form == "generalization"]
    return {name: describe(settings.hierarchy_of(name)) for name in used}


def _before(snapshot: Snapshot, publication: VersionGrouping, books: dict[str, Codebook], nobody: BoolArray) -> Before:
    """Return the records that are published, as they were; counterfeits are no records of anybody."""
    shown = publication.group != LEFT_OUT
    codes, names = snapshot.codes[shown], snapshot.attributes
    columns = [
        pl.Series(hierarchy.values, dtype=pl.String).gather(codes[:, place]).rename(name)
        for place, (name, hierarchy) in enumerate(zip(names, snapshot.hierarchies, strict=True))
    ]
    sensitive = pl.Series(snapshot.taxonomy.values, dtype=pl.String).gather(snapshot.values[shown])
    known = dict(zip(names, snapshot.hierarchies, strict=True)) if books else {}
    hierarchies = {**known, snapshot.sensitive: snapshot.taxonomy}
    return Before(pl.DataFrame([*columns, sensitive.rename(snapshot.sensitive)]), hierarchies, books, nobody=nobody)


def _rows(snapshot: Snapshot, publication: VersionGrouping, numbers: IntArray) -> _Rows:
    shown, false = publication.group != LEFT_OUT, publication.counterfeits
    return _Rows(
        numbers[np.concatenate([publication.group[shown], false.group])],
        np.concatenate([snapshot.codes[shown], false.codes]),
        np.concatenate([publication.published[shown], false.published]),
        int(shown.sum()),
    )


def _labels(hierarchy: Hierarchy, nodes: IntArray) -> pl.Series:
    """Return the texts of nodes, which are numbered level by level."""
    labels = [label for labels in hierarchy.labels for label in labels]
    return pl.Series(labels, dtype=pl.String).gather(nodes)


def _exact(snapshot: Snapshot, rows: _Rows, types: tuple[pl.DataType, ...]) -> list[pl.Series]:
    """Return the quasi-identifiers as they are: numbers as numbers of the type they came in, all else as text."""
    columns = []
    for place, (name, hierarchy) in enumerate(zip(snapshot.attributes, snapshot.hierarchies, strict=True)):
        values = _in_type(pl.Series(hierarchy.values, dtype=pl.String), types[place])
        columns.append(values.gather(rows.codes[:, place]).rename(name))
    return columns


def _in_type(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return numbers as numbers of the type they came in; all else, such as what the type cannot hold, as text."""
    values = texts.cast(dtype, strict=False) if dtype.is_numeric() else texts
    return texts if values.null_count() > texts.null_count() else values


def _crowd_of(axes: Sequence[Axis], publication: VersionGrouping, rows: _Rows, k: int) -> IntArray:
    """Return for each published record the number of its crowd: those that are published alike."""
    false = publication.counterfeits.group
    group = np.concatenate([publication.group[publication.group != LEFT_OUT], false])
    people = np.bincount(group[: rows.real], minlength=publication.groups)
    center = _centers(axes, rows.codes[: rows.real], group[: rows.real], people)
    crowd: IntArray = crowds_of(people, publication.signature, center, k)[group]
    return crowd


def _centers(axes: Sequence[Axis], codes: CodeArray, group: IntArray, people: IntArray) -> FloatArray:
    """Return where each group lies: the mean rank of its people on each axis, between 0 and 1."""
    if not axes:
        return np.zeros((len(people), 0))
    ranks = ranks_of(codes, axes)
    sums = [np.bincount(group, weights=column, minlength=len(people)) for column in ranks.T]
    widths = np.array([max(len(axis.code_at) - 1, 1) for axis in axes])
    return np.asarray(np.stack(sums, axis=1) / np.maximum(people, 1)[:, None] / widths)


def _recoding(snapshot: Snapshot, axes: tuple[Axis, ...], rows: _Rows, crowd: IntArray) -> CellRecoding:
    """Return what makes the records of a crowd look alike."""
    if not snapshot.attributes:  # nothing that could look different
        return CellRecoding(rows.codes, (), np.zeros(len(crowd), dtype=np.bool_))
    ones = np.ones(len(crowd), dtype=np.int64)
    frequency = FrequencySet(snapshot.attributes, snapshot.hierarchies, _inside(rows, crowd), ones)
    return publish_groups(frequency, axes, crowd)


def _general(snapshot: Snapshot, recoding: CellRecoding) -> list[pl.Series]:
    """Return the quasi-identifiers as they are published where the records of a group look alike."""
    return [
        pl.Series(book.labels, dtype=pl.String).gather(recoding.released[:, place]).rename(name)
        for place, (name, book) in enumerate(zip(snapshot.attributes, recoding.codebooks, strict=True))
    ]


def _inside(rows: _Rows, crowd: IntArray) -> CodeArray:
    """Return the quasi-identifiers with counterfeits that widen no crowd of two or more people.

    A single real record keeps its counterfeits: published as a point, it would stand out.
    """
    real = np.arange(len(crowd)) < rows.real
    members = np.bincount(crowd[real], minlength=int(crowd.max(initial=-1)) + 1)
    example = np.zeros(len(members), dtype=np.int64)
    example[crowd[real]] = np.flatnonzero(real)
    moved = np.flatnonzero(~real & (members[crowd] > 1))
    codes = rows.codes.copy()
    codes[moved] = rows.codes[example[crowd[moved]]]
    return codes


def _sensitive_table(rows: _Rows, groups: pl.Series, values: pl.Series, taken: list[str]) -> pl.DataFrame:
    count = free_name("count", [*taken, values.name])
    keys = rows.group * (int(rows.nodes.max(initial=0)) + 1) + rows.nodes
    order = order_of(keys)
    begins = np.flatnonzero(np.diff(keys[order], prepend=-1))
    first, number = order[begins], np.diff(begins, append=len(keys))
    shown = [worked_on(column, lambda one: one.gather(first)) for column in (groups, values)]
    return pl.DataFrame([*shown, pl.Series(count, number.astype(np.int64))])


def _counterfeits(rows: _Rows, column: str) -> PublishedTable:
    group, count = np.unique(rows.group[rows.real :], return_counts=True)
    table = pl.DataFrame([pl.Series(column, group), pl.Series(COUNTERFEITS, count.astype(np.int64))])
    roles = dict.fromkeys(table.columns, Role.INSENSITIVE)
    return PublishedTable(table, Schema(roles=roles))


def _published_schema(schema: Schema, column: str) -> Schema:
    return schema.model_copy(update={"roles": {**schema.roles, column: Role.INSENSITIVE}})


def shown_of(state: State, signatures: Signatures, taxonomy: Hierarchy) -> Shown:
    """Return as what the entries of the signatures were published last, and how special they may become."""
    kept = state.frame(f"SELECT * FROM generalized WHERE version = {state.last}")  # noqa: S608  a number of ours
    if not kept.height:
        return Shown.exactly(signatures)
    known = signature_rows(signatures, taxonomy, 0).with_columns(slot=np.arange(len(signatures.nodes)))
    found = kept.join(known, on=["signature", "level", "label"], nulls_equal=True)
    slots = found.get_column("slot").to_numpy()
    nodes, lowest = (
        _raised(signatures.nodes, slots, found.get_column(name).to_numpy(), taxonomy) for name in ("shown", "lowest")
    )
    return Shown(nodes, lowest)


def shown_rows(signatures: Signatures, shown: Shown, taxonomy: Hierarchy, version: int) -> pl.DataFrame:
    """Return what the state keeps of a version: the entries that are, or have to be, more general than themselves."""
    is_general = np.maximum(shown.nodes, shown.lowest) > signatures.nodes
    every = signature_rows(signatures, taxonomy, 0)
    return every.with_columns(
        version=pl.lit(version, dtype=pl.Int32),
        shown=level_and_code(taxonomy, shown.nodes)[0].astype(np.int32),
        lowest=level_and_code(taxonomy, shown.lowest)[0].astype(np.int32),
    ).filter(pl.Series(is_general))


def _raised(nodes: IntArray, slots: IntArray, levels: IntArray, taxonomy: Hierarchy) -> IntArray:
    """Return the nodes with those of some slots replaced by the nodes above them at certain levels."""
    first = first_nodes(taxonomy)
    below = np.zeros(int(first[-1]), dtype=np.int64)
    below[first[:-1, None] + taxonomy.table] = np.arange(len(taxonomy.values))
    raised = nodes.copy()
    raised[slots] = first[levels] + taxonomy.table[levels, below[nodes[slots]]]
    return raised
