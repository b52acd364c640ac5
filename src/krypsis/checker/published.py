"""Check the tables of a release, also of one in groups: exact quasi-identifiers, without the sensitive values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.checker.histories import each_record, judge_alone, judge_crowds, looks_of, version_with
from krypsis.checker.mechanisms import judge_mechanism
from krypsis.checker.table import QuasiIdentifiers, attribute_sets, check_table, names_of
from krypsis.checker.views import SubjectTable, check_views
from krypsis.datasets.history import Version
from krypsis.datasets.texts import PLAIN, numbered
from krypsis.errors import DataError, PromiseBroken, UsageError, column_not_found
from krypsis.format.mechanism_record import MechanismRecord
from krypsis.hierarchies.base import Hierarchy
from krypsis.models.base import GroupModel, PrivacyModel, SensitiveModel
from krypsis.models.ff_anonymity import FFAnonymity
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.mechanisms import MechanismModel
from krypsis.models.verdict import Verdict

LOOK_ALIKE, PUBLISHED_GROUP = "group of records that look alike", "published group of records"
"""A group as promises call it, and what it is where groups are published."""


@dataclass(frozen=True, eq=False)
class Published:
    """The tables of a release: the records, and where the sensitive values are published apart, those.

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
    counterfeits: Mapping[str, int] | None = None
    """Group → how many of its records nobody has, in a release of a table that changes."""


def check_published(
    published: Published,
    models: Sequence[PrivacyModel],
    quasi_identifiers: QuasiIdentifiers,
    sensitive: str | Sequence[str],
    **details: Any,
) -> tuple[Verdict, ...]:
    """Say for each promise whether a release keeps it; none where nothing is promised.

    In a release in groups, promises about sensitive values are judged on the groups that are published. Every other
    promise is judged on the quasi-identifiers, which are published as they are: being in a group does not hide who a
    record belongs to. For the parameters see :func:`krypsis.checker.table.check_table`.
    """
    about_chances = {
        model: judge_mechanism(model, published.mechanism_record, published.table)
        for model in models
        if isinstance(model, MechanismModel)
    }
    about_subjects = [model for model in models if model.kind == "tables"]
    seen = check_views(published.subjects, about_subjects) if about_subjects else ()
    about_versions = [model for model in models if model.kind == "history"]
    known = details.get("hierarchies") or {}
    alone = _judge_version(published, about_versions, sensitive, known) if about_versions else ()
    apart: dict[PrivacyModel, Verdict] = about_chances | dict(
        zip([*about_subjects, *about_versions], [*seen, *alone], strict=True)
    )
    if published.counterfeits is not None and details.get("missing", "value") == "value":
        apart |= _judge_people(published, models, quasi_identifiers, sensitive)
    others = [model for model in models if model not in apart]
    found = _check_tables(published, others, quasi_identifiers, sensitive, **details)
    verdicts = apart | dict(zip(others, found, strict=True))
    return tuple(verdicts[model] for model in models)


def _judge_version(
    published: Published,
    models: Sequence[PrivacyModel],
    sensitive: str | Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
) -> tuple[Verdict, ...]:
    """Say what one release of a table that changes tells about promises over all of them."""
    return judge_alone(_version(published, models[0], sensitive), models, hierarchies.get(names_of(sensitive)[0]))


def _judge_people(
    published: Published,
    models: Sequence[PrivacyModel],
    quasi_identifiers: QuasiIdentifiers,
    sensitive: str | Sequence[str],
) -> dict[PrivacyModel, Verdict]:
    """Judge k-anonymity where some records are counterfeits: only people count."""
    about_people = [model for model in models if isinstance(model, KAnonymity)]
    sets = attribute_sets(quasi_identifiers) if about_people else ()
    if published.group_column is None or len(sets) != 1:
        return {}
    looks = looks_of(published.table, sets[0], published.group_column)
    version = replace(_version(published, about_people[0], sensitive), looks=looks)
    return {model: judge_crowds(model, [version]) for model in about_people}


def _version(published: Published, model: PrivacyModel, sensitive: str | Sequence[str]) -> Version:
    """Return the groups of one release of a table that changes.

    Raises
    ------
    PromiseBroken
        if the counterfeits that it declares cannot be among its records.
    """
    table, column, names = published.table, published.group_column, names_of(sensitive)
    if column is None or len(names) != 1:
        raise UsageError(
            f"{model.spec} is about the published groups and one sensitive attribute; name both the column of the "
            "groups and the attribute"
        )
    if published.sensitive_table is not None:
        _matched(table, published.sensitive_table, column)
        table = each_record(published.sensitive_table)
    return version_with(table, column, names[0], published.counterfeits)


def _check_tables(
    published: Published,
    models: Sequence[PrivacyModel],
    quasi_identifiers: QuasiIdentifiers,
    sensitive: str | Sequence[str],
    **details: Any,
) -> tuple[Verdict, ...]:
    if not models:
        return ()
    table, column = published.table, published.group_column
    if column is None:
        return check_table(table, models, quasi_identifiers, sensitive, **details)
    if column not in table.columns:
        raise column_not_found(column, table.columns)
    _refuse_mixed(models)
    whole = table if published.sensitive_table is None else joined(table, published.sensitive_table, column)
    known = [quasi_identifiers, [column]]
    verdicts = [check_table(whole, [model], known[model.needs_sensitive], sensitive, **details)[0] for model in models]
    return tuple(
        _of_published_groups(verdict) if model.needs_sensitive else verdict
        for model, verdict in zip(models, verdicts, strict=True)
    )


def _refuse_mixed(models: Sequence[PrivacyModel]) -> None:
    """Raise for promises about sensitive values of records that look alike: in groups nobody knows whose they are."""
    for model in models:
        counts_more = isinstance(model, GroupModel) and model.combinations(())
        of_records = isinstance(model, SensitiveModel) and not model.needs_sensitive
        if counts_more or of_records or isinstance(model, FFAnonymity):
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
    records, values = _matched(table, sensitive_table, group_column)
    name = sensitive_table.columns[1]
    return table[records].hstack([sensitive_table.get_column(name).rename(PLAIN).gather(values).rename(name)])


def _matched(table: pl.DataFrame, sensitive_table: pl.DataFrame, group_column: str) -> tuple[IntArray, IntArray]:
    """Return the records in the order of their groups, and for each an entry of the sensitive_table."""
    group, value, count = (sensitive_table.get_column(name) for name in sensitive_table.columns)
    if value.name in table.columns:
        raise PromiseBroken(
            f"{value.name!r} is published beside the other attributes of each record, not only by group"
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
