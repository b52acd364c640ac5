"""One version of a table that changes: its published groups, and privately who is in which."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.errors import DataError, UsageError, column_not_found, shorten
from krypsis.io.frames import frame_of
from krypsis.io.texts import numbered, text_of

People = Mapping[Any, Any] | pl.DataFrame
"""Who is in which group."""


@dataclass(frozen=True, eq=False)
class GroupNumbers:
    """The groups of a version as numbers from 0 on, below ``limit``; not all of them need have records."""

    records: IntArray
    """The group of each published record."""
    people: IntArray
    """The group of each person."""
    counterfeits: IntArray
    """The groups whose counterfeits are stated."""
    limit: int

    @cached_property
    def sizes(self) -> IntArray:
        """The number of records of each group."""
        return np.bincount(self.records, minlength=self.limit)

    @cached_property
    def members(self) -> IntArray:
        """The number of people of each group."""
        return np.bincount(self.people, minlength=self.limit)


@dataclass(frozen=True, eq=False)
class Version:
    """The groups of one release with their sensitive values, and who is in which group, where that is known.

    ``records`` has one row per published record, counterfeits included: ``group`` and ``value``. ``members`` has one
    row per person: ``person`` and ``group``; it never leaves the publisher. A record without a person is counterfeit.

    Examples
    --------
    >>> table = pl.DataFrame({"name": ["Ann", None], "g": [1, 1], "disease": ["flu", "cancer"]})
    >>> version = Version.of(table, group="g", sensitive="disease", person="name", counterfeits={"1": 1})
    >>> {person: sorted(values) for person, values in version.signatures().items()}
    {'Ann': ['cancer', 'flu']}
    """

    records: pl.DataFrame
    members: pl.DataFrame | None = None
    counterfeits: Mapping[str, int] | None = None
    """Group → how many of its records are counterfeits, none where it is not named; ``None`` if nothing is stated."""
    looks: pl.DataFrame | None = None
    """One row per published record: ``group`` and ``look``, a number that records with the same published
    quasi-identifiers share; ``None`` where these are not at hand."""

    def __post_init__(self) -> None:
        if homeless := self.records.get_column("group").null_count():
            raise DataError(f"{homeless} record(s) are in no group; every published record must be in one")
        _check_people(self)
        _check_counterfeits(self)

    @cached_property
    def numbers(self) -> GroupNumbers:
        """The groups as numbers."""
        claimed = pl.Series(list(self.counterfeits or ()), dtype=pl.String)
        members = pl.Series(dtype=pl.String) if self.members is None else self.members.get_column("group")
        names = [self.records.get_column("group"), members.cast(pl.String), claimed]
        (records, people, counterfeits), limit = numbered(names)
        return GroupNumbers(records, people, counterfeits, limit)

    @classmethod
    def of(
        cls,
        data: Any,
        *,
        group: str,
        sensitive: str,
        person: str | None = None,
        people: People | None = None,
        counterfeits: Mapping[Any, int] | None = None,
    ) -> "Version":
        """Return the version that a table describes.

        Parameters
        ----------
        data
            the table, in any form that :func:`krypsis.anonymize` takes: one row per published record.
        group, sensitive
            its columns.
        person
            the column that says whose record it is; empty for a counterfeit. For tables that are not published.
        people
            person → group, where the table does not say it; or a frame of ``person`` and ``group``, as text.
        counterfeits
            group → how many counterfeits it has, as published.

        Raises
        ------
        DataError
            if somebody has two records, a person or a count belongs to a group that is not there, or the counts do not
            fit the records.
        """
        frame = frame_of(data)
        for name in filter(None, (group, sensitive, person)):
            if name not in frame.columns:
                raise column_not_found(name, frame.columns)
        if person is not None and people is not None:
            raise UsageError("who is in which group is said twice; give the column 'person' or the mapping 'people'")
        columns = {"group": group, "value": sensitive} | ({} if person is None else {"person": person})
        rows = pl.DataFrame([text_of(frame.get_column(name)).rename(new) for new, name in columns.items()])
        claimed = None if counterfeits is None else {str(name): number for name, number in counterfeits.items()}
        return cls(rows.select("group", "value"), _members(rows, people), claimed)

    @classmethod
    def of_signatures(cls, signatures: Mapping[Any, Iterable[str]]) -> "Version":
        """Return the version in which each person is in a group with these sensitive values, each of them once.

        Examples
        --------
        >>> sorted(Version.of_signatures({"Ann": ["flu", "cancer"], "Bob": ["asthma"]}).signatures()["Ann"])
        ['cancer', 'flu']
        """
        # A group of its own for everybody: who shares one is unknown.
        rows = [(str(person), value) for person, values in signatures.items() for value in sorted(set(values))]
        members = [(str(person), str(person)) for person in signatures]
        return cls(_texts(rows, "group", "value"), _texts(members, "person", "group"))

    def name_of(self, number: int) -> str:
        """Return the name of a group with records, by its number."""
        place = int(np.flatnonzero(self.numbers.records == number)[0])
        return str(self.records.get_column("group")[place])

    def signatures(self) -> dict[str, frozenset[str | None]]:
        """Return for each person the set of sensitive values of the group."""
        if self.members is None:
            raise UsageError("who is in which group is not known; give 'person' or 'people' with the version")
        values = self.records.group_by("group").agg(pl.col("value").unique())
        found = {name: frozenset(one) for name, one in values.iter_rows()}
        return {person: found[name] for person, name in self.members.iter_rows()}


def _check_people(version: Version) -> None:
    """Raise unless everybody has one record, in a group that there is, with room for all of its people."""
    if version.members is None:
        return
    people = version.members.get_column("person")
    if people.is_duplicated().any():
        twice = people.filter(people.is_duplicated()).unique().sort().to_list()
        raise DataError(
            f"{shorten(map(repr, twice), 5)} would have several records in one release; name each record by itself"
        )
    numbers = version.numbers
    _check_known(version, numbers.people, version.members.get_column("group"))
    for group in np.flatnonzero(numbers.members > numbers.sizes)[:1].tolist():
        raise DataError(
            f"group {version.name_of(group)!r} has {numbers.sizes[group]} record(s) for {numbers.members[group]} "
            "people; every person needs one"
        )


def _check_counterfeits(version: Version) -> None:
    """Raise unless each group has room for its counterfeits, and as many records that belong to nobody as is stated."""
    if version.counterfeits is None:
        return
    numbers = version.numbers
    _check_known(version, numbers.counterfeits, pl.Series(list(version.counterfeits), dtype=pl.String))
    claimed = np.zeros(numbers.limit, dtype=np.int64)
    claimed[numbers.counterfeits] = list(version.counterfeits.values())
    for group in np.flatnonzero((claimed < 0) | (claimed > numbers.sizes))[:1].tolist():
        raise DataError(
            f"group {version.name_of(group)!r} of {numbers.sizes[group]} record(s) cannot have {claimed[group]} "
            "counterfeit(s)"
        )
    nobody = numbers.sizes - numbers.members
    for group in np.flatnonzero((claimed != nobody) & (version.members is not None))[:1].tolist():
        raise DataError(
            f"the release states {claimed[group]} counterfeit(s) in group {version.name_of(group)!r}, and "
            f"{nobody[group]} of its records belong to nobody"
        )


def _check_known(version: Version, groups: IntArray, names: pl.Series) -> None:
    strangers = np.flatnonzero(version.numbers.sizes[groups] == 0)
    if len(strangers):
        known = shorten(version.records.get_column("group").unique().sort().to_list())
        raise DataError(f"the release has no group {names[int(strangers[0])]!r}; groups: {known}")


def _members(rows: pl.DataFrame, people: People | None) -> pl.DataFrame | None:
    if "person" in rows.columns:
        return rows.select("person", "group").drop_nulls("person")
    if people is None or isinstance(people, pl.DataFrame):
        return people
    return _texts([(str(person), str(name)) for person, name in people.items()], "person", "group")


def _texts(rows: list[tuple[str, str]], *names: str) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
