"""Sets of items: which items each record holds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import DataError, HierarchyError, UsageError, did_you_mean, shorten
from krypsis.texts.cards import Card


def taken_lists(starts: IntArray, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Return where lists begin after some of them were chosen, and the places that their entries come from.

    ``starts`` says where each list begins, with one entry more for the end of the last one.

    Examples
    --------
    >>> new, places = taken_lists(np.array([0, 2, 3, 6]), np.array([2, 0]))
    >>> new.tolist(), places.tolist()
    ([0, 3, 5], [3, 4, 5, 0, 1])
    """
    sizes = np.diff(starts)[chosen]
    new = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return new, np.arange(new[-1]) + np.repeat(starts[:-1][chosen] - new[:-1], sizes)


@dataclass(frozen=True, eq=False, repr=False)
class Transactions:
    """Sets of items as integer codes, one set after the other.

    Record ``r`` holds ``codes[starts[r] : starts[r + 1]]``, ascending and without repetition; ``items[code]`` is the
    label of an item. A record may be empty.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["bread", "milk"], ["milk", "milk"], []])
    >>> len(baskets), baskets.items, baskets.sizes.tolist()
    (3, ('bread', 'milk'), [2, 1, 0])
    """

    items: tuple[str, ...]
    codes: CodeArray
    starts: IntArray

    @classmethod
    def of_sets(cls, sets: Iterable[Iterable[object]]) -> "Transactions":
        """Return sets given as lists of items; a missing item is no item.

        Raises
        ------
        DataError
            if a record is no collection of items: a text is one item, not a set of letters.
        """
        records: list[int] = []
        labels: list[str] = []
        count = 0
        for count, one in enumerate(sets, start=1):
            if isinstance(one, str | bytes | Mapping) or not isinstance(one, Iterable):
                raise DataError(f"record {count} must be a list of items such as ['bread', 'milk'], got {one!r:.60}")
            found = [_label(item, count) for item in one if item is not None]
            labels += found
            records += [count - 1] * len(found)
        items = tuple(sorted(set(labels)))
        code_of = {item: code for code, item in enumerate(items)}
        codes = np.array([code_of[label] for label in labels], dtype=np.int64)
        return cls.of_pairs(np.array(records, dtype=np.int64), codes, items, count)

    @classmethod
    def of_pairs(cls, records: IntArray, codes: IntArray, items: tuple[str, ...], count: int) -> "Transactions":
        """Return ``count`` records given as pairs of a record's number and an item's code, in any order."""
        width = max(len(items), 1)
        pairs = np.sort(records * np.int64(width) + codes)
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # numpy's own way to keep each once takes five times as long
        sizes = np.bincount(pairs // width, minlength=count)
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(items, (pairs % width).astype(np.int32), starts)

    def __repr__(self) -> str:
        """Name no item: what is shown ends up in notebooks and logs."""
        return f"Transactions({len(self)} records; {len(self.items)} items)"

    def _repr_html_(self) -> str:
        """Show in a notebook how much there is, and none of it."""
        facts = {"records": f"{len(self):,}", "different items": f"{len(self.items):,}"}
        return Card("Transactions", facts, note="Sets of items; not shown, for they may be private.").html()

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> IntArray:
        """The number of items of each record."""
        return np.diff(self.starts)

    @cached_property
    def records(self) -> IntArray:
        """The record of each code."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.sizes)

    @cached_property
    def supports(self) -> IntArray:
        """The number of records that hold each item."""
        return np.bincount(self.codes, minlength=len(self.items)).astype(np.int64)

    def sets(self) -> list[frozenset[str]]:
        """Return the records as sets of labels."""
        labels = [self.items[code] for code in self.codes.tolist()]
        return [frozenset(labels[start:end]) for start, end in zip(self.starts, self.starts[1:], strict=False)]

    def taken(self, records: IntArray) -> "Transactions":
        """Return some of the records, in the order in which they are named.

        Examples
        --------
        >>> Transactions.of_sets([["a"], ["b"], []]).taken(np.array([2, 0])).sets()
        [frozenset(), frozenset({'a'})]
        """
        starts, places = taken_lists(self.starts, records)
        return Transactions(self.items, self.codes[places], starts)

    def without(self, items: Iterable[str]) -> "Transactions":
        """Return the records without some items, which leave the item table as well.

        Examples
        --------
        >>> Transactions.of_sets([["bread", "milk"]]).without(["milk"]).sets()
        [frozenset({'bread'})]
        """
        left = frozenset(items)
        kept = np.array([item not in left for item in self.items], dtype=np.bool_)
        new = np.cumsum(kept) - 1
        stays = kept[self.codes]
        before = np.concatenate([[0], np.cumsum(stays)])
        names = tuple(item for item in self.items if item not in left)
        return Transactions(names, new[self.codes[stays]].astype(np.int32), before[self.starts])

    def with_items(self, items: tuple[str, ...]) -> "Transactions":
        """Return the same records with a larger item table, in ascending order."""
        if items == self.items:
            return self
        code_of = {item: code for code, item in enumerate(items)}
        new = np.array([code_of[item] for item in self.items], dtype=np.int64)
        return Transactions.of_pairs(self.records, new[self.codes], items, len(self))

    def generalized(self, labels: Mapping[str, str]) -> "Transactions":
        """Return the records with items replaced by more general ones; what becomes equal is kept once.

        Examples
        --------
        >>> Transactions.of_sets([["bleach", "soap"]]).generalized({"bleach": "cleaning", "soap": "cleaning"}).sets()
        [frozenset({'cleaning'})]
        """
        if strangers := [item for item in labels if item not in self.items]:
            hint = did_you_mean(strangers[0], self.items)
            raise UsageError(f"no record holds {shorten(map(repr, strangers), 5)}; name items that occur.{hint}")
        named = [labels.get(item, item) for item in self.items]
        items = tuple(sorted(set(named)))
        code_of = {item: code for code, item in enumerate(items)}
        new = np.array([code_of[name] for name in named], dtype=np.int64)
        return Transactions.of_pairs(self.records, new[self.codes], items, len(self))

    def possible_items(self, hierarchy: Hierarchy) -> "Transactions":
        """Return the records with every item that their labels may stand for, where items were generalized.

        Somebody who knows an original item looks for it and for everything above it. Original items that are published
        by the same labels look the same, so they are taken as one; if a label reveals nothing but them, it is their
        name.

        Raises
        ------
        HierarchyError
            if a record holds a label that stands nowhere in the hierarchy.

        Examples
        --------
        >>> goods = Hierarchy.from_rows([["bleach", "cleaning", "*"], ["soap", "cleaning", "*"]])
        >>> [sorted(one) for one in Transactions.of_sets([["bleach"], ["cleaning"]]).possible_items(goods).sets()]
        [['bleach'], ['bleach', 'soap']]
        """
        if not self.items:
            return self
        covered = np.stack([_below(label, hierarchy) for label in self.items], axis=1)
        distinct, first, number = np.unique(covered, axis=0, return_index=True, return_inverse=True)
        names = [_name(row, number == place, self.items, covered, hierarchy) for place, row in enumerate(distinct)]
        kept = [place for place in np.argsort(first).tolist() if distinct[place].any()]
        label, kind = np.nonzero(distinct[kept].T)
        edges = np.searchsorted(label, np.arange(len(self.items) + 1))
        room = np.diff(edges)[self.codes]
        offset = np.arange(room.sum()) - np.repeat(np.cumsum(room) - room, room)
        codes = kind[np.repeat(edges[self.codes], room) + offset]
        return Transactions.of_pairs(
            np.repeat(self.records, room), codes.astype(np.int64), tuple(names[place] for place in kept), len(self)
        )


def _label(item: object, record: int) -> str:
    if isinstance(item, str):
        return item
    if isinstance(item, int) and not isinstance(item, bool):
        return str(item)
    raise DataError(f"record {record} holds the item {item!r:.60}; items are texts or whole numbers")


def _below(label: str, hierarchy: Hierarchy) -> BoolArray:
    """Say which values a label stands for, at every level at which it stands."""
    found = np.zeros(len(hierarchy.values), dtype=np.bool_)
    for level, labels in enumerate(hierarchy.labels):
        if label in labels:
            found |= hierarchy.table[level] == labels.index(label)
    if not found.any():
        known = [name for labels in hierarchy.labels for name in labels if name is not None]
        raise HierarchyError(
            f"the item {label!r} stands nowhere in the hierarchy; add it, or take the hierarchy that the items were "
            f"generalized with.{did_you_mean(label, known)}"
        )
    return found


def _name(
    distinct: BoolArray,
    members: BoolArray,
    items: tuple[str, ...],
    covered: BoolArray,
    hierarchy: Hierarchy,
) -> str:
    """Return the label that means exactly these values, or else the values themselves."""
    for place in np.flatnonzero(distinct).tolist():
        if (covered[:, place] == members).all():
            return items[place]
    return " or ".join(str(hierarchy.values[value]) for value in np.flatnonzero(members).tolist())
