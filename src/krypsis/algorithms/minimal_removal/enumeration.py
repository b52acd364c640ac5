"""All minimal justifications of a statement."""

from collections import deque
from collections.abc import Sequence

import numpy as np

from krypsis.algorithms.minimal_removal.derivations import UNDERIVED, Derivations
from krypsis.arrays import IntArray

MOST_SETS = 100_000
"""How many sets of removed statements are tried at most."""


def minimal_justifications(
    graph: Derivations, goal: int, given: IntArray | Sequence[int], limit: int | None = None
) -> tuple[list[tuple[int, ...]], bool]:
    """Return minimal sets of given statements from which a goal follows, and whether these are all.

    A tree of hitting sets: after one justification, each of its statements is removed in turn, and what then still
    justifies the goal is another one.

    References
    ----------
    Reiter, A theory of diagnosis from first principles, Artificial Intelligence 32, 1987; Kalyanpur, Parsia, Horridge,
    Sirin, Finding all justifications of OWL DL entailments, ISWC 2007.

    Examples
    --------
    >>> graph = Derivations.of(5, [((0, 1), 4), ((1, 2), 4), ((3,), 4)])
    >>> minimal_justifications(graph, 4, [0, 1, 2, 3])
    ([(3,), (0, 1), (1, 2)], True)
    """
    every = np.asarray(given, dtype=np.int64)
    found: list[tuple[int, ...]] = []
    waiting = deque([frozenset[int]()])
    seen = {frozenset[int]()}
    closed: list[frozenset[int]] = []
    while waiting:
        if len(seen) > MOST_SETS or (limit is not None and len(found) >= limit):
            return sorted(found, key=lambda one: (len(one), one)), False
        removed = waiting.popleft()
        if any(one <= removed for one in closed):
            continue
        justification = next((one for one in found if removed.isdisjoint(one)), None)
        if justification is None:
            left = every[~np.isin(every, list(removed))]
            if graph.first_firings(left)[0][goal] == UNDERIVED:
                closed.append(removed)
                continue
            justification = tuple(graph.justification(goal, left).tolist())
            found.append(justification)
        for one in justification:
            more = removed | {one}
            if more not in seen:
                seen.add(more)
                waiting.append(more)
    return sorted(found, key=lambda one: (len(one), one)), True
