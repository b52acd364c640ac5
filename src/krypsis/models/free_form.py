"""Values an attacker may see and values nobody should learn, in any column: what the former reveal about the latter."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.columns import CategoryColumn
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.errors import UsageError, column_not_found

NOTHING = -1
"""The code of a record that shows no value in a facet."""

MOST_SETS = 20_000
"""Up to this many sets of facets are looked at; each is grouped by itself."""


@dataclass(frozen=True, eq=False)
class Facet:
    """Some values of a column, or of the labels at a level of its hierarchy: the code of each record's, or nothing."""

    column: str
    level: int
    codes: IntArray
    labels: tuple[Label, ...]

    @property
    def name(self) -> str:
        """How a message names it."""
        return self.column if not self.level else f"{self.column}@{self.level}"


@dataclass(frozen=True, eq=False)
class FreeFormAttack:
    """What a set of facets reveals: the records that show something in all of them, grouped by what they show.

    ``confidence[group]`` is the share of the sensitive value that is most frequent in the group.
    """

    facets: tuple[int, ...]
    records: IntArray
    group_of: IntArray
    """The group of each of these records."""
    sizes: IntArray
    confidence: FloatArray


def facets_of(
    entries: Sequence[str], columns: Mapping[str, CategoryColumn], hierarchies: Mapping[str, Hierarchy]
) -> tuple[Facet, ...]:
    """Return the facets that entries such as ``sex``, ``disease=Flu`` and ``income@1`` stand for.

    Raises
    ------
    UsageError
        if an entry names a column or level that is not there. A value that no record has is shown by none.

    Examples
    --------
    >>> disease = CategoryColumn("disease", np.array([0, 1], dtype=np.int32), ("AIDS", "Flu"))
    >>> facets_of(["disease=Flu"], {"disease": disease}, {})[0].codes
    array([-1,  0])
    """
    wanted: dict[tuple[str, int], set[str] | None] = {}
    for entry in entries:
        column, level, value = _parsed(entry, columns)
        known = wanted.setdefault((column, level), set())
        wanted[column, level] = None if value is None or known is None else {*known, value}
    return tuple(_facet(columns[name], level, values, hierarchies) for (name, level), values in wanted.items())


def _parsed(entry: str, columns: Mapping[str, CategoryColumn]) -> tuple[str, int, str | None]:
    if entry in columns:
        return entry, 0, None
    column, mark, level = entry.rpartition("@")
    if mark and column in columns and level.isdigit():
        return column, int(level), None
    column, mark, value = entry.partition("=")
    if mark and column in columns:
        return column, 0, value
    raise column_not_found(column if mark else entry.rpartition("@")[0] or entry, columns)


def _facet(column: CategoryColumn, level: int, values: set[str] | None, hierarchies: Mapping[str, Hierarchy]) -> Facet:
    labels = column.labels
    if level:
        labels = _labels_at(column, level, hierarchies)
    shown = tuple(dict.fromkeys(label for label in labels if label is not None and (values is None or label in values)))
    code_of = {label: code for code, label in enumerate(shown)}
    codes = np.array(
        [code_of.get(label, NOTHING) if label is not None else NOTHING for label in labels], dtype=np.int64
    )
    return Facet(column.name, level, codes[column.codes] if len(codes) else column.codes.astype(np.int64), shown)


def _labels_at(column: CategoryColumn, level: int, hierarchies: Mapping[str, Hierarchy]) -> tuple[Label, ...]:
    if column.name not in hierarchies:
        raise UsageError(f"{column.name}@{level} is a level of the hierarchy of {column.name!r}, and none is given")
    hierarchy = hierarchies[column.name].covering(column.labels, column.name)
    if level > hierarchy.height:
        raise UsageError(
            f"{column.name}@{level}: the hierarchy of {column.name!r} has the levels 0 to {hierarchy.height}"
        )
    return tuple(None if label is None else hierarchy.label(label, level) for label in column.labels)


def attacks(observable: Sequence[Facet], sensitive: Sequence[Facet], most: int) -> Iterator[FreeFormAttack]:
    """Yield what every set of at most ``most`` facets reveals; the empty set is what anybody knows.

    Records that show nothing in a facet fall out of every set with it, so larger sets do not decide smaller ones.
    """
    sets = sum(comb(len(observable), size) for size in range(min(most, len(observable)) + 1))
    if sets > MOST_SETS:
        raise UsageError(
            f"there are {sets:,} sets of up to {most} of {len(observable)} columns that an attacker may see, and at "
            f"most {MOST_SETS:,} can be looked at; choose a smaller lmax, or name fewer columns"
        )
    for size in range(min(most, len(observable)) + 1):
        for facets in combinations(range(len(observable)), size):
            attack = _attack(facets, [observable[place] for place in facets], sensitive)
            if len(attack.records):
                yield attack


def _attack(places: tuple[int, ...], facets: Sequence[Facet], sensitive: Sequence[Facet]) -> FreeFormAttack:
    records = np.arange(len(sensitive[0].codes))
    for facet in facets:
        records = records[facet.codes[records] != NOTHING]
    group_of = np.zeros(len(records), dtype=np.int64)
    for facet in facets:
        keys = group_of * len(facet.labels) + facet.codes[records]
        group_of = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    sizes = np.bincount(group_of).astype(np.int64)
    confidence = np.zeros(len(sizes))
    for facet in sensitive:
        codes = facet.codes[records]
        keys, counts = np.unique((group_of * len(facet.labels) + codes)[codes != NOTHING], return_counts=True)
        group = keys // max(len(facet.labels), 1)
        np.maximum.at(confidence, group, counts / sizes[group])
    return FreeFormAttack(places, records, group_of, sizes, confidence)
