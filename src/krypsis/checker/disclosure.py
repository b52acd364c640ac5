"""Which records lie in groups that disclose their sensitive value, whatever was promised.

A group discloses a value if all or nearly all of its records have it: whoever finds a person's group knows the value,
without finding the record. A value that dominates the whole table as well is left out: the table itself reveals it
about everybody, and no grouping can hide it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.checker.evidence import Original
from krypsis.checker.grouping import PublishedGroups, count, groups_of
from krypsis.checker.linkage import Linkage
from krypsis.checker.parted_rows import PartedRows
from krypsis.checker.published_tables import PublishedTables, SubjectTable, joined
from krypsis.checker.views import as_seen, seen_of_subjects, view_of
from krypsis.data.groups import Histogram
from krypsis.data.hierarchies.base import TOP, Label
from krypsis.errors import shorten
from krypsis.io.texts import PLAIN, text_of
from krypsis.models.coverage import NEARLY_CERTAIN, USUAL
from krypsis.texts.spelling import spelled_alike

SHOWN = 3
"""How many of the worst groups are named."""
COLUMNS_SHOWN = 3
"""How many quasi-identifiers of such a group are named."""
LONGEST = 40
"""How many characters of a value are shown."""


@dataclass(frozen=True)
class DisclosingGroup:
    """A published group with the sensitive value that it discloses; for the publisher only."""

    values: dict[str, Label]
    """Quasi-identifier → its published value."""
    size: int
    value: Label
    share: float
    unit: str = "record"

    def __str__(self) -> str:
        """Return the group on one line."""
        shown = shorten((f"{_shown(name)}={_shown(value)}" for name, value in self.values.items()), COLUMNS_SHOWN)
        who = "all" if self.share == 1 else f"{int(100 * self.share)} % of them"
        return f"{shown}: {_counted(self.size, self.unit)}, {who} {_shown(self.value)}"


@dataclass(frozen=True)
class Disclosure:
    """How many published records lie in groups in which one value of a sensitive column is certain, or nearly so.

    Examples
    --------
    >>> Disclosure("disease", 20, certain=5, nearly=10, groups=2).sentence
    '15 of 20 published records lie in 2 groups with a known value of disease: it is certain for 5 records and ...'
    """

    column: str
    records: int
    certain: int
    nearly: int
    groups: int
    worst: tuple[DisclosingGroup, ...] = ()
    unit: str = "record"
    """What is counted: records, or subjects where several tables have rows of the same person."""

    @property
    def exposed(self) -> int:
        """The number of records whose value is certain or nearly so."""
        return self.certain + self.nearly

    @property
    def sentence(self) -> str:
        """What was found, without a value of the data."""
        parts = [f"certain for {_counted(self.certain, self.unit)}"] if self.certain else []
        parts += [f"at least {NEARLY_CERTAIN:.0%} likely for {self.nearly:,}".replace("%", " %")] if self.nearly else []
        whole = _counted(self.records, f"published {self.unit}")
        return (
            f"{self.exposed:,} of {whole} lie in {_counted(self.groups, 'group')} with a known value of {self.column}: "
            f"it is {' and '.join(parts)}."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return what was found by name, ready for JSON; for the publisher only."""
        return {**asdict(self), "exposed": self.exposed, "sentence": self.sentence}

    @property
    def named(self) -> str:
        """The worst groups by their published values; for the publisher only."""
        return f"Worst groups: {'; '.join(map(str, self.worst))}."


def disclosures(
    published: PublishedTables, sets: Sequence[Sequence[str]], sensitive: Sequence[str]
) -> tuple[Disclosure, ...]:
    """Return what the groups of a published table disclose, for every sensitive column that is disclosed at all.

    Parameters
    ----------
    published
        the tables of a release.
    sets
        the sets of quasi-identifiers an attacker may know; of several, the one that discloses most counts.
    sensitive
        the sensitive columns.

    Examples
    --------
    >>> table = pl.DataFrame({"age": ["3*"] * 3 + ["4*"] * 3, "disease": ["flu", "flu", "flu", "flu", "hiv", "cold"]})
    >>> found, = disclosures(PublishedTables(table), [["age"]], ["disease"])
    >>> found.certain, str(found.worst[0])
    (3, 'age=3*: 3 records, all flu')
    """
    table, known = published.table, sets
    if published.group_column is not None:
        known = [(published.group_column,)]
        if published.sensitive_table is not None:
            table = joined(table, published.sensitive_table, published.group_column)
    return disclosures_of_rows(table, known, sensitive)


