"""How much work the search for rare sets of items may take before it gives up."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import IntArray
from krypsis.errors import UsageError

MOST_STEPS = 10_000_000_000
"""How many occurrences of items are looked at in all, which takes a minute or two."""


def new_steps() -> IntArray:
    """Return what a search may spend: one number, which is counted down in place."""
    return np.array([MOST_STEPS], dtype=np.int64)


def refuse_if_spent(steps: IntArray, k: int, m: int) -> None:
    """Raise if a search had to end before it had looked at all sets.

    Examples
    --------
    >>> refuse_if_spent(np.array([-1]), k=5, m=30)
    Traceback (most recent call last):
      ...
    krypsis.errors.UsageError: the records have too many combinations of up to 30 items that 5 or more of them hold...
    """
    if steps[0] < 0:
        raise UsageError(
            f"the records have too many combinations of up to {m} items that {k} or more of them hold to look at them "
            f"all: the search ended after {MOST_STEPS:.0e} steps without a result. Promise a smaller m: an attacker "
            "who knows 3 or 4 items of a person is a strong one. Or choose the algorithm 'disassociation'"
        )
