"""Compare a version with what was published before: inserted, deleted, updated and returned records."""

import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from krypsis.algorithms.histories.base import NEW
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.hierarchies import resolve
from krypsis.errors import DataError, DataWarning, column_not_found, shorten
from krypsis.io.dataset import Dataset
from krypsis.io.read import check_memory, file_kind, needed_memory, read_table
from krypsis.io.texts import distinct
from krypsis.kinds.history.settings import HistorySettings
from krypsis.kinds.history.state import State
from krypsis.texts.spelling import alike


@dataclass(frozen=True, eq=False)
class VersionTable:
    """``texts`` has the columns ``id``, ``value``, ``q0``, ``q1``, … and one row per record.

    ``types`` are those of the quasi-identifiers in the table that was given, and behind them that of the sensitive
    attribute; ``is_text`` says that it was a text file, which has no types.
    """

    texts: pl.DataFrame
    types: tuple[pl.DataType, ...]
    is_text: bool = False

    @property
    def fingerprint(self) -> str:
        """A number that is the same for the same records in any order."""
        return f"{self.texts.height}-{self.texts.hash_rows(seed=7).sum():016x}"


def read_version(data: Any, settings: HistorySettings, version: int) -> VersionTable:
    """Return the table of a version after making sure that every record can be distinguished from the others.

    Raises
    ------
    ColumnError
        if a column of the first version is missing.
    DataError
        if a record has no id, two records have the same, or one could be written in another way as well.
    """
    dataset = _dataset(data, settings)
    used = (settings.id, settings.sensitive, *settings.quasi_identifiers)
    if missing := [name for name in used if name not in dataset.columns]:
        raise _other_schema(missing, dataset.columns, version)
    names = ("id", "value", *(f"q{place}" for place in range(len(settings.quasi_identifiers))))
    texts = pl.DataFrame([dataset.collect_texts(name).alias(new) for name, new in zip(used, names, strict=True)])
    _check_ids(texts.get_column("id"), settings.id)
    types = tuple(dataset.types[name] for name in (*settings.quasi_identifiers, settings.sensitive))
    return VersionTable(texts, types, dataset.is_text)


def _dataset(data: Any, settings: HistorySettings) -> Dataset:
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        if path.is_file():
            kind = file_kind(path)
            check_memory(path, kind, needed_memory(path, kind), "A history needs the rows in memory: leave out columns")
        return Dataset(read_table(path, **settings.reading), path.name, path)
    return Dataset.of(data)


def _other_schema(missing: list[str], columns: list[str], version: int) -> Exception:
    error = column_not_found(missing[0], columns)
    if version == 1:
        return error
    return type(error)(f"version {version} has other columns than version {version - 1}: {error}")


def _check_ids(ids: pl.Series, column: str) -> None:
    if empty := ids.null_count() + int((ids == "").sum()):
        raise DataError(
            f"{empty} of {len(ids)} records have no {column!r}, which says whose record it is; give every record one"
        )
    if padded := ids.filter(ids != ids.str.strip_chars()).to_list():
        raise DataError(
            f"{len(padded)} of {len(ids)} values of {column!r} begin or end with a blank: "
            f"{shorten(map(repr, padded), 5)}; without it, the same person would be somebody new: remove blanks"
        )
    if ids.n_unique() < len(ids):
        twice = ids.filter(ids.is_duplicated()).unique().sort().to_list()
        raise DataError(
            f"{len(twice)} value(s) of {column!r} stand at several records: {shorten(map(repr, twice), 5)}; a "
            "record of a history is known by it, so give every record its own"
        )


@dataclass(frozen=True, eq=False)
class Comparison:
    """One entry per record of the version, and who was there before."""

    person: IntArray
    """The number of the person whose record it is; new numbers for those never seen."""
    is_known: BoolArray
    """Whether the person was in any version before."""
    was_there: BoolArray
    """Whether the person was in the last version."""
    moved: BoolArray
    """Whether a quasi-identifier of a known person has changed."""
    changed: BoolArray
    """Whether the sensitive value of a known person has changed."""
    signature: IntArray
    """What the record is bound to, ``NEW`` where it was never published."""
    absent: pl.DataFrame
    """``value``, ``signature``, ``q0``, …: people who were published once and have no record in this version."""
    gone: pl.Series
    """The sensitive values of those who were in the last version and are not in this one."""
    last_group: IntArray
    """The group of the record in the last release, 0 where it was in none."""
    last_sizes: IntArray
    """The people of each group of the last release."""
    next_person: int
    """The first number that nobody has."""

    @property
    def is_unchanged(self) -> bool:
        """Whether the version holds the same records as the last one, with the same values."""
        return bool(self.was_there.all() and not len(self.gone) and not (self.moved | self.changed).any())

    def renewed(self, records: BoolArray, before: pl.DataFrame) -> "Comparison":
        """Return the comparison in which these records belong to somebody new; ``before`` is who they were."""
        many = int(records.sum())
        person, signature, last_group = self.person.copy(), self.signature.copy(), self.last_group.copy()
        person[records] = np.arange(self.next_person, self.next_person + many)
        signature[records], last_group[records] = NEW, 0
        return replace(
            self,
            person=person,
            is_known=self.is_known & ~records,
            was_there=self.was_there & ~records,
            moved=self.moved & ~records,
            changed=self.changed & ~records,
            signature=signature,
            absent=pl.concat([self.absent, before.select(self.absent.columns)]),
            gone=pl.concat([self.gone, before.get_column("value").filter(pl.Series(self.was_there[records]))]),
            last_group=last_group,
            next_person=self.next_person + many,
        )


