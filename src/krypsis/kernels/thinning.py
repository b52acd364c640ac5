"""Thins out numbers on a line until no stretch of it holds too many."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import IntArray
from krypsis.kernels._jit import compiled


@compiled
def thin_out(counts: IntArray, spare: IntArray, first: IntArray, limit: int, removed: IntArray) -> int:
    """Remove as few as possible so that every stretch holds at most ``limit``; return how many, -1 if it cannot be.

    Places are numbered along the line: ``counts[place]`` lie there, of which ``spare[place]`` may be removed. The
    stretch that ends at a place begins at ``first[place]``, never earlier for a later one. Writes into ``removed``.

    Going along the line, what is too much is taken away as far ahead as it can be: it then leaves the most of the later
    stretches, too.
    """
    held, total, begin, top = 0, 0, 0, 0
    removable = np.empty(len(counts), dtype=np.int64)  # the places behind that still have something to spare
    for end in range(len(counts)):
        removed[end] = 0
        held += counts[end]
        while begin < first[end]:
            held -= counts[begin] - removed[begin]
            begin += 1
        removable[top] = end
        top += 1
        while held > limit and top > 0 and removable[top - 1] >= begin:
            place = removable[top - 1]
            taken = min(held - limit, spare[place] - removed[place])
            removed[place] += taken
            held -= taken
            total += taken
            if removed[place] == spare[place]:
                top -= 1
        if held > limit:
            return -1
    return total
