"""The profile of records that are sets of items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.transactions import Transactions
from krypsis.kernels.identifying import mark_pairs, mark_singles, mark_triples

MOST_WORK = 2_000_000_000
"""How many items are looked at to find records that three items tell apart; some seconds."""
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
    """Share of the records that one, two, three of their items tell apart from all others."""
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
    """Return for each record how many of its items tell it apart from all others: 1, 2, 3, or 0 if three do not.

    The second answer says whether that is sure; if not, some records may have a 0 that should be a 3.
    """
    begins = np.concatenate([[0], np.cumsum(transactions.supports)]).astype(np.int64)
    holders = transactions.records[np.argsort(transactions.codes, kind="stable")]
    fewest = np.zeros(len(transactions), dtype=np.int64)
    starts, codes = transactions.starts, transactions.codes
    mark_singles(starts, codes, transactions.supports, fewest)
    mark_pairs(starts, codes, begins, holders, fewest)
    return fewest, mark_triples(starts, codes, begins, holders, fewest, MOST_WORK)