def compare(table: VersionTable, state: State) -> Comparison:
    """Return how a version differs from all before; everybody is known by the id."""
    people = state.frame("SELECT * FROM people")
    active = people.filter("active")
    both = table.texts.join(
        active.rename({name: f"{name} before" for name in active.columns if name not in ("id", "person")}),
        on="id",
        how="left",
        maintain_order="left",
    )
    known = both.get_column("person").is_not_null().to_numpy()
    strangers = int((~known).sum())
    person = both.get_column("person").fill_null(-1).to_numpy().copy()
    everybody = people.height + strangers
    person[~known] = np.arange(people.height, everybody)
    present, (there, last_group) = _marked(person, everybody), _last_members(state, everybody)
    away = pl.Series(~present[people.get_column("person").to_numpy()])
    was_there = pl.Series(there[people.get_column("person").to_numpy()])
    names = [name for name in table.texts.columns if name.startswith("q")]
    return Comparison(
        person=person,
        is_known=known,
        was_there=there[person],
        moved=known & _differs(both, names),
        changed=known & _differs(both, ["value"]),
        signature=both.get_column("signature before").fill_null(NEW).to_numpy().astype(np.int64),
        absent=people.filter(away & pl.col("signature").is_not_null()).select("value", "signature", *names),
        gone=people.get_column("value").filter(away & was_there),
        last_group=last_group[person],
        last_sizes=np.bincount(last_group),
        next_person=everybody,
    )


def _marked(people: IntArray, length: int) -> BoolArray:
    marks = np.zeros(length, dtype=np.bool_)
    marks[people] = True
    return marks


def _last_members(state: State, people: int) -> tuple[BoolArray, IntArray]:
    """Return who was in the last version, and in which group of its release, by number."""
    query = f'SELECT person, coalesce("group", 0) AS "group" FROM members WHERE version = {state.last}'  # noqa: S608
    members = state.frame(query)
    person, groups = members.get_column("person").to_numpy(), np.zeros(people, dtype=np.int64)
    groups[person] = members.get_column("group").to_numpy()
    return _marked(person, people), groups


def _differs(both: pl.DataFrame, names: list[str]) -> BoolArray:
    differs = np.zeros(both.height, dtype=np.bool_)
    for name in names:
        differs |= both.get_column(name).ne_missing(both.get_column(f"{name} before")).to_numpy()
    return differs


Label = str | None


def with_one_spelling(table: VersionTable, settings: HistorySettings, state: State) -> VersionTable:
    """Return the table of a version with the spelling of each sensitive value that was published before, or the first.

    A value that was published before stays as it is. Warn of those that change.
    """
    published = state.frame("SELECT value FROM turnover UNION SELECT label FROM signatures WHERE level = 0")
    values = table.texts.get_column("value")
    other = _other_spellings(distinct(values), published.get_column("value").to_list(), _nodes(settings, values))
    if not other:
        return table
    shown = shorten((f"{own!r} as {_shown(one)}" for own, one in other.items()), 5)
    warnings.warn(
        f"sensitive values that differ only in their spelling are published in one: {shown}", DataWarning, stacklevel=2
    )
    column = values.replace_strict(list(other), list(other.values()), default=values, return_dtype=pl.String)
    return replace(table, texts=table.texts.with_columns(column.alias("value")))


def _other_spellings(values: Iterable[Label], published: Iterable[Label], nodes: set[Label]) -> dict[Label, Label]:
    """Return as what values are published that are other spellings.

    Examples
    --------
    >>> _other_spellings(["FLU", "flu", "gout"], ["flu"], set())
    {'FLU': 'flu'}
    """
    before = _sorted(published)
    every = _sorted({*values, *before})
    found = alike(every, nodes)
    place = dict(zip(every, found.place, strict=True))
    chosen = {place[value]: value for value in reversed(before)}
    shown = {value: chosen.get(place[value], found.values[place[value]]) for value in values if value not in before}
    return {value: one for value, one in shown.items() if value != one}


def _nodes(settings: HistorySettings, values: pl.Series) -> set[Label]:
    """Return the general values of the hierarchy, which mean what the hierarchy says."""
    spec = settings.hierarchy_of(settings.sensitive)
    if spec is None:
        return set()
    hierarchy = resolve(spec, distinct(values), settings.sensitive, settings.folder)
    return {label for labels in hierarchy.labels[1:] for label in labels}


def _sorted(values: Iterable[Label]) -> list[Label]:
    return sorted(values, key=lambda value: (value is None, value or ""))


def _shown(value: Label) -> str:
    return "(missing)" if value is None else repr(value)
