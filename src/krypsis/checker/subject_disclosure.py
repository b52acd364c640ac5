"""Which subjects of several tables look alike and share a sensitive value, so that it is known of all of them."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from krypsis.checker.disclosure import SHOWN, DisclosingGroup, Disclosure
from krypsis.checker.views import SubjectTable, as_seen, seen_of_subjects, view_of
from krypsis.datasets.texts import PLAIN, text_of
from krypsis.models.coverage import NEARLY_CERTAIN, USUAL
from krypsis.spelling import spelled_alike

SUBJECT = "subject"


def disclosures_of_subjects(
    tables: Mapping[str, SubjectTable], sensitive: Mapping[str, tuple[str, str]]
) -> tuple[Disclosure, ...]:
    """Return what tables that are linked by their subjects disclose about sensitive columns.

    A value is disclosed if at least nine in ten of the subjects that look alike in all tables have it in some row.

    Parameters
    ----------
    tables
        the published tables by name.
    sensitive
        the sensitive columns: the name to call one by → its table and its name there.

    Examples
    --------
    >>> people = pl.DataFrame({"who": [1, 2, 3, 4], "age": ["3*", "3*", "4*", "4*"], "ill": ["hiv", "hiv", "flu", "-"]})
    >>> tables = {"data": SubjectTable(people, "who", ("age",))}
    >>> found, = disclosures_of_subjects(tables, {"ill": ("data", "ill")})
    >>> found.sentence
    '2 of 4 published subjects lie in 1 group with a known value of ill: it is certain for 2 subjects.'
    """
    seen = seen_of_subjects(tables)
    columns = [name for name in seen.columns if name != SUBJECT]
    # A row index of its own for every view, so that no value of the data has to serve as a key.
    views = seen.with_columns(view=pl.struct(columns).rank("dense"), size=pl.len().over(columns))
    found = [_disclosed(views, tables, label, *place) for label, place in sensitive.items()]
    return tuple(one for one in found if one.exposed)


def _disclosed(
    views: pl.DataFrame, tables: Mapping[str, SubjectTable], label: str, table: str, column: str
) -> Disclosure:
    shares = _shares(views, tables[table], column)
    strongest = shares.unique("view", keep="first", maintain_order=True)
    is_certain = strongest["count"] == strongest["size"]
    return Disclosure(
        label,
        views.height,
        certain=int(strongest.filter(is_certain)["size"].sum()),
        nearly=int(strongest.filter(~is_certain)["size"].sum()),
        groups=strongest.height,
        worst=tuple(_named(row, tables) for row in strongest.head(SHOWN).iter_rows(named=True)),
        unit=SUBJECT,
    )


def _shares(views: pl.DataFrame, one: SubjectTable, column: str) -> pl.DataFrame:
    """Return the values that nearly all subjects of a view have, and not nearly everybody; the worst first."""
    values = spelled_alike(text_of(one.table.get_column(column).rename(PLAIN)))
    rows = pl.DataFrame([as_seen(one.table.get_column(one.key)).rename(SUBJECT), values.rename("value")])
    having = rows.unique().join(views, on=SUBJECT)
    counted = having.group_by("view", "value", "size").agg(count=pl.len(), example=pl.col(SUBJECT).min())
    whole = pl.col("count").sum().over("value")
    nearly = pl.col("count") >= NEARLY_CERTAIN * pl.col("size")
    kept = counted.with_columns(whole=whole).filter(nearly & (pl.col("whole") < USUAL * views.height))
    share = pl.col("count") / pl.col("size")
    return kept.with_columns(share=share).sort("share", "whole", "example", descending=[True, False, False])


def _named(row: Mapping[str, object], tables: Mapping[str, SubjectTable]) -> DisclosingGroup:
    value = row["value"]
    return DisclosingGroup(
        view_of(str(row["example"]), tables),
        int(str(row["size"])),
        None if value is None else str(value),
        float(str(row["share"])),
        SUBJECT,
    )
