"""Which records lie in groups that disclose their sensitive value, whatever was promised.

A group discloses a value if all or nearly all of its records have it: whoever finds a person's group knows the value,
without finding the record. A value that dominates the whole table as well is left out: the table itself tells it about
everybody, and no grouping can hide it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.checker.grouping import PublishedGroups, count, groups_of
from krypsis.checker.published import Published, joined
from krypsis.errors import shorten
from krypsis.groups import Histogram
from krypsis.hierarchies.base import TOP, Label
from krypsis.models.coverage import NEARLY_CERTAIN, USUAL

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
    published: Published, sets: Sequence[Sequence[str]], sensitive: Sequence[str]
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
    >>> found, = disclosures(Published(table), [["age"]], ["disease"])
    >>> found.certain, str(found.worst[0])
    (3, 'age=3*: 3 records, all flu')
    """
    table, known = published.table, [tuple(names) for names in sets if names]
    if published.group_column is not None:
        known = [(published.group_column,)]
        if published.sensitive_table is not None:
            table = joined(table, published.sensitive_table, published.group_column)
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


def inferences(table: pl.DataFrame, sets: Sequence[Sequence[str]], names: Sequence[str]) -> tuple[Inference, ...]:
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
        columns = [table.get_column(name).cast(pl.String).alias(own[name]) for name in known]
        groups = pl.DataFrame(columns).group_by(pl.all()).agg(pl.len().alias("records"))
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
