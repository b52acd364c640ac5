"""Lists of numbers that stand one after the other in one array."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import IntArray


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
