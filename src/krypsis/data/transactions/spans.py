"""Numbers for what simple clusters have, such that all below any node are a range."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.transactions.disassociated import Disassociated


@dataclass(frozen=True, eq=False)
class Spans:
    """Where what lies below each node begins and ends.

    Examples
    --------
    >>> from krypsis.data.transactions import Transactions
    >>> pieces, terms = Transactions.of_sets([["a"]]), Transactions.of_sets([["b"], ["c"]])
    >>> both = Disassociated.of(pieces, [0, 1], [2], sizes=[2, 3], parents=[2, 2, -1], terms=terms)
    >>> spans = Spans.of(both, both.sizes)
    >>> spans.begin.tolist(), spans.end.tolist()
    ([3, 0, 0], [5, 3, 5])
    """

    begin: IntArray
    end: IntArray

    @classmethod
    def of(cls, published: Disassociated, numbers: IntArray) -> Spans:
        """Return the spans where each simple cluster has a number of things; the last clusters come first."""
        counts = published.below(numbers)
        begin, free, next_top = np.zeros_like(counts), np.zeros_like(counts), 0
        for node in range(len(counts) - 1, -1, -1):  # parents come after their children
            parent = int(published.parents[node])
            begin[node] = free[node] = next_top if parent < 0 else free[parent]
            if parent < 0:
                next_top += int(counts[node])
            else:
                free[parent] += counts[node]
        return cls(begin, begin + counts)

    def below(self, node: int) -> range:
        """Return what lies below a node."""
        return range(int(self.begin[node]), int(self.end[node]))

    def clusters(self, published: Disassociated) -> IntArray:
        """Return for each of the things the simple cluster that has it."""
        order = np.argsort(self.begin[: published.clusters], kind="stable")
        return np.repeat(order, (self.end - self.begin)[order])
