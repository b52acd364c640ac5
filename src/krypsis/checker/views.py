"""Check tables that are linked by the subject of their rows: k counts subjects, not rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from krypsis.checker.base import Given, judge_of, judges, refuse_others
from krypsis.checker.published_tables import PublishedTables, SubjectTable
from krypsis.data.hierarchies.base import Label
from krypsis.errors import DataError, UsageError, column_not_found
from krypsis.io.texts import PLAIN, text_of
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.models.multirelational_k_anonymity import MultirelationalKAnonymity

SHOWN = 5
"""How many views a verdict shows."""


def check_views(tables: Mapping[str, SubjectTable], models: Sequence[PrivacyModel]) -> tuple[Verdict, ...]:
    """Say for each promise whether tables that are linked by a key keep it.

    Examples
    --------
    >>> people = pl.DataFrame({"person": [1, 2], "age": ["30-40", "30-40"]})
    >>> visits = pl.DataFrame({"person": [1, 1, 2], "year": [2020, 2021, 2020]})
    >>> tables = {"people": SubjectTable(people, "person", ("age",))}
    >>> tables["visits"] = SubjectTable(visits, "person", ("year",))
    >>> verdict, = check_views(tables, [MultirelationalKAnonymity(k=2)])
    >>> verdict.holds, verdict.offending[0]["values"]
    (False, {'people': '(30-40)', 'visits': '(2020); (2021)'})
    """
    judged = [(model, judge_of(model, Views)) for model in models]
    if not tables:
        raise UsageError(
            "a promise about several tables counts subjects, not rows; name the column that says whose row it is (key)"
        )
    for name, one in tables.items():
        _check(name, one)
    views = Views(tables, _views(seen_of_subjects(tables)))
    return tuple(judge(model, views) for model, judge in judged)


@dataclass(frozen=True, eq=False)
class Views:
    """What is seen of subjects in tables that are linked by a key."""

    tables: Mapping[str, SubjectTable]
    counted: pl.DataFrame
    """One row per view: what is seen in each table, the number of subjects and one of them."""


refuse_others(Views, "a promise about several tables is such as multirelational-k-anonymity:k=5; got {model!r}")


@judges(MultirelationalKAnonymity, PublishedTables)
def _judge_release(model: MultirelationalKAnonymity, published: PublishedTables, given: Given) -> Verdict:  # noqa: ARG001
    return check_views(published.subjects, [model])[0]


def seen_of_subjects(tables: Mapping[str, SubjectTable]) -> pl.DataFrame:
    """Return for each subject what is seen of it in each table; missing where it has no rows there."""
    seen = [_of_table(one, place) for place, one in enumerate(tables.values())]
    joined = seen[0]
    for other in seen[1:]:
        joined = joined.join(other, on="subject", how="full", coalesce=True)
    return joined


def _check(name: str, one: SubjectTable) -> None:
    for column in (one.key, *one.quasi_identifiers):
        if column not in one.table.columns:
            raise column_not_found(column, one.table.columns)
    if one.key in one.quasi_identifiers:
        raise UsageError(f"column {one.key!r} of {name} says whose row it is; it cannot be a quasi-identifier as well")
    if missing := one.table.get_column(one.key).null_count():
        raise DataError(f"column {one.key!r} of {name} is empty in {missing} row(s); every row must have a subject")


def _of_table(one: SubjectTable, place: int) -> pl.DataFrame:
    """Return for each subject of a table what is seen of it: the different rows as numbers, in ascending order."""
    names = [f"q{number}" for number in range(len(one.quasi_identifiers))]
    columns = [
        as_seen(one.table.get_column(name)).rename(new) for name, new in zip(one.quasi_identifiers, names, strict=True)
    ]
    rows = pl.DataFrame([as_seen(one.table.get_column(one.key)).rename("subject"), *columns])
    if names:
        known = rows.select(names).unique().with_row_index("row")
        rows = rows.join(known, on=names, how="left", nulls_equal=True)
    else:
        rows = rows.with_columns(row=pl.lit(0))
    # view(o) is a multiset: how many rows somebody has is seen as well, so equal rows are kept.
    seen = pl.col("row").sort().cast(pl.String).str.join(",").alias(f"seen{place}")
    return rows.group_by("subject").agg(seen)


def as_seen(column: pl.Series) -> pl.Series:
    """Return values so that they are equal only if they look the same."""
    return column.cast(pl.String) if column.dtype.is_float() else text_of(column.rename(PLAIN))


def _views(seen: pl.DataFrame) -> pl.DataFrame:
    """Return one row per view: what is seen in each table, the number of subjects and one of them."""
    columns = [name for name in seen.columns if name != "subject"]
    counted = seen.group_by(columns).agg(subjects=pl.len().cast(pl.Int64), example=pl.col("subject").min())
    return counted.sort("subjects", "example")


@judges(MultirelationalKAnonymity, Views)
def _judge(model: MultirelationalKAnonymity, seen: Views) -> Verdict:
    views, tables = seen.counted, seen.tables
    # Multirelational k-anonymity: every distinct view is shared by at least k subjects; joined rows are not counted.
    achieved = min(views["subjects"].to_list(), default=0)
    refused = views.filter(pl.Series(~model.accepts(views["subjects"].to_numpy())))
    holds = not views.is_empty() and refused.is_empty()
    return Verdict(
        promise=model.spec,
        holds=holds,
        required=model.required,
        achieved=float(achieved),
        sentence=_sentence(model, views, refused, f"required at least {model.k}, achieved {achieved}"),
        offending=tuple(_shown(row, tables) for row in refused.head(SHOWN).iter_rows(named=True)),
    )


def _sentence(model: MultirelationalKAnonymity, views: pl.DataFrame, refused: pl.DataFrame, figures: str) -> str:
    if views.is_empty():
        return "Not kept: the published tables have no rows, so there is nothing to hide among."
    if refused.is_empty():
        return f"Kept: {model.promise()} ({figures})."
    return (
        f"Not kept: {refused['subjects'].sum()} of {views['subjects'].sum()} subjects break the promise that "
        f"{model.promise()} ({figures})."
    )


def _shown(row: Mapping[str, object], tables: Mapping[str, SubjectTable]) -> dict[str, object]:
    """Return a view as it is published; the subjects who have it are not named."""
    return {"values": view_of(str(row["example"]), tables), "size": row["subjects"], "unit": "subject"}


def view_of(subject: str, tables: Mapping[str, SubjectTable]) -> dict[str, Label]:
    """Return what is seen of a subject, by table."""
    return {name: _rows_of(one, subject) for name, one in tables.items()}


def _rows_of(one: SubjectTable, subject: str) -> str:
    own = one.table.filter(as_seen(one.table.get_column(one.key)) == subject)
    columns = [as_seen(own.get_column(name)).fill_null("(missing)").to_list() for name in one.quasi_identifiers]
    rows = sorted(zip(*columns, strict=True)) if columns else [()] * own.height
    return "; ".join(f"({', '.join(row)})" for row in rows) or "no rows"
