"""Check records that are sets of items."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import combinations, pairwise
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from krypsis.arrays import BoolArray, IntArray
from krypsis.checker.base import judge_of, judges, refuse_others
from krypsis.checker.chunk_rarest import Rarest, rarest_of
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Transactions
from krypsis.errors import HierarchyError
from krypsis.io.item_sets import transactions_of
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.models.km_anonymity import KmAnonymity

AT_ONCE = 4_000_000
"""About how many subsets are held in memory at a time."""

KEY_SPACE = 2**62
"""Numbers of sets stay below this."""

Sets = npt.NDArray[np.int32]
"""One set of items per row, as codes in ascending order of rank."""


@dataclass(frozen=True, eq=False)
class RankedSets:
    """Transactions whose items are numbered by how many records hold them, rare ones first."""

    codes: IntArray
    ends: IntArray
    """For each item of each record, where the record ends."""
    original: IntArray
    """Rank → code of the item."""
    supports: IntArray
    """Rank → number of records that hold the item."""

    @classmethod
    def of(cls, transactions: Transactions) -> "RankedSets":
        """Return the transactions with their items ranked."""
        supports = np.bincount(transactions.codes, minlength=len(transactions.items)).astype(np.int64)
        original = np.argsort(supports, kind="stable")
        rank = np.empty_like(original)
        rank[original] = np.arange(len(original))
        ends = np.repeat(transactions.starts[1:], transactions.sizes)
        codes = rank[transactions.codes]
        return cls(codes[np.lexsort((codes, transactions.records))], ends, original, supports[original])

    @property
    def longest(self) -> int:
        """The number of items of the largest set."""
        return int((self.ends - np.arange(len(self.ends))).max(initial=0))

    def without(self, rare: BoolArray) -> "RankedSets":
        """Return the sets without some items."""
        kept = ~rare[self.codes]
        before = np.concatenate([[0], np.cumsum(kept)])
        return RankedSets(self.codes[kept], before[self.ends[kept]], self.original, self.supports)

    def counted(self, size: int) -> Iterator[tuple[Sets, IntArray]]:
        """Yield all different subsets of a size with the number of records that hold each, some at a time."""
        for positions in self._parts(size):
            yield _count(self.codes, self.ends, positions, size, max(len(self.original), 1))

    def _parts(self, size: int) -> Iterator[IntArray]:
        """Yield where subsets begin, so that equal subsets begin in the same part."""
        positions = np.flatnonzero(self.ends - np.arange(len(self.ends)) >= size)
        positions = positions[np.argsort(self.codes[positions], kind="stable")]
        room = (self.ends[positions] - positions - 1).astype(np.float64)
        ways = np.ones(len(positions))
        for taken in range(size - 1):
            ways *= (room - taken) / (taken + 1)
        first = np.flatnonzero(np.diff(self.codes[positions], prepend=-1))
        part = np.cumsum(np.add.reduceat(ways, first) if len(first) else np.zeros(0)) // AT_ONCE
        cuts = first[np.flatnonzero(np.diff(part, prepend=-1.0))] if len(first) else first
        yield from np.split(positions, cuts[1:]) if len(cuts) else ()


def _count(codes: IntArray, ends: IntArray, first: IntArray, size: int, width: int) -> tuple[Sets, IntArray]:
    """Return the different subsets that begin at some positions, and how often each occurs."""
    last, keys, space = first, codes[first], width
    tables: list[IntArray | None] = []
    for missing in range(size - 1, 0, -1):
        table = None
        if space * width >= KEY_SPACE:
            table, keys = np.unique(keys, return_inverse=True)
            space = len(table)
        tables.append(table)
        room = np.maximum(ends[last] - last - missing, 0)
        parent = np.repeat(np.arange(len(last)), room)
        last = last[parent] + 1 + np.arange(len(parent)) - np.repeat(np.cumsum(room) - room, room)
        keys = keys[parent] * width + codes[last]
        space *= width
    distinct, counts = np.unique(keys, return_counts=True)
    return _decoded(distinct, tables, width), counts.astype(np.int64)


def _decoded(keys: IntArray, tables: list[IntArray | None], width: int) -> Sets:
    columns = []
    for table in reversed(tables):
        columns.append(keys % width)
        keys = keys // width
        keys = keys if table is None else table[keys]
    return np.stack([keys, *reversed(columns)], axis=1).astype(np.int32)


def fewest_records(transactions: Transactions, m: int, few: int = 1) -> int:
    """Return the number of records that hold the rarest set of up to ``m`` items of any record.

    Nothing at all, the set of an attacker who knows no item, is in every record. Larger sets are in no more records
    than the smaller ones in them, so sizes are counted in ascending order, until a set is in ``few`` records or in
    fewer: with 1 the answer is exact, otherwise it is at most ``few`` and may be too high.

    Examples
    --------
    >>> fewest_records(Transactions.of_sets([["bread", "milk"], ["bread", "milk"], ["bread"]]), 2)
    2
    """
    ranked = RankedSets.of(transactions)
    rarest = len(transactions)
    for size in range(1, min(m, ranked.longest) + 1):
        if rarest <= few:
            break
        rarest = min([rarest, *(int(counts.min()) for _, counts in ranked.counted(size) if len(counts))])
    return rarest


def rare_sets(transactions: Transactions, k: int, m: int) -> dict[frozenset[str], int]:
    """Return the sets of up to ``m`` items that fewer than ``k`` records hold, and some record does.

    Only those that contain no smaller such set: what contains one is rare, too.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["bread", "milk"], ["bread"], ["milk"]])
    >>> {tuple(sorted(items)): records for items, records in rare_sets(baskets, k=2, m=2).items()}
    {('bread', 'milk'): 1}
    """
    ranked = RankedSets.of(transactions)
    labels = np.array(transactions.items, dtype=object)[ranked.original]
    return {
        frozenset(labels[row]): int(count)
        for sets, counts in smallest_rare(ranked, k, m)
        for row, count in zip(sets, counts, strict=True)
    }


def smallest_rare(ranked: RankedSets, k: int, m: int) -> Iterator[tuple[Sets, IntArray]]:
    """Yield the rare sets that contain no smaller one, by size, rare ones first within each part that is counted."""
    rare = (ranked.supports < k) & (ranked.supports > 0)
    alone = np.flatnonzero(rare)
    yield alone.reshape(-1, 1).astype(np.int32), ranked.supports[alone]
    rest = ranked.without(rare)
    known: list[Sets] = []
    for size in range(2, min(m, rest.longest) + 1):
        found: list[Sets] = []
        for sets, counts in rest.counted(size):
            below = counts < k
            new, their = _without_parts(sets[below], counts[below], known)
            found.append(new)
            yield new, their
        known += [np.concatenate(found)] if found else []


def _without_parts(sets: Sets, counts: IntArray, known: list[Sets]) -> tuple[Sets, IntArray]:
    """Return the sets that contain none of the known ones."""
    frame = pl.DataFrame(sets, schema=[f"i{place}" for place in range(sets.shape[1])], orient="row")
    frame = frame.with_columns(records=pl.Series(counts))
    for parts in known:
        names = [f"i{place}" for place in range(parts.shape[1])]
        part = pl.DataFrame(parts, schema=names, orient="row")
        for chosen in combinations([f"i{place}" for place in range(sets.shape[1])], parts.shape[1]):
            frame = frame.join(part, left_on=list(chosen), right_on=names, how="anti", maintain_order="left")
    return frame.drop("records").to_numpy().astype(np.int32), frame["records"].to_numpy()


SHOWN = 5
"""How many rare sets of items a verdict shows."""

COUNTED = 300_000_000
"""How many combinations of items are counted one by one, which takes some minutes."""

LARGEST = 4_000_000_000
"""How many records times items a search for the rarest combination takes, with one bit in memory for each."""

LOOKED_UP = 100_000_000
"""How many sets of items are looked up that labels may stand for, if counting labels can do without."""


def check_transactions(
    data: Any,
    models: Sequence[PrivacyModel],
    *,
    hierarchy: Hierarchy | None = None,
    key: str | None = None,
    item: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> tuple[Verdict, ...]:
    """Say for each promise whether published sets of items keep it.

    Parameters
    ----------
    data, key, item, delimiter, encoding
        the sets, in any form that :func:`krypsis.io.item_sets.transactions_of` reads.
    models
        the promises.
    hierarchy
        of the items, where some records show an item and others something more general above it: a record that shows
        ``cleaning`` may hold bleach. Where every item is published in one way only, it makes no difference. Records
        that show the same labels may hold the same items, so where the labels keep a promise, the items do: if the
        items are too many to look them all up, the level achieved is that of the labels, which is no higher.

    Examples
    --------
    >>> verdict, = check_transactions([["bread", "milk"], ["bread"], ["milk"]], [KmAnonymity(k=2, m=2)])
    >>> verdict.holds, verdict.offending
    (False, ({'values': {'items': 'bread, milk'}, 'size': 1},))
    """
    found = [(model, judge_of(model, Transactions)) for model in models]
    published = transactions_of(data, key=key, item=item, delimiter=delimiter, encoding=encoding)
    return tuple(judge(model, published, SetsCase(hierarchy)) for model, judge in found)


@dataclass(frozen=True, eq=False)
class SetsCase:
    """What the judges of promises about sets of items share."""

    hierarchy: Hierarchy | None = None
    """Of the items."""
    sensitive: frozenset[str] = frozenset()
    """Items that nobody should be able to attach to a person."""


refuse_others(
    Transactions,
    "promises about plain sets of items are such as km-anonymity:k=5,m=2; got {model!r}, which may be about sets in "
    "groups (name the column and the table of sensitive items) or in pieces (the JSON file)",
)


@judges(KmAnonymity, Transactions)
def judge_plain(model: KmAnonymity, published: Transactions, case: SetsCase) -> Verdict:
    """Judge a promise about what an attacker may know of a record."""
    # k^m-anonymity: every itemset of up to m items that occurs is contained in at least k records.
    return _judge(model, _looked_up(model, published, case.hierarchy))


def _looked_up(model: KmAnonymity, published: Transactions, hierarchy: Hierarchy | None) -> Transactions:
    """Return what is counted: the labels, or the items that they may stand for."""
    if hierarchy is None:
        return published
    _refuse_ambiguous(published, hierarchy)
    if _most_sets(published, hierarchy, model.m) > LOOKED_UP and _level(model, published).pieces >= model.k:
        return published
    return published.possible_items(hierarchy)


def _refuse_ambiguous(published: Transactions, hierarchy: Hierarchy) -> None:
    """Raise if a label stands for different items on different levels: nobody could say what a record shows.

    Taken for the larger of its meanings, a frequent item could hide rare ones that are published next to it.
    """
    published_labels, first = set(published.items), dict[str | None, tuple[int, int]]()
    for level, labels in enumerate(hierarchy.labels):
        for code, label in enumerate(labels):
            low, there = first.setdefault(label, (level, code))
            if (
                low < level
                and label in published_labels
                and ((hierarchy.table[low] == there) != (hierarchy.table[level] == code)).any()
            ):
                raise HierarchyError(
                    f"the label {label!r} stands for other items at level {low} than at level {level}; "
                    "give the levels different names"
                )


def _most_sets(published: Transactions, hierarchy: Hierarchy, m: int) -> float:
    """Return how many sets of ``m`` items there are at most to look up; unknown labels stand for nothing."""
    items: dict[str | None, int] = {}
    for codes, labels in zip(hierarchy.table, hierarchy.labels, strict=True):
        for label, count in zip(labels, np.bincount(codes).tolist(), strict=True):
            items[label] = items.get(label, 0) + count
    room = np.array([items.get(label, 0) for label in published.items], dtype=np.float64)
    ways = np.ones(len(published))
    sizes = np.bincount(published.records, room[published.codes], minlength=len(published))
    for taken in range(min(m, int(sizes.max(initial=0)))):
        ways *= np.maximum(sizes - taken, 0) / (taken + 1)
    return float(ways.sum())


def _judge(model: KmAnonymity, transactions: Transactions) -> Verdict:
    level = _level(model, transactions)
    holds: bool | None = bool(model.accepts(np.array([level.pieces]))[0])
    number, sample = (0, []) if holds else _rare(model, transactions)
    if not holds and not number and not level.exact and len(transactions) >= model.k:
        holds = None  # nothing rare was found, and the search ended before it had seen everything
    figures = f"required at least {model.k}, achieved {level.pieces}{'' if level.exact else ' or more'}"
    return Verdict(
        promise=model.spec,
        holds=holds,
        required=model.required,
        achieved=float(level.pieces),
        sentence=_sentence(model, holds, number, len(transactions), figures),
        offending=tuple({"values": {"items": ", ".join(items)}, "size": count} for count, items in sample),
    )


def _level(model: KmAnonymity, transactions: Transactions) -> Rarest:
    """Return the number of records that hold the rarest items: exactly, or a number that it is not below.

    Where small combinations break the promise already, larger ones may be rarer still. A search for the rarest ones is
    mostly faster than counting them all, and the only way where they are too many to count.
    """
    m = _counted_size(transactions, model.m)
    known = fewest_records(transactions, m, max(model.k - 1, 1))
    if known <= 1 or (known >= model.k and m == model.m):
        return Rarest(known)
    found = _rarest(transactions, model.m, known)
    return found if found.exact or m < model.m else Rarest(fewest_records(transactions, m))


def _counted_size(transactions: Transactions, m: int) -> int:
    """Return up to how many items all combinations are counted: to ``m``, or as far as that ends in good time."""
    sizes, records = np.unique(transactions.sizes, return_counts=True)
    total, largest = 0, min(m, int(sizes.max(initial=0)))
    for size in range(1, largest + 1):
        total += sum(comb(items, size) * count for items, count in zip(sizes.tolist(), records.tolist(), strict=True))
        if total > COUNTED:
            return max(size - 1, 1)
    return m


def _rarest(transactions: Transactions, m: int, known: int) -> Rarest:
    """Return the number of records that hold the rarest up to ``m`` items, or fewer where that takes too long."""
    if len(transactions) * len(transactions.items) > LARGEST:
        return Rarest(1, exact=False)
    edges = transactions.starts.tolist()
    codes = transactions.codes.tolist()
    records = [codes[start:end] for start, end in pairwise(edges) if start < end]
    return rarest_of([records], m, known)


def _sentence(model: KmAnonymity, holds: bool | None, rare: int, records: int, figures: str) -> str:
    if holds:
        return f"Kept: {model.promise()} ({figures})."
    if holds is None:
        return (
            "Undecided: no combination of items that was counted breaks the promise, and there are more of them than "
            f"can be counted ({figures}). A smaller m can be decided."
        )
    if rare:
        return (
            f"Not kept: {rare} combination(s) of items, not counting those that contain a smaller one, break the "
            f"promise that {model.promise()} ({figures})."
        )
    if records < model.k:  # nobody is found by items, but there are too few to hide among
        return f"Not kept: there are only {records} records ({figures})."
    return f"Not kept: larger combinations of items than can be counted break the promise ({figures})."


def _rare(model: KmAnonymity, transactions: Transactions) -> tuple[int, list[tuple[int, tuple[str, ...]]]]:
    """Return how many smallest sets of items are rare, and the rarest of them: number of records, items."""
    ranked = RankedSets.of(transactions)
    labels = np.array(transactions.items, dtype=object)[ranked.original]
    number, sample = 0, list[tuple[int, tuple[str, ...]]]()
    for sets, counts in smallest_rare(ranked, model.k, _counted_size(transactions, model.m)):
        number += len(counts)
        sample = nsmallest(SHOWN, [*sample, *_first(sets, counts, labels)], key=lambda one: (one[0], len(one[1])))
    return number, sample


def _first(sets: Sets, counts: IntArray, labels: np.ndarray[Any, Any]) -> list[tuple[int, tuple[str, ...]]]:
    chosen = np.argsort(counts, kind="stable")[:SHOWN]
    return [(int(counts[place]), tuple(sorted(labels[sets[place]]))) for place in chosen.tolist()]
