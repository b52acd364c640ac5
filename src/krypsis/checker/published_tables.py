"""Check the tables of a release, also of one in groups: exact quasi-identifiers, without the sensitive values."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.checker.base import Given, KindCheck, find_judge, names_of
from krypsis.checker.table import check_table
from krypsis.data.schema import Role
from krypsis.errors import DataError, PromiseBroken, UsageError, column_not_found, shorten
from krypsis.format.claims import Claims, restore_types
from krypsis.format.files import read_data, read_sensitive_table
from krypsis.io.texts import PLAIN, numbered, text_of
from krypsis.models.base import GroupModel, PrivacyModel, SensitiveModel, Verdict
from krypsis.models.mechanisms import MechanismRecord, MethodModel

LOOK_ALIKE, PUBLISHED_GROUP = "group of records that look alike", "published group of records"
"""A group as promises call it, and what it is where groups are published."""


@dataclass(frozen=True, eq=False)
class SubjectTable:
    """A published table, the column that says whose row it is, and what an attacker may know of its rows."""

    table: pl.DataFrame
    key: str
    quasi_identifiers: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PublishedTables:
    """The tables of a release: the records, and where the sensitive values are published separately, those.

    ``group_column`` names the group of each record, where that cannot be seen from the quasi-identifiers. The
    ``sensitive_table`` has three columns: group, sensitive value, count. ``mechanism_record`` says how a table was made
    by chance.
    """

    table: pl.DataFrame
    group_column: str | None = None
    sensitive_table: pl.DataFrame | None = None
    mechanism_record: MechanismRecord | None = None
    subjects: Mapping[str, SubjectTable] = field(default_factory=dict)
    """The tables of a release of several, linked by the subject of their rows."""


@dataclass(frozen=True, eq=False)
class PublishedVersion(PublishedTables):
    """One release of a table that changes."""

    counterfeits: Mapping[str, int] = field(default_factory=dict)
    """Group → how many of its records nobody has."""


def check_published(published: PublishedTables, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
    """Say for each promise whether a release keeps it; none where nothing is promised.

    In a release in groups, promises about sensitive values are judged on the groups that are published. Every other
    promise is judged on the quasi-identifiers, which are published as they are: being in a group does not hide who a
    record belongs to.
    """
    found: dict[PrivacyModel, Verdict] = {}
    for model in models:
        judge = find_judge(model, type(published))
        if judge is not None:
            found[model] = judge(model, published, given)
    others = [model for model in models if model not in found]
    found |= dict(zip(others, check_records(published, others, given), strict=True))
    return tuple(found[model] for model in models)


def check_records(published: PublishedTables, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
    """Judge promises about the records of the first table, with the sensitive values of their groups."""
    if not models:
        return ()
    table, column = published.table, published.group_column
    if column is None:
        return check_table(table, models, given)
    if column not in table.columns:
        raise column_not_found(column, table.columns)
    _refuse_mixed(models)
    whole = table if published.sensitive_table is None else joined(table, published.sensitive_table, column)
    of_groups = replace(given, quasi_identifiers=[column])
    verdicts = [check_table(whole, [model], of_groups if model.needs_sensitive else given)[0] for model in models]
    return tuple(
        _of_published_groups(verdict) if model.needs_sensitive else verdict
        for model, verdict in zip(models, verdicts, strict=True)
    )


def _refuse_mixed(models: Sequence[PrivacyModel]) -> None:
    """Raise for promises about sensitive values of records that look alike: in groups nobody knows whose they are."""
    for model in models:
        counts_more = isinstance(model, GroupModel) and model.combinations(())
        of_records = isinstance(model, SensitiveModel) and not model.needs_sensitive
        if counts_more or of_records or model.ties_values_to_records:
            raise UsageError(
                f"{model.spec} is about the sensitive values of records that look alike, and in a table in groups "
                "nobody knows which value of its group a record has; check a promise about the published groups, such "
                "as frequency-l-diversity"
            )


def sensitive_table_of(table: pl.DataFrame, group_column: str, sensitive: str | Sequence[str] | None) -> pl.DataFrame:
    """Return a table of sensitive values by another tool as a sensitive_table: group, sensitive value, count.

    Examples
    --------
    >>> values = pl.DataFrame({"disease": ["flu"], "count": ["2"], "group": ["1"]})
    >>> sensitive_table_of(values, "group", "disease").rows()
    [('1', 'flu', 2)]
    """
    names = names_of(sensitive)
    if group_column not in table.columns:
        raise column_not_found(group_column, table.columns)
    rest = [name for name in table.columns if name != group_column]
    if len(names) != 1 or len(rest) != 2 or names[0] not in rest:
        raise UsageError(
            f"the table of sensitive values must have three columns: {group_column}, one sensitive attribute and how "
            f"often its value occurs in the group; got {', '.join(table.columns)}, and as the sensitive attribute "
            f"{', '.join(names) or 'none'}"
        )
    (counts,) = (name for name in rest if name != names[0])
    number = table.get_column(counts).rename(PLAIN).cast(pl.Int64, strict=False)
    if number.has_nulls():
        raise DataError(f"column {counts!r} of the table of sensitive values must hold whole numbers; it does not")
    return pl.DataFrame([table.get_column(group_column), table.get_column(names[0]), number.rename(counts)])


def joined(table: pl.DataFrame, sensitive_table: pl.DataFrame, group_column: str) -> pl.DataFrame:
    """Return the table with a sensitive value for each record: one of its group, nobody knows which.

    Raises
    ------
    PromiseBroken
        if the two tables do not speak of the same number of records in every group.

    Examples
    --------
    >>> people = pl.DataFrame({"age": [23, 27], "group": [1, 1]})
    >>> values = pl.DataFrame({"group": [1, 1], "disease": ["flu", "dyspepsia"], "count": [1, 1]})
    >>> joined(people, values, "group").columns
    ['age', 'group', 'disease']
    """
    records, values = matched(table, sensitive_table, group_column)
    name = sensitive_table.columns[1]
    return table[records].hstack([sensitive_table.get_column(name).rename(PLAIN).gather(values).rename(name)])


def matched(table: pl.DataFrame, sensitive_table: pl.DataFrame, group_column: str) -> tuple[IntArray, IntArray]:
    """Return the records in the order of their groups, and for each an entry of the sensitive_table.

    Raises
    ------
    PromiseBroken
        if the two tables do not speak of the same number of records in every group.
    """
    group, value, count = (sensitive_table.get_column(name) for name in sensitive_table.columns)
    if value.name in table.columns:
        raise PromiseBroken(
            f"{value.name!r} is published next to the other attributes of each record, not only by group"
        )
    if not _counts_records(count, table.height):
        raise PromiseBroken(f"the table of sensitive values must count {table.height} records, each once; it does not")
    (entries, records), _ = numbered([group.cast(pl.String), table.get_column(group_column).cast(pl.String)])
    by_group, in_order = np.argsort(entries, kind="stable"), np.argsort(records, kind="stable")
    values = np.repeat(by_group, count.to_numpy()[by_group])
    if not np.array_equal(records[in_order], entries[values]):
        raise PromiseBroken(
            "the table of sensitive values does not count as many records in every group as there are; "
            "do not trust this release"
        )
    return in_order, values


def _of_published_groups(verdict: Verdict) -> Verdict:
    """Say what a group is: its records do not look alike, they are published as one."""
    return verdict.model_copy(update={"sentence": verdict.sentence.replace(LOOK_ALIKE, PUBLISHED_GROUP)})


def _counts_records(count: pl.Series, records: int) -> bool:
    """Say whether the counts are whole numbers from 1 on that add up; only then may they be acted upon."""
    if not count.dtype.is_integer() or count.has_nulls():
        return False
    return bool((count >= 1).all() and (count <= records).all() and count.cast(pl.Int64).sum() == records)


class TableFiles(KindCheck):
    """How the tables of a release are read back."""

    judged_fields = frozenset(
        {"group_column", "sensitive_table", "mechanism_record", "reference", "sensitive_hierarchies"}
    )
    gives_roles = True

    def check_files(
        self, folder: Path, claims: Claims, models: Sequence[PrivacyModel], given: Given
    ) -> tuple[Verdict, ...]:
        check_roles(folder, claims)
        # The quasi-identifiers stay as they are written; sensitive values are compared with those of the reference.
        table = restore_types(read_data(folder, claims), claims.columns, claims.sensitive)
        if given.reference is None:
            _check_reference(folder, claims, table)
        published = PublishedTables(
            table, claims.group_column, _sensitive_table(folder, claims), claims.mechanism_record
        )
        stated = Given(
            claims.quasi_identifier_sets, claims.sensitive, claims.distributions, claims.hierarchies_of_sensitive
        )
        return check_published(self.with_further_tables(published, folder, claims), models, given.or_else(stated))

    @abstractmethod
    def with_further_tables(self, published: PublishedTables, folder: Path, claims: Claims) -> PublishedTables:
        """Return what is published with the tables that the kind has besides the first."""

    def unjudged(self, claims: Claims, promises: Sequence[PrivacyModel]) -> Iterator[str]:
        if claims.sensitive_table is not None and claims.sensitive_table.columns[0].name != claims.group_column:
            yield f"a table of sensitive values that does not begin with the group ({claims.group_column})"
        yield from self.unjudged_tables(claims, promises)
        if claims.mechanism_record is not None and not any(isinstance(promise, MethodModel) for promise in promises):
            yield "a record of a mechanism without a promise about it"

    @abstractmethod
    def unjudged_tables(self, claims: Claims, promises: Sequence[PrivacyModel]) -> Iterator[str]:
        """Yield further tables that no promise is judged on."""


def _sensitive_table(folder: Path, claims: Claims) -> pl.DataFrame | None:
    table = read_sensitive_table(folder, claims)
    if table is None or claims.sensitive_table is None:
        return None
    return restore_types(table, claims.sensitive_table.columns, table.columns)


def check_roles(folder: Path, claims: Claims) -> None:
    """Refuse roles that contradict each other: a promise would be judged on less than the manifest says is known."""
    sensitive_columns = () if claims.sensitive_table is None else claims.sensitive_table.columns
    further = (column for table in claims.tables.values() for column in table.columns)
    if named := [
        column.name for column in (*claims.columns, *sensitive_columns, *further) if column.role is Role.IDENTIFIER
    ]:
        raise PromiseBroken(f"{folder} publishes {shorten(named)}, which its manifest calls an identifier")
    known = [column.name for column in claims.columns if column.role is Role.QUASI_IDENTIFIER]
    judged = {name for names in claims.quasi_identifier_sets for name in names}
    if left_out := [name for name in known if name not in judged]:
        raise PromiseBroken(
            f"the manifest of {folder} calls {shorten(left_out)} a quasi-identifier and leaves it out of all sets that "
            "promises are judged on; do not trust this release"
        )
    if claims.group_column in known:
        raise PromiseBroken(
            f"the manifest of {folder} calls {claims.group_column!r} a quasi-identifier and the number of a group; "
            "do not trust this release"
        )


def _check_reference(folder: Path, claims: Claims, table: pl.DataFrame) -> None:
    """Refuse a distribution of the whole table that the published part of the table cannot come from."""
    for name, whole in claims.distributions.items():
        published = _counted(table.get_column(name)) if name in table.columns else Counter()
        if sum(whole.values()) != claims.rows_before or published - Counter(whole):
            raise PromiseBroken(
                f"the manifest of {folder} states a distribution of {name!r} in the whole table of "
                f"{claims.rows_before} records that the published records cannot come from; do not trust this release"
            )


def _counted(column: pl.Series) -> Counter[str | None]:
    return Counter(dict(text_of(column.rename(PLAIN)).value_counts().iter_rows()))
