"""The profile of records that are sets of items."""

from dataclasses import dataclass

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.data.transactions import Transactions
from krypsis.kernels._jit import compiled

MOST_WORK = 2_000_000_000
"""How many items are looked at to find records that three items distinguish; some seconds."""
RARE = 5
"""Items in fewer records than this count as rare."""


@dataclass(frozen=True)
class SetProfile:
    """What is known about sets of items before they are anonymized."""

    name: str
    records: int
    items: int
    occurrences: int
    empty: int
    """Records without items."""
    largest: int
    median_size: float
    supports: tuple[int, int, int, int, int]
    """In how many records an item is: least, lower quartile, median, upper quartile, most."""
    rare_items: int
    identified: tuple[float, float, float]
    """Share of the records that one, two, three of their items distinguish from all others."""
    is_exact: bool
    """Whether the share for three items is exact; otherwise it is at least this."""

    @property
    def sparsity(self) -> float:
        """The share of all pairs of a record and an item that do not occur."""
        return 1 - self.occurrences / max(self.records * self.items, 1)


def profile_sets(transactions: Transactions, name: str) -> SetProfile:
    """Return the profile of sets of items.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["bread", "milk"], ["bread", "wine"], ["milk", "wine"], ["bread"]])
    >>> found = profile_sets(baskets, "baskets")
    >>> found.records, found.items, found.identified
    (4, 3, (0.0, 0.75, 0.75))
    """
    fewest, is_exact = fewest_to_identify(transactions)
    supports, sizes = transactions.supports, transactions.sizes
    quartiles = np.percentile(supports, [0, 25, 50, 75, 100]) if len(supports) else np.zeros(5)
    shares = [float(((fewest > 0) & (fewest <= known)).mean()) for known in (1, 2, 3)]
    least, lower, median, upper, most = (int(one) for one in quartiles)
    return SetProfile(
        name=name,
        records=len(transactions),
        items=len(transactions.items),
        occurrences=len(transactions.codes),
        empty=int((sizes == 0).sum()),
        largest=int(sizes.max(initial=0)),
        median_size=float(np.median(sizes)) if len(sizes) else 0.0,
        supports=(least, lower, median, upper, most),
        rare_items=int((supports < RARE).sum()),
        identified=(shares[0], shares[1], shares[2]),
        is_exact=is_exact,
    )


def fewest_to_identify(transactions: Transactions) -> tuple[IntArray, bool]:
    """Return for each record how many of its items distinguish it from all others: 1, 2, 3, or 0 if three do not.

    The second answer says whether that is sure; if not, some records may have a 0 that should be a 3.
    """
    begins = np.concatenate([[0], np.cumsum(transactions.supports)]).astype(np.int64)
    holders = transactions.records[np.argsort(transactions.codes, kind="stable")]
    fewest = np.zeros(len(transactions), dtype=np.int64)
    starts, codes = transactions.starts, transactions.codes
    mark_singles(starts, codes, transactions.supports, fewest)
    mark_pairs(starts, codes, begins, holders, fewest)
    return fewest, mark_triples(starts, codes, begins, holders, fewest, MOST_WORK)


LONGEST = 63
"""So many items of a record are looked at in threes, the rarest first: they fit into one number as bits."""


@compiled
def mark_singles(starts: IntArray, codes: CodeArray, supports: IntArray, fewest: IntArray) -> None:
    """Set ``fewest`` of a record to 1 if one of its items is in no other record."""
    for record in range(len(fewest)):
        for place in range(starts[record], starts[record + 1]):
            if supports[codes[place]] == 1:
                fewest[record] = 1
                break


@compiled
def mark_pairs(starts: IntArray, codes: CodeArray, begins: IntArray, holders: IntArray, fewest: IntArray) -> None:
    """Set ``fewest`` of a record that is still 0 to 2 if two of its items are together in no other record.

    ``holders[begins[item] : begins[item + 1]]`` are the records that hold an item. The items that stand next to one
    item are counted in one go, so the work is the sum of the squares of the sizes of records.
    """
    together = np.zeros(len(begins) - 1, dtype=np.int64)
    for item in range(len(begins) - 1):
        own = holders[begins[item] : begins[item + 1]]
        for record in own:
            for place in range(starts[record], starts[record + 1]):
                together[codes[place]] += 1
        for record in own:
            if fewest[record] == 0:
                for place in range(starts[record], starts[record + 1]):
                    if together[codes[place]] == 1 and codes[place] != item:
                        fewest[record] = 2
                        break
        for record in own:
            for place in range(starts[record], starts[record + 1]):
                together[codes[place]] = 0


@compiled
def mark_companions(
    starts: IntArray,
    codes: CodeArray,
    others: IntArray,
    record: int,
    first: int,
    place_of: IntArray,
    companions: IntArray,
) -> int:
    """Note which items of a record stand together in other records, as bits by their places; return the work done.

    ``place_of`` says where an item stands in the record, -1 if nowhere; only places after ``first`` count.
    """
    work = 0
    companions[:] = 0
    for other in others:
        bits = 0
        if other != record:
            work += starts[other + 1] - starts[other]
            for position in range(starts[other], starts[other + 1]):
                if place_of[codes[position]] > first:
                    bits |= 1 << place_of[codes[position]]
        # Every item found in the other record has stood together with all the others found there.
        for place in range(len(companions)):
            if bits >> place & 1:
                companions[place] |= bits
    return work


@compiled
def is_any_pair_separate(companions: IntArray, first: int, count: int) -> bool:
    """Say whether two places after ``first`` are never together."""
    for place in range(first + 1, count):
        for other in range(first + 1, place):
            if not companions[place] >> other & 1:
                return True
    return False


@compiled
def mark_triples(
    starts: IntArray, codes: CodeArray, begins: IntArray, holders: IntArray, fewest: IntArray, work: int
) -> bool:
    """Set ``fewest`` of a record that is still 0 to 3 if three of its items are together in no other record.

    Returns whether all were found: not if the work was too much, or a record has too many items to look at all.
    """
    place_of = np.full(len(begins) - 1, -1, dtype=np.int64)
    companions = np.zeros(LONGEST, dtype=np.int64)
    is_complete = True
    for record in np.flatnonzero(fewest == 0):
        own = codes[starts[record] : starts[record + 1]]
        looked_at = own[np.argsort(begins[own + 1] - begins[own])[:LONGEST]]
        is_complete = is_complete and len(looked_at) == len(own)
        for place in range(len(looked_at)):
            place_of[looked_at[place]] = place
        # A triple is unique if two later items stand together in none of the other records with the first one.
        for first in range(len(looked_at) - 2):
            others = holders[begins[looked_at[first]] : begins[looked_at[first] + 1]]
            work -= mark_companions(starts, codes, others, int(record), first, place_of, companions)
            if is_any_pair_separate(companions, first, len(looked_at)):
                fewest[record] = 3
                break
            if work < 0:
                return False
        for place in range(len(looked_at)):
            place_of[looked_at[place]] = -1
    return is_complete
