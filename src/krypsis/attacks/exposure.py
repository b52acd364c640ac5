"""Attacks on one table: how it looks to somebody who knows some columns of a person, and what is exposed by that."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import polars as pl
from pydantic import BeforeValidator, Field

from krypsis.arrays import BoolArray, ColumnArray, FloatArray, IntArray
from krypsis.attacks.base import Attack, AttackSuccess
from krypsis.checker.grouping import Coded, packed, totals
from krypsis.checker.parted_rows import PartedRows
from krypsis.data.groups import Histogram
from krypsis.data.hierarchies.base import Label
from krypsis.errors import UsageError, column_not_found
from krypsis.io.frames import frame_of
from krypsis.io.texts import PLAIN, text_of
from krypsis.release.provenance import MECHANISM, PERTURBATION
from krypsis.release.release import Release
from krypsis.specs import names_of

ROUNDING = 1e-9
"""Chances that come from groups are sums of fractions; one that misses the limit by less than this reaches it."""

SHOWN = 20
"""How many exposed rows a result names unless asked for more."""

Columns = Annotated[
    tuple[str, ...], BeforeValidator(lambda given: names_of(given) if isinstance(given, str) else given)
]
"""Names of columns, also as one text with commas between; those of a list stay as they are."""

CHANGED = "Values of this release were changed, so a record that fits may be somebody else's."
NOBODY = "The rows of this release were made by chance: none is anybody's record, so a row that fits means little."


@dataclass(frozen=True)
class Exposure:
    """The result of an attack on one table by somebody who knows some columns of a person.

    Examples
    --------
    >>> found = Exposure("linkage", ("age",), "", 4, 1, (2,), 0.75, 1.0, 0.25)
    >>> found.share, found.expected
    (0.25, 3.0)
    """

    attack: str
    known: tuple[str, ...]
    """The columns that the attacker knows of a person."""
    sensitive: str
    """The column that the attacker wants to learn; empty where it is the record itself."""
    records: float
    """Of how many records the attack was tried."""
    exposed: float
    """How many records the attacker is sure enough of; an expected number where a release publishes groups."""
    sample: tuple[int, ...]
    """The first rows of the table that are exposed, counted from 0 in the order of the table; none of a release in
    parts, whose rows are counted and not looked at one by one."""
    average_chance: float
    """How likely the attacker is right, on average over the records."""
    highest_chance: float
    baseline: float
    """How likely the attacker would be right without knowing any column."""
    certainty: float = 1.0
    """The chance from which on a record counts as exposed."""
    note: str = ""
    """What to keep in mind when reading the result."""

    @property
    def share(self) -> float:
        """The share of exposed records."""
        return self.exposed / self.records if self.records else 0.0

    @property
    def expected(self) -> float:
        """Of how many records the attacker is right, to be expected."""
        return self.average_chance * self.records

    def as_dict(self) -> dict[str, Any]:
        """Return the result by name, ready for JSON."""
        found = asdict(self)
        return {**found, "known": list(self.known), "sample": list(self.sample), "share": self.share}


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """How often which sensitive value is seen: entry ``i`` says that of the records that look like ``look[i]``,
    ``weight[i]`` have ``value[i]``, a place in ``values``.
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
class AttackerView:
    """A table, and the look of each record to somebody who knows some of its columns."""

    table: pl.DataFrame
    known: tuple[str, ...]
    release: Release | None = None
    weights: IntArray | None = None
    """How many records each row stands for, where rows that are alike were counted; one unless given."""
    _counts: dict[str, tuple[ValueCounts, ColumnArray | None]] = field(default_factory=dict)
    """What was counted before, as several attacks ask for the same."""

    @classmethod
    def of(cls, data: Any, known: Sequence[str] | None = None, wanted: Sequence[str] = ()) -> "AttackerView":
        """Return a table, or the table of a release, with the columns that an attacker knows.

        Without columns it is the quasi-identifiers of the release that are known. Of a release in parts the distinct
        rows are counted, in these columns, the sensitive ones and those that are ``wanted``.

        Raises
        ------
        UsageError
            if it is a release of sets, which have no columns, or nobody says which columns are known.
        ColumnError
            if there is no such column.
        """
        if isinstance(data, AttackerView) and (known is None or data.known == tuple(known)):
            return data
        data = opened(data)
        release = data if isinstance(data, Release) else None
        if release is not None and not release.publication.is_tabular:
            raise UsageError(
                "this attack is for tables, and the release holds sets of items; for sets in pieces there is "
                "the attack 'cover'"
            )
        if known is None:
            if release is None:
                raise UsageError("a table does not say which columns an attacker knows; name them with 'known'")
            known = release.schema.quasi_identifiers
        chosen = tuple(dict.fromkeys(known))
        if release is not None and isinstance(rows := release.publication.rows(), PartedRows):
            usual, asked = [*release.schema.quasi_identifiers, *release.schema.sensitive], {*chosen, *wanted}
            # Promises are judged on the usual columns, too, so that the parts are read once for all.
            found = rows.counted(usual if asked <= {*usual} else [*asked, *release.schema.sensitive])
            return cls(found.frame(), chosen, release, found.counts)
        table = frame_of(data) if release is None else release.table
        for name in chosen:
            if name not in table.columns:
                raise column_not_found(name, table.columns)
        return cls(table, chosen, release)

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.table.height if self.weights is None else int(self.weights.sum())

    @cached_property
    def records_of_rows(self) -> IntArray:
        """How many records each row of the table stands for."""
        return np.ones(self.table.height, dtype=np.int64) if self.weights is None else self.weights

    @cached_property
    def look(self) -> IntArray:
        """The look of each record: equal numbers for records that the attacker cannot distinguish."""
        columns = [Coded.of(text_of(self.table.get_column(name))) for name in self.known]
        return np.unique(packed(columns, self.table.height), return_inverse=True)[1].astype(np.int64)

    @cached_property
    def sizes(self) -> IntArray:
        """How many records have each look."""
        return np.bincount(self.look, self.records_of_rows).astype(np.int64)

    def unchanged_since(self, before: pl.DataFrame) -> BoolArray:
        """Return which records show in the known columns what they showed before, row by row."""
        if self.weights is not None:
            raise UsageError(
                "rows are compared with those before one by one, and a release in parts is counted; give its table, "
                f"which brings {self.records:,} rows into memory"
            )
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

    def value_counts(self, sensitive: str) -> tuple[ValueCounts, ColumnArray | None]:
        """Return how often records that look alike have which value, and the value of each record where it is known.

        In a release of groups every record of a group may have each of the values of the group.
        """
        if sensitive in self.known:
            raise UsageError(
                f"{sensitive!r} is what the attacker wants to learn, so it cannot be known; leave it out of known"
            )
        if sensitive not in self._counts:
            self._counts[sensitive] = self._counted(sensitive)
        return self._counts[sensitive]

    def give_counts(self, sensitive: str, histogram: Histogram) -> None:
        """Say how often each row of the table, as a group, has which sensitive value, where no column of it says so."""
        width = max(len(histogram.domain), 1)
        keys, counts = totals(self.look[histogram.group] * width + histogram.value, histogram.count)
        counted = ValueCounts(keys // width, keys % width, counts.astype(np.float64), histogram.domain.values)
        self._counts[sensitive] = counted, None

    def _counted(self, sensitive: str) -> tuple[ValueCounts, ColumnArray | None]:
        release = self.release
        if release is not None and release.group_column is not None and sensitive in release.schema.sensitive:
            return self._counts_by_group(release, release.group_column, sensitive), None
        if sensitive not in self.table.columns:
            if release is not None and self.weights is not None and sensitive in release.publication.columns:
                return AttackerView.of(release, self.known, (sensitive,)).value_counts(sensitive)
            raise column_not_found(sensitive, self.table.columns)
        column = Coded.of(text_of(self.table.get_column(sensitive)))
        return _counted(self.look, column, self.records_of_rows), column.codes

    def first_rows(self, rows: BoolArray, most: int) -> tuple[int, ...]:
        """Return the numbers of the first chosen rows; none where rows are counted."""
        found: Sequence[int] = np.flatnonzero(rows)[:most].tolist() if self.weights is None else []
        return tuple(found)

    def first_rows_with(
        self, counts: ValueCounts, chosen: BoolArray, values: ColumnArray | None, most: int
    ) -> tuple[int, ...]:
        """Return the first rows that belong to some entries: by look and value, or by look where values are separate.

        ``values`` has the value of each row, where it is known.
        """
        return self.first_rows(self._rows_of(counts, chosen, values), most) if self.weights is None else ()

    def _rows_of(self, counts: ValueCounts, chosen: BoolArray, values: ColumnArray | None) -> BoolArray:
        width = max(len(counts.values), 1)
        if values is None:
            return np.isin(self.look, counts.look[chosen])
        return np.isin(self.look * width + values, counts.look[chosen] * width + counts.value[chosen])

    def _counts_by_group(self, release: Release, group_column: str, sensitive: str) -> ValueCounts:
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
        return ValueCounts(look, value, weight, tuple(values.values.to_list()))


class TableAttack(Attack):
    """An attack by somebody who knows some columns of everybody in a table."""

    kind: ClassVar[str] = "table"

    known: Columns | None = Field(
        default=None,
        description="the columns that the attacker knows, none if only that the person is in the table; the "
        "quasi-identifiers of the release unless given",
    )
    certainty: float = Field(default=1.0, gt=0, le=1, description="the chance from which on a record counts as exposed")
    sample: int = Field(default=SHOWN, ge=0, description="how many exposed rows to name")

    def aimed_at(self, target: object) -> tuple[Self, ...]:
        """Return the attack for each set of quasi-identifiers of a release; nothing where there is no table."""
        release = opened(target)
        if not isinstance(release, Release) or not release.publication.is_tabular:
            return ()
        schema = release.schema
        sets = (schema.sets if schema.quasi_identifiers else ()) if self.known is None else (self.known,)
        return tuple(self.model_copy(update={"known": tuple(names)}) for names in sets)

    def view(self, data: Any) -> AttackerView:
        """Return a table as the attacker sees it."""
        return AttackerView.of(data, self.known)

    def evaluate(self, found: Exposure, target: Any) -> AttackSuccess:  # noqa: ARG002  the finding says it all
        """Return the average chance to be right."""
        return AttackSuccess.of(
            self.name,
            targets=found.records,
            rate=found.average_chance,
            baseline=found.baseline,
            certain=found.exposed,
            cannot_say=[found.note],
        )


class SensitiveValueAttack(TableAttack):
    """An attack that learns a sensitive value of a person."""

    sensitive: str | None = Field(
        default=None, description="the column that the attacker wants to learn; that of the release unless given"
    )

    def aimed_at(self, target: object) -> tuple[Self, ...]:
        """Return the attack for each set of quasi-identifiers and each sensitive column of a release."""
        release = opened(target)
        columns = (self.sensitive,) if self.sensitive or not isinstance(release, Release) else release.schema.sensitive
        return tuple(
            attack.model_copy(update={"sensitive": name}) for attack in super().aimed_at(release) for name in columns
        )

    def wanted(self, view: AttackerView) -> str:
        """Return the column that the attacker wants to learn.

        Raises
        ------
        UsageError
            if it is not given, and the table does not say which of its columns is sensitive, or names several.
        """
        if self.sensitive is not None:
            return self.sensitive
        columns = () if view.release is None else view.release.schema.sensitive
        if len(columns) != 1:
            named = f"the release has {len(columns)}: {', '.join(columns)}" if columns else "none is named as such"
            raise UsageError(f"say which column the attacker wants to learn with 'sensitive'; {named}")
        return columns[0]


def opened(data: Any) -> Any:
    """Return the release of a folder; anything else as it is."""
    is_folder = isinstance(data, str | os.PathLike) and Path(data).is_dir()
    return Release.load(Path(data)) if is_folder else data


def measure(
    chances: FloatArray, weights: FloatArray | IntArray, certainty: float
) -> tuple[float, float, float, BoolArray]:
    """Return how much weight is exposed, the average and the highest chance, and which entries are exposed."""
    sure: BoolArray = chances >= certainty - ROUNDING
    total = float(weights.sum())
    average = float(chances @ weights) / total if total else 0.0
    return _whole(float(weights[sure].sum())), min(average, 1.0), float(chances.max(initial=0.0)), sure


def _whole(number: float) -> float:
    """Return a number without what rounding has left behind the point."""
    return float(round(number)) if abs(number - round(number)) < ROUNDING * max(number, 1.0) else number


def _counted(look: IntArray, column: Coded, records: IntArray) -> ValueCounts:
    width = max(len(column), 1)
    keys, counts = totals(look * width + column.codes, records)
    return ValueCounts(keys // width, keys % width, counts.astype(np.float64), tuple(column.values.to_list()))


def _histograms(release: Release, group_column: str, sensitive: str) -> tuple[pl.Series, Coded, IntArray]:
    """Return group, value and count of what a release in groups reveals about its sensitive attribute."""
    if release.sensitive_table is not None:
        group, value, count = release.sensitive_table.get_columns()
        return group.cast(pl.String), Coded.of(text_of(value)), count.cast(pl.Int64).to_numpy()
    group = release.table.get_column(group_column).cast(pl.String).rename(PLAIN)
    values = Coded.of(text_of(release.table.get_column(sensitive)))
    return group, values, np.ones(len(group), dtype=np.int64)
