"""The manifest: everything a release tells about itself. See ``docs/decisions/0003-what-a-release-tells.md``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import polars as pl

from krypsis.datasets.texts import PLAIN, text_of
from krypsis.errors import UsageError
from krypsis.format.claims import (
    FORMAT,
    Claims,
    Column,
    PromiseClaim,
    PublishedFile,
    SensitiveTable,
    Suppression,
    TableClaim,
)
from krypsis.format.files import PARQUET
from krypsis.hierarchies.base import Hierarchy, Label
from krypsis.io.write import PARQUET_WRITER
from krypsis.models.verdict import Verdict
from krypsis.schema import Role, Schema
from krypsis.specs import split_list

if TYPE_CHECKING:
    from krypsis.release.release import Release

SIGNIFICANT_DIGITS = 4


class Manifest(Claims):
    """The public description of a release; each field was asked what it tells an attacker."""

    @property
    def schema_of_columns(self) -> Schema:
        """The roles of the published columns."""
        apart = () if self.sensitive_table is None else self.sensitive_table.columns[1:2]
        roles = {column.name: column.role for column in (*self.columns, *apart)}
        whole = Schema(roles=roles, weights=self.weights)
        if self.quasi_identifier_sets == whole.sets:
            return whole
        return whole.model_copy(update={"quasi_identifier_sets": self.quasi_identifier_sets})

    def promising(self, verdicts: Sequence[Verdict]) -> Manifest:
        """Return the manifest with the promises as the checker found them kept."""
        names = {"promise", "required", "achieved", "sentence"}
        claims = tuple(
            PromiseClaim(proven=verdict.decided, **verdict.model_dump(include=names)) for verdict in verdicts
        )
        return self.model_copy(update={"promises": claims})

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The promises as verdicts; a release that breaks one is never written."""
        return tuple(
            Verdict(holds=True if claim.proven else None, **claim.model_dump(exclude={"proven"}))
            for claim in self.promises
        )


def describe(release: Release, files: Iterable[PublishedFile]) -> Manifest:
    """Return what may be told about a release, before its promises are checked."""
    table, sensitive_table, listed = release.table, release.sensitive_table, tuple(files)
    public = as_published(release)
    return Manifest(
        format=FORMAT,
        release_id=release.release_id,
        kind=release.kind,
        tool=f"krypsis {version('krypsis')}",
        # The day is enough for a reader; the minute would tell which session of the publisher made the release.
        created=datetime.now(tz=UTC).date().isoformat(),
        columns=_columns(table, release.schema),
        weights={name: weight for name, weight in release.schema.weights.items() if name in table.columns},
        quasi_identifier_sets=release.schema.sets,
        promises=(),
        algorithm=public["algorithm"],
        scheme=release.scheme,
        guarantee=release.guarantee,
        metric=release.metric,
        score=public["score"],
        metrics=public["metrics"],
        hierarchies=public["hierarchies"],
        levels=dict(release.levels),
        heights=dict(release.heights),
        rows=table.height if release.chunks is None else len(release.chunks),
        suppressed=Suppression(records=release.suppressed, mode=release.suppression),
        sensitive_hierarchies=_sensitive_rows(release, table if sensitive_table is None else sensitive_table),
        group_column=release.group_column,
        sensitive_table=None if sensitive_table is None else _sensitive_table(sensitive_table, release.schema),
        subject_column=release.subject_column,
        tables={
            name: TableClaim(columns=_columns(one.table, one.schema), rows=one.table.height)
            for name, one in release.tables.items()
        },
        parquet_writer=PARQUET_WRITER if any(file.name.endswith(PARQUET) for file in listed) else "",
        mechanism_record=release.mechanism_record,
        sensitive_items=tuple(sorted(release.sensitive_items)),
        item_hierarchy=() if release.item_hierarchy is None else tuple(map(tuple, release.item_hierarchy.rows())),
        files=listed,
    )


