"""A table as somebody sees it who knows some columns of a person: records that look alike, and what they tell."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.checker.grouping import Coded, packed, totals
from krypsis.datasets.frames import frame_of
from krypsis.datasets.texts import PLAIN, text_of
from krypsis.errors import UsageError, column_not_found
from krypsis.hierarchies.base import Label
from krypsis.release.made_by import MECHANISM, PERTURBATION
from krypsis.release.release import Release

CHANGED = "Values of this release were changed, so a record that fits may be somebody else's."
NOBODY = "The rows of this release were made by chance: none is anybody's record, so a row that fits tells little."


@dataclass(frozen=True, eq=False)
class Told:
    """What somebody is told of a sensitive attribute: entry ``i`` says that of the records that look like
    ``look[i]``, ``weight[i]`` have ``value[i]``, a place in ``values``.
    """

    look: IntArray
    value: IntArray
    weight: FloatArray
    values: tuple[Label, ...]

    @property
    def totals(self) -> FloatArray:
        """For each entry, how many records look like it."""
        sums: FloatArray = np.bincount(self.look, self.weight).astype(np.float64)
        return sums[self.look]


@dataclass(frozen=True, eq=False)
class Seen:
    """A table, and the look of each record to somebody who knows some of its columns."""

    table: pl.DataFrame
    known: tuple[str, ...]
    release: Release | None = None
    _told: dict[str, tuple[Told, IntArray | None]] = field(default_factory=dict)
    """What was counted before, as several attacks ask for the same."""

    @classmethod
    def of(cls, data: Any, known: Sequence[str]) -> Seen:
        """Return a table, or the table of a release, with the columns that an attacker knows.

        Raises
        ------
        UsageError
            if it is a release of sets, which have no columns.
        ColumnError
            if there is no such column.
        """
        if isinstance(data, Seen) and data.known == tuple(known):
            return data
        if isinstance(data, str | os.PathLike) and Path(data).is_dir():
            data = Release.load(Path(data))
        release = data if isinstance(data, Release) else None
        if release is not None and not release.publication.is_tabular:
            raise UsageError(
                "this attack is for tables, and the release holds sets of items; for sets in pieces there is "
                "krypsis.attacks.cover"
            )
        if isinstance(known, str):
            raise UsageError(f"known must be a list of columns, got the text {known!r}; write [{known!r}]")
        table = frame_of(data) if release is None else release.table
        for name in known:
            if name not in table.columns:
                raise column_not_found(name, table.columns)
        return cls(table, tuple(dict.fromkeys(known)), release)

    @cached_property
    def look(self) -> IntArray:
        """The look of each record: equal numbers for records that the attacker cannot tell apart."""
        columns = [Coded.of(text_of(self.table.get_column(name))) for name in self.known]
        return np.unique(packed(columns, self.table.height), return_inverse=True)[1].astype(np.int64)

    @cached_property
    def sizes(self) -> IntArray:
        """How many records have each look."""
        return np.bincount(self.look).astype(np.int64)

    def unchanged_since(self, before: pl.DataFrame) -> BoolArray:
        """Return which records show in the known columns what they showed before, row by row."""
        if before.height != self.table.height:
            raise UsageError(
                f"the table before has {before.height} rows and the published one {self.table.height}; rows are "
                "compared one by one, so give the records that were published, in the same order"
            )
        same = np.ones(self.table.height, dtype=np.bool_)
        for name in self.known:
            if name not in before.columns:
                raise column_not_found(name, before.columns)
            old, new = (text_of(table.get_column(name)).rename(PLAIN) for table in (before, self.table))
            same &= old.eq_missing(new).to_numpy()
        return same

    @property
    def note(self) -> str:
        """What to keep in mind where published values are not those of the records."""
        scheme = "" if self.release is None else self.release.scheme
        return {PERTURBATION: CHANGED, MECHANISM: NOBODY}.get(scheme, "")

    def told(self, sensitive: str) -> tuple[Told, IntArray | None]:
        """Return what is told of an attribute, and the value of each record where the table tells it.

        In a release of groups every record of a group may have each of the values of the group.
        """
        if sensitive in self.known:
            raise UsageError(
                f"{sensitive!r} is what the attacker wants to learn, so it cannot be known; leave it out of known"
            )
        if sensitive not in self._told:
            self._told[sensitive] = self._counted(sensitive)
        return self._told[sensitive]

    def _counted(self, sensitive: str) -> tuple[Told, IntArray | None]:
        release = self.release
        if release is not None and release.group_column is not None and sensitive in release.schema.sensitive:
            return self._told_by_groups(release, release.group_column, sensitive), None
        if sensitive not in self.table.columns:
            raise column_not_found(sensitive, self.table.columns)
        column = Coded.of(text_of(self.table.get_column(sensitive)))
        return _counted(self.look, column), column.codes

    def rows_of(self, told: Told, chosen: BoolArray, values: IntArray | None) -> BoolArray:
        """Return which rows belong to some chosen entries: by look and value, or by look where values are apart."""
        width = max(len(told.values), 1)
        if values is None:
            return np.isin(self.look, told.look[chosen])
        return np.isin(self.look * width + values, told.look[chosen] * width + told.value[chosen])

    def _told_by_groups(self, release: Release, group_column: str, sensitive: str) -> Told:
        groups, values, counts = _histograms(release, group_column, sensitive)
        own = Coded.of(self.table.get_column(group_column).cast(pl.String))
        pairs, records = totals(self.look * max(len(own), 1) + own.codes, np.ones(self.table.height, dtype=np.int64))
        look, group = pairs // max(len(own), 1), pairs % max(len(own), 1)
        place = pl.DataFrame({"g": own.values, "group": np.arange(len(own))})
        entries = pl.DataFrame({"g": groups, "value": values.codes, "n": counts}).join(place, on="g")
        entries = entries.with_columns(share=pl.col("n") / pl.col("n").sum().over("group"))
        met = pl.DataFrame({"look": look, "group": group, "records": records}).join(entries, on="group")
        summed = met.group_by("look", "value").agg(weight=(pl.col("records") * pl.col("share")).sum())
        summed = summed.sort("look", "value")
        look, value, weight = (summed[name].to_numpy() for name in ("look", "value", "weight"))
        return Told(look, value, weight, tuple(values.values.to_list()))


def _counted(look: IntArray, column: Coded) -> Told:
    width = max(len(column), 1)
    keys, counts = totals(look * width + column.codes, np.ones(len(look), dtype=np.int64))
    return Told(keys // width, keys % width, counts.astype(np.float64), tuple(column.values.to_list()))


def _histograms(release: Release, group_column: str, sensitive: str) -> tuple[pl.Series, Coded, IntArray]:
    """Return group, value and count of what a release in groups tells of its sensitive attribute."""
    if release.sensitive_table is not None:
        group, value, count = release.sensitive_table.get_columns()
        return group.cast(pl.String), Coded.of(text_of(value)), count.cast(pl.Int64).to_numpy()
    group = release.table.get_column(group_column).cast(pl.String).rename(PLAIN)
    values = Coded.of(text_of(release.table.get_column(sensitive)))
    return group, values, np.ones(len(group), dtype=np.int64)
