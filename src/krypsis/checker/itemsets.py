"""Count how many records hold each set of items: from the published sets alone, exactly, and without a loop over them.

The subsets of all records are grown item by item as columns of numbers. Items are ranked by the number of records that
hold them, rare ones first, and all subsets whose rarest item is the same are counted together, so that memory stays
within limits however many subsets there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl

from krypsis.arrays import BoolArray, IntArray
from krypsis.transactions import Transactions

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
    def of(cls, transactions: Transactions) -> RankedSets:
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

    def without(self, rare: BoolArray) -> RankedSets:
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
