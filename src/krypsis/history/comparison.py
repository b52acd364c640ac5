"""Compare a version with what was published before: inserted, deleted, updated and returned records."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from krypsis.algorithms.histories.base import NEW
from krypsis.arrays import BoolArray, IntArray
from krypsis.history.reading import Table
from krypsis.history.state import State


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

    def renewed(self, records: BoolArray, before: pl.DataFrame) -> Comparison:
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


def compare(table: Table, state: State) -> Comparison:
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