def disclosures_of_rows(
    table: pl.DataFrame | PartedRows, sets: Sequence[Sequence[str]], sensitive: Sequence[str]
) -> tuple[Disclosure, ...]:
    """Return what groups of records that look alike disclose, in a table in memory or in parts.

    Examples
    --------
    >>> parts = [pl.DataFrame({"age": ["3*"], "disease": [name]}) for name in ("flu", "flu", "flu")]
    >>> others = pl.DataFrame({"age": ["4*"] * 3, "disease": ["flu", "hiv", "cold"]})
    >>> [found.certain for found in disclosures_of_rows(PartedRows.of([*parts, others]), [["age"]], ["disease"])]
    [3]
    """
    known = [tuple(names) for names in sets if names]
    hidden = [name for name in dict.fromkeys(sensitive) if name in table.columns]
    if not known or not hidden or table.is_empty():
        return ()
    counted = count(table, list(dict.fromkeys(name for names in known for name in names)), hidden, {}, {})
    derived = [groups_of(counted, names) for names in known]
    found = [max((_disclosed(groups, name) for groups in derived), key=lambda one: one.exposed) for name in hidden]
    return tuple(one for one in found if one.exposed)


@dataclass(frozen=True)
class Inference:
    """How many published records have a value that follows from their other quasi-identifiers."""

    column: str
    records: int
    exposed: int


def inferences(
    table: pl.DataFrame | PartedRows, sets: Sequence[Sequence[str]], names: Sequence[str]
) -> tuple[Inference, ...]:
    """Return which quasi-identifiers the others give away, each as if it were sensitive and the others were known.

    Cells that are published as ``*`` or missing give nothing away, and neither does a value that dominates the table.

    Examples
    --------
    >>> table = pl.DataFrame({"age": ["3*"] * 3 + ["4*"] * 4, "method": ["a"] * 3 + ["a", "b"] * 2})
    >>> inferences(table, [["age", "method"]], ["method"])
    (Inference(column='method', records=7, exposed=3),)
    """
    found: dict[str, Inference] = {}
    for known in sets:
        asked = [name for name in names if name in known and len(known) > 1 and name in table.columns]
        if not asked:
            continue
        # Names of our own, so that no column name of a user can get in the way.
        own = {name: f"q{place}" for place, name in enumerate(known)}
        counted = (table if isinstance(table, PartedRows) else PartedRows.of([table])).counted(known)
        rows = counted.frame()
        columns = [rows.get_column(name).cast(pl.String).alias(own[name]) for name in known]
        counts = pl.Series("records", counted.counts)
        groups = pl.DataFrame([*columns, counts]).group_by(list(own.values())).agg(pl.col("records").sum())
        for name in asked:
            one = Inference(name, table.height, _inferred(groups, own[name]))
            found[name] = max(one, found.get(name, one), key=lambda inference: inference.exposed)
    return tuple(one for one in found.values() if one.exposed)


def _inferred(groups: pl.DataFrame, hidden: str) -> int:
    """Return the number of records whose value of a column is nearly certain for whoever knows the others."""
    others = [name for name in groups.columns if name not in (hidden, "records")]
    rows, value, size = pl.col("records"), pl.col(hidden), pl.col("records").sum()
    largest = groups.group_by(others).agg(
        size.alias("size"), rows.max().alias("most"), value.sort_by(rows).last().alias("value")
    )
    usual = groups.group_by(hidden).agg(size).filter(rows >= USUAL * int(groups["records"].sum()))[hidden]
    certain = pl.col("most") >= NEARLY_CERTAIN * pl.col("size")
    hides = pl.col("value").is_null() | (pl.col("value") == TOP) | pl.col("value").is_in(usual.implode())
    return int(largest.filter(certain & ~hides)["size"].sum())


def _disclosed(found: PublishedGroups, column: str) -> Disclosure:
    histogram, sizes = found.groups.sensitive[column], found.groups.sizes
    shares = histogram.count / sizes[histogram.group]
    disclosing = _disclosing(histogram, shares)
    certain = disclosing & (histogram.count == sizes[histogram.group])
    worst = _worst(histogram, shares, sizes, disclosing)
    return Disclosure(
        column,
        int(sizes.sum()),
        certain=int(sizes[histogram.group[certain]].sum()),
        nearly=int(sizes[histogram.group[disclosing & ~certain]].sum()),
        groups=int(disclosing.sum()),
        worst=tuple(_named(found, histogram, shares, entry) for entry in worst),
    )


