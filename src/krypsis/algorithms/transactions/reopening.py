"""Opens closed nodes of a cut again where nothing becomes rare."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from krypsis.algorithms.transactions.told_sets import ToldSets
from krypsis.arrays import BoolArray


def reopened(told: ToldSets, closed: BoolArray, k: int, m: int) -> BoolArray:
    """Return a cut without rare sets in which no node can be opened any more.

    The node that costs most is tried first. One that cannot be opened never can: opening others makes sets rarer only.
    """
    closed = closed.copy()
    parent, costs = told.tree.parent, told.closing_costs
    highest = closed & ~((parent >= 0) & closed[parent])
    waiting = [(-int(costs[node]), node) for node in np.flatnonzero(highest).tolist()]
    heapify(waiting)
    while waiting:
        _, node = heappop(waiting)
        if told.can_open(closed, node, k, m):
            closed[node] = False
            for below in np.flatnonzero(closed & (parent == node)).tolist():
                heappush(waiting, (-int(costs[below]), below))
    return closed