def as_published(release: Release) -> dict[str, Any]:
    """Return the fields of a release that a manifest tells less exactly, as it tells them."""
    shown = release.table if release.sensitive_table is None else release.sensitive_table
    rows = _sensitive_rows(release, shown) if not shown.is_empty() else {}
    return {
        "algorithm": _without_seed(release.algorithm),
        "score": _figure(release, release.metric.partition(":")[0], release.score),
        "metrics": {
            name: told for name, value in release.metrics.items() if (told := _figure(release, name, value)) is not None
        },
        "hierarchies": {name: _without_folders(label) for name, label in release.hierarchies.items()},
        "sensitive_hierarchies": {name: Hierarchy.from_rows(told, name) for name, told in rows.items() if told},
    }


def _sensitive_table(table: pl.DataFrame, schema: Schema) -> SensitiveTable:
    group, value, count = ((name, str(dtype)) for name, dtype in table.schema.items())
    return SensitiveTable(
        columns=(
            Column(name=group[0], role=Role.INSENSITIVE, type=group[1]),
            Column(name=value[0], role=schema.roles[value[0]], type=value[1]),
            Column(name=count[0], role=Role.INSENSITIVE, type=count[1]),
        ),
        rows=table.height,
    )


def _figure(release: Release, name: str, value: float | None) -> float | None:
    """Return a figure as it is published: where it depends on original values, rounded or not at all."""
    if value is None or name not in release.rounded:
        return value
    return None if release.hides_figures else round_figure(value)


def round_figure(value: float) -> float:
    """Round to four significant digits: an exact figure could be used to test guesses about the original values.

    Examples
    --------
    >>> round_figure(0.27777777777), round_figure(1234567.0)
    (0.2778, 1235000.0)
    """
    if not value or not math.isfinite(value):
        return value
    return float(f"{value:.{SIGNIFICANT_DIGITS - 1}e}")


def _columns(table: pl.DataFrame, schema: Schema) -> tuple[Column, ...]:
    for name in table.columns:
        if name not in schema.roles:
            raise UsageError(f"column {name!r} has no role; give every column that is published a role")
        if schema.roles[name] is Role.IDENTIFIER:
            raise UsageError(f"column {name!r} is an identifier and must not be published; remove it from the table")
    return tuple(Column(name=name, role=schema.roles[name], type=str(dtype)) for name, dtype in table.schema.items())


def _without_seed(spec: str) -> str:
    """Drop the seed, which would undo every random choice, such as the order of the records."""
    name, _, rest = spec.partition(":")
    told = [part for part in split_list(rest) if part and not re.match(r"seed\s*=", part)]
    return name + ":" * bool(told) + ",".join(told)


def _without_folders(label: str) -> str:
    r"""Drop the folders, which tell about the publisher's machine.

    Examples
    --------
    >>> _without_folders("csv /home/mary/study 7/age.csv"), _without_folders("intervals")
    ('csv age.csv', 'intervals')
    """
    kind, space, place = label.partition(" ")
    return kind + space + re.split(r"[/\\]", place)[-1]


def _sensitive_rows(release: Release, table: pl.DataFrame) -> dict[str, tuple[tuple[Label, ...], ...]]:
    texts = {name: text_of(table.get_column(name).rename(PLAIN)) for name in release.sensitive_hierarchies}
    return {
        name: _rows_in_use(hierarchy, set(texts[name].unique()))
        for name, hierarchy in release.sensitive_hierarchies.items()
    }


def _rows_in_use(hierarchy: Hierarchy, values: set[Label]) -> tuple[tuple[Label, ...], ...]:
    """Return the rows of values that occur: the others would tell which values the publisher was prepared for.

    A value that is published more generally may be any below it: all of these are told.
    """
    nodes = {label for labels in hierarchy.labels[1:] for label in labels}
    general = {value for value in values if value not in hierarchy.code_of and value in nodes}
    rows = hierarchy.covering(values - general, "a sensitive attribute").rows()
    return tuple(tuple(row) for row in rows if row[0] in values or not general.isdisjoint(row))