def _disclosing(histogram: Histogram, shares: FloatArray) -> BoolArray:
    """Return the entries of values that are nearly certain in their group and not in the whole table."""
    usual = histogram.whole / max(int(histogram.whole.sum()), 1)
    return np.asarray((shares >= NEARLY_CERTAIN) & (usual[histogram.value] < USUAL))


def _worst(histogram: Histogram, shares: FloatArray, sizes: IntArray, disclosing: BoolArray) -> Sequence[int]:
    """Return the entries of the worst groups: certain ones first, rare values before usual ones, large groups first."""
    entries = np.flatnonzero(disclosing)
    rarity = histogram.whole[histogram.value[entries]]
    order = np.lexsort((-sizes[histogram.group[entries]], rarity, -shares[entries]))
    chosen: Sequence[int] = entries[order][:SHOWN].tolist()
    return chosen


def _named(found: PublishedGroups, histogram: Histogram, shares: FloatArray, entry: int) -> DisclosingGroup:
    group = int(histogram.group[entry])
    values = dict(zip(found.attributes, found.values.row(group), strict=True))
    value = histogram.domain.values[int(histogram.value[entry])]
    return DisclosingGroup(values, int(found.groups.sizes[group]), value, float(shares[entry]))


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _shown(value: object) -> str:
    if value is None:
        return "(missing)"
    printable = "".join(letter if letter.isprintable() else "�" for letter in str(value))
    return printable if len(printable) <= LONGEST else printable[: LONGEST - 1] + "…"


MOST_PEOPLE = 500
"""How many people are tried to find out which values follow from others."""
MOST_DIFFERENT = 1_000
"""Columns with more different values are not examined for that."""
MOST_VALUES = 200
"""How many values are examined, the most frequent first: each takes a look at all links."""


def disclosures_of_links(
    original: Original, published: pl.DataFrame, sets: Sequence[Sequence[str]], sensitive: Sequence[str]
) -> tuple[Disclosure, ...]:
    """Return what published records disclose about the people whom they could belong to.

    Whoever knows the quasi-identifiers of a person finds the published records that generalize them. If these have the
    same sensitive value, it is known. Of several sets of quasi-identifiers, the one that discloses most counts.

    Examples
    --------
    >>> before = Original(pl.DataFrame({"age": ["20", "21", "22", "23"]}))
    >>> ages = ["[20-21]", "[20-22]", "[21-23]", "[22-23]"]
    >>> table = pl.DataFrame({"age": ages, "ill": ["hiv", "hiv", "flu", "flu"]})
    >>> found, = disclosures_of_links(before, table, [["age"]], ["ill"])
    >>> found.certain, str(found.worst[0])
    (2, 'age=20: 2 records, all hiv')
    """
    found = []
    for name in sensitive:
        values = spelled_alike(text_of(published.get_column(name).rename(PLAIN)))
        found.append(max((_disclosed_by_links(original, published, one, name, values) for one in sets), key=_exposed))
    return tuple(one for one in found if one.exposed)


def inferences_of_links(
    original: Original,
    published: pl.DataFrame,
    sets: Sequence[Sequence[str]],
    names: Sequence[str],
    tried: pl.DataFrame | None = None,
) -> tuple[Inference, ...]:
    """Return which quasi-identifiers follow from the others where labels overlap; of many people, some are tried.

    A label that stands for several values, such as ``{a, b}``, gives none of them away. Who is tried may be given,
    where the original table does not have everybody, but only all values.

    Examples
    --------
    >>> before = Original(pl.DataFrame({"age": ["20", "21", "22", "23"], "method": ["a", "a", "a", "b"]}))
    >>> table = pl.DataFrame({"age": ["[20-21]"] * 2 + ["[22-23]"] * 2, "method": ["a", "a", "{a, b}", "{a, b}"]})
    >>> inferences_of_links(before, table, [["age", "method"]], ["method"])
    (Inference(column='method', records=4, exposed=2),)
    """
    people = original.table if tried is None else tried
    tried = people.sample(min(MOST_PEOPLE, people.height), seed=0)
    found: dict[str, Inference] = {}
    for known in sets:
        for name in (name for name in names if name in known and len(known) > 1):
            others = [other for other in known if other != name]
            one = Inference(name, tried.height, _inferred_by_links(original, tried, published, others, name))
            found[name] = max(one, found.get(name, one), key=lambda inference: inference.exposed)
    return tuple(one for one in found.values() if one.exposed)


