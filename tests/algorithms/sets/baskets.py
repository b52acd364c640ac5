"""Small random sets with sensitive items, for tests of methods that publish them in groups."""

import numpy as np
from hypothesis import strategies as st

from krypsis.algorithms.sets.base import SetTask
from krypsis.data.transactions import Transactions
from krypsis.models.privacy_degree import PrivacyDegree

PLAIN, HIDDEN = "abcdef", "STU"

baskets = st.lists(st.sets(st.sampled_from(PLAIN + HIDDEN), max_size=5), min_size=1, max_size=14)


def task_of(sets, p, sensitive=HIDDEN) -> SetTask:
    return SetTask(Transactions.of_sets(sets), [PrivacyDegree(p=p)], sensitive=frozenset(sensitive))


def parts_of(sets, sensitive=HIDDEN):
    """The harmless and the sensitive items of each record."""
    return [set(one) - set(sensitive) for one in sets], [set(one) & set(sensitive) for one in sets]


def largest_degree(sets, sensitive=HIDDEN) -> int:
    """The largest p that anything can keep, 3 if no record holds a sensitive item."""
    counts = [sum(item in one for one in sets) for item in sensitive]
    return len(sets) // max(counts) if max(counts) else 3


def random_sets(seed):
    """Up to 40 records, sparse or dense, with one to four sensitive items, some of them rare."""
    rng = np.random.default_rng(seed)
    records, items, hidden = int(rng.integers(1, 41)), int(rng.integers(0, 12)), int(rng.integers(1, 5))
    shares = np.concatenate([rng.uniform(0.05, 0.6, items), rng.uniform(0.02, 0.5, hidden)])
    names = [f"i{number}" for number in range(items)] + [f"s{number}" for number in range(hidden)]
    holds = rng.random((records, len(names))) < shares
    sets = [{name for name, held in zip(names, row, strict=True) if held} for row in holds.tolist()]
    return sets, names[items:]
