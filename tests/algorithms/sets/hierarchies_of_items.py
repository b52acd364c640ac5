"""Random small hierarchies of items and sets over them, and what Apriori makes of them."""

import numpy as np
from hypothesis import strategies as st

from krypsis.algorithms.sets.base import SetTask
from krypsis.algorithms.sets.km.apriori import Apriori
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Transactions
from krypsis.models.km_anonymity import KmAnonymity
from strategies import hierarchies

ITEMS = ("a", "b", "c", "d", "e", "f")

item_hierarchies = hierarchies(ITEMS, max_height=3)
baskets = st.lists(st.lists(st.sampled_from(ITEMS), max_size=5), min_size=1, max_size=12)


def rows_of(hierarchy):
    """The rows of a hierarchy, with labels that say the level, so that none stands for different things."""
    return [[str(cell) for cell in row] for row in hierarchy.rows()]


def made_of(sets, rows, k, m, **options):
    """What a method makes of sets of items."""
    task = SetTask(Transactions.of_sets(sets), [KmAnonymity(k=k, m=m)], Hierarchy.from_rows(rows))
    method = Apriori(**options)
    method.check(task)
    return method.publish(task, np.random.default_rng(1))


def enough(sets, k):
    """Whether there are records enough for any generalization."""
    filled = sum(bool(one) for one in sets)
    return len(sets) >= k and (filled == 0 or filled >= k)