def _inferred_by_links(
    original: Original, tried: pl.DataFrame, published: pl.DataFrame, others: Sequence[str], name: str
) -> int:
    labels = text_of(published.get_column(name).rename(PLAIN)).rename("label")
    values = text_of(original.table.get_column(name).rename(PLAIN)).unique().drop_nulls()
    examples = [original.table.unique(subset=[other], keep="first", maintain_order=True) for other in others]
    if any(len(rows) > MOST_DIFFERENT for rows in examples):
        return 0
    people = pl.concat([tried, *examples])  # a label can be read only if the values in it are known
    often = labels.value_counts(sort=True).filter(pl.col("label").is_in(values.implode()) & (pl.col("label") != TOP))
    whole = Linkage.between(people, published, others, original.hierarchies)
    known = np.zeros(len(whole.of_originals), dtype=np.bool_)
    for value, number in often.head(MOST_VALUES).iter_rows():
        if number < USUAL * len(labels):
            having = published.filter(labels.eq_missing(pl.Series([value], dtype=pl.String)))
            linked = Linkage.between(people, having, others, original.hierarchies).of_originals
            known |= (linked > 0) & (linked >= NEARLY_CERTAIN * whole.of_originals)
    inferred = {whole.originals.row(place) for place in np.flatnonzero(known).tolist()}
    columns = [text_of(tried.get_column(other).rename(PLAIN)) for other in others]
    return sum(person in inferred for person in zip(*columns, strict=True))


def _exposed(one: Disclosure) -> int:
    return one.exposed


def _disclosed_by_links(
    original: Original, published: pl.DataFrame, attributes: Sequence[str], column: str, values: pl.Series
) -> Disclosure:
    linkage = Linkage.between(original.table, published, attributes, original.hierarchies)
    people, records = linkage.originals.counts, linkage.of_originals
    share, value_of = _strongest(original, published, attributes, values, records.astype(np.float64))
    worst = np.lexsort((-records, -share))[: min(SHOWN, int((share >= NEARLY_CERTAIN).sum()))]
    return Disclosure(
        column,
        int(people.sum()),
        certain=int(people[share == 1].sum()),
        nearly=int(people[(share >= NEARLY_CERTAIN) & (share < 1)].sum()),
        groups=int((share >= NEARLY_CERTAIN).sum()),
        worst=tuple(
            DisclosingGroup(
                dict(zip(attributes, linkage.originals.row(place), strict=True)),
                int(records[place]),
                value_of[place],
                float(share[place]),
            )
            for place in worst.tolist()
        ),
    )


def _strongest(
    original: Original, published: pl.DataFrame, attributes: Sequence[str], values: pl.Series, records: FloatArray
) -> tuple[FloatArray, list[str | None]]:
    """Return for each original tuple the largest share of a value that is not usual, and that value."""
    share, value_of = np.zeros(len(records)), np.full(len(records), None, dtype=object)
    often = values.value_counts(sort=True)
    usual = USUAL * len(values)
    for value, number in often.head(MOST_VALUES).iter_rows():
        if number < usual:
            having = published.filter(values.eq_missing(pl.Series([value], dtype=pl.String)))
            linked = Linkage.between(original.table, having, attributes, original.hierarchies).of_originals
            own = np.divide(linked, records, out=np.zeros(len(records)), where=records > 0)
            value_of[own > share] = value
            share = np.maximum(own, share)
    return share, value_of.tolist()


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
    found = [_disclosed_by_subjects(views, tables, label, *place) for label, place in sensitive.items()]
    return tuple(one for one in found if one.exposed)


def _disclosed_by_subjects(
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
        worst=tuple(_subjects_named(row, tables) for row in strongest.head(SHOWN).iter_rows(named=True)),
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


def _subjects_named(row: Mapping[str, object], tables: Mapping[str, SubjectTable]) -> DisclosingGroup:
    value = row["value"]
    return DisclosingGroup(
        view_of(str(row["example"]), tables),
        int(str(row["size"])),
        None if value is None else str(value),
        float(str(row["share"])),
        SUBJECT,
    )
