"""One version of a table that changes: its published groups, and privately who is in which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from krypsis.datasets.dataset import Dataset
from krypsis.datasets.texts import text_of
from krypsis.errors import DataError, UsageError, column_not_found, shorten

People = Mapping[Any, Any] | pl.DataFrame
"""Who is in which group."""


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
    """Group → how many of its records are counterfeits, none where it is not named; ``None`` if nothing is told."""

    def __post_init__(self) -> None:
        groups = self.records.group_by("group").len("size")
        homeless = groups.filter(pl.col("group").is_null())
        if homeless.height:
            raise DataError(f"{homeless['size'][0]} record(s) are in no group; every published record must be in one")
        told = _texts(list((self.counterfeits or {}).items()), "group", told=pl.Int64)
        counts = [told] if self.members is None else [told, _people(self.members)]
        for one in counts:
            _check_known(one, groups)
            groups = groups.join(one, on="group", how="left").with_columns(pl.col(one.columns[1]).fill_null(0))
        _check_counts(groups, exact=self.counterfeits is not None)

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
    ) -> Version:
        """Return the version that a table tells.

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
        frame = Dataset.of(data).frame
        for name in filter(None, (group, sensitive, person)):
            if name not in frame.columns:
                raise column_not_found(name, frame.columns)
        if person is not None and people is not None:
            raise UsageError("who is in which group is said twice; give the column 'person' or the mapping 'people'")
        columns = {"group": group, "value": sensitive} | ({} if person is None else {"person": person})
        rows = pl.DataFrame([text_of(frame.get_column(name)).rename(new) for new, name in columns.items()])
        told = None if counterfeits is None else {str(name): number for name, number in counterfeits.items()}
        return cls(rows.select("group", "value"), _members(rows, people), told)

    @classmethod
    def of_signatures(cls, signatures: Mapping[Any, Iterable[str]]) -> Version:
        """Return the version in which each person is in a group with these sensitive values, each of them once.

        Examples
        --------
        >>> sorted(Version.of_signatures({"Ann": ["flu", "cancer"], "Bob": ["asthma"]}).signatures()["Ann"])
        ['cancer', 'flu']
        """
        # A group of its own for everybody: who shares one is not told.
        rows = [(str(person), value) for person, values in signatures.items() for value in sorted(set(values))]
        members = [(str(person), str(person)) for person in signatures]
        return cls(_texts(rows, "group", "value"), _texts(members, "person", "group"))

    def signatures(self) -> dict[str, frozenset[str | None]]:
        """Return for each person the set of sensitive values of the group."""
        if self.members is None:
            raise UsageError("who is in which group is not known; give 'person' or 'people' with the version")
        values = self.records.group_by("group").agg(pl.col("value").unique())
        found = {name: frozenset(one) for name, one in values.iter_rows()}
        return {person: found[name] for person, name in self.members.iter_rows()}


def _people(members: pl.DataFrame) -> pl.DataFrame:
    """Return the number of people in each group."""
    if members.get_column("person").is_duplicated().any():
        twice = members.filter(pl.col("person").is_duplicated())["person"].unique().sort().to_list()
        raise DataError(
            f"{shorten(map(repr, twice), 5)} would have several records in one release; name each record by itself"
        )
    return members.group_by("group").len("people")


def _check_known(counts: pl.DataFrame, groups: pl.DataFrame) -> None:
    strangers = counts.join(groups, on="group", how="anti")
    if strangers.height:
        known = shorten(groups["group"].sort().to_list())
        raise DataError(f"the release has no group {strangers['group'].sort()[0]!r}; groups: {known}")


def _check_counts(groups: pl.DataFrame, *, exact: bool) -> None:
    """Raise unless each group has room for its counterfeits and its people, and has as many as is told."""
    wrong = groups.filter((pl.col("told") < 0) | (pl.col("told") > pl.col("size")))
    for row in wrong.sort("group").head(1).iter_rows(named=True):
        raise DataError(f"group {row['group']!r} of {row['size']} record(s) cannot have {row['told']} counterfeit(s)")
    if "people" not in groups.columns:
        return
    for row in groups.filter(pl.col("people") > pl.col("size")).sort("group").head(1).iter_rows(named=True):
        raise DataError(
            f"group {row['group']!r} has {row['size']} record(s) for {row['people']} people; every person needs one"
        )
    nobody = pl.col("size").cast(pl.Int64) - pl.col("people").cast(pl.Int64)
    untrue = groups.with_columns(nobody.alias("nobody")).filter(pl.col("told") != pl.col("nobody"))
    for row in untrue.sort("group").head(1 if exact else 0).iter_rows(named=True):
        raise DataError(
            f"the release tells {row['told']} counterfeit(s) in group {row['group']!r}, and {row['nobody']} of its "
            "records belong to nobody"
        )


def _members(rows: pl.DataFrame, people: People | None) -> pl.DataFrame | None:
    if "person" in rows.columns:
        return rows.select("person", "group").drop_nulls("person")
    if people is None or isinstance(people, pl.DataFrame):
        return people
    return _texts([(str(person), str(name)) for person, name in people.items()], "person", "group")


def _texts(rows: list[tuple[str, Any]], *names: str, **others: Any) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={**dict.fromkeys(names, pl.String), **others}, orient="row")
