from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.sets.km.item_tree import ItemTree, highest_rare_pairs, lift_rare_sets
from krypsis.algorithms.sets.km.published_sets import LeafSets
from krypsis.data.transactions import Transactions
from strategies import hierarchies

ITEMS = tuple("abcdef")
trees = hierarchies(ITEMS).map(ItemTree.of)
baskets = st.lists(st.lists(st.sampled_from(ITEMS), max_size=5), min_size=1, max_size=9)


def above(tree, node):
    """A node and everything above it."""
    found = [node]
    while tree.parent[found[-1]] >= 0:
        found.append(int(tree.parent[found[-1]]))
    return found


def comparable(tree, one, other):
    return one in above(tree, other) or other in above(tree, one)


def told_by(tree, sets):
    """What each record shows, with everything above."""
    return [{node for item in one for node in above(tree, tree.labels.index(item))} for one in sets]


def rare(told, nodes, k):
    return 0 < sum(set(nodes) <= one for one in told) < k


@given(tree=trees, sets=baskets)
def test_records_tell_their_items_and_everything_above(tree, sets):
    told = LeafSets.of(Transactions.of_sets(sets), tree)
    nodes, starts = told.nodes
    expected = told_by(tree, sets)
    assert [nodes[start:end].tolist() for start, end in pairwise(starts)] == [sorted(one) for one in expected]
    records, begins = told.records
    for node in range(len(tree)):
        held = [record for record, one in enumerate(expected) if node in one]
        assert records[begins[node] : begins[node + 1]].tolist() == held


@given(tree=trees, sets=baskets, k=st.integers(2, 4))
def test_of_rare_pairs_the_highest_ones_are_found(tree, sets, k):
    told = LeafSets.of(Transactions.of_sets(sets), tree)
    lists = told_by(tree, sets)
    single = [node for node in range(1, len(tree)) if rare(lists, [node], k)]
    pairs = [
        pair
        for pair in combinations(range(1, len(tree)), 2)
        if not comparable(tree, *pair) and rare(lists, pair, k) and pair[0] not in single
    ]
    found = {tuple(sorted(pair)) for pair in told.settled_pairs(k).tolist()}
    asked = {tuple(sorted((int(tree.parent[one]), int(tree.parent[other])))) for one, other in pairs}
    # Each is asked for by a rare pair or node, and closing as they ask leaves none.
    assert found <= asked | {(int(tree.parent[node]),) * 2 for node in single}
    for one, other in [*pairs, *((node, node) for node in single)]:
        wanted = set(above(tree, int(tree.parent[one]))) | set(above(tree, int(tree.parent[other])))
        assert any(set(pair) <= wanted for pair in found)


@given(tree=trees, sets=baskets, k=st.integers(2, 4))
def test_lifted_sets_are_rare_stand_above_the_given_ones_and_cannot_be_lifted_further(tree, sets, k):
    told = LeafSets.of(Transactions.of_sets(sets), tree)
    lists = told_by(tree, sets)
    given_sets = told.rare_at(np.zeros(len(tree), dtype=np.bool_), k, 3, most=1000)
    for before, after in zip(given_sets.tolist(), told.lifted(given_sets, k).tolist(), strict=True):
        lifted = [node for node in after if node >= 0]
        assert sum(set(lifted) <= one for one in lists) < k
        assert all(any(node in above(tree, one) for node in lifted) for one in before if one >= 0)
        for node in lifted:
            if (higher := int(tree.parent[node])) >= 0:
                others = [one for one in lifted if higher not in above(tree, one)]
                assert not rare(lists, [higher, *others], k)


@given(tree=trees, sets=baskets, k=st.integers(2, 4))
def test_the_compiled_loops_find_what_the_plain_ones_find(tree, sets, k):
    told = LeafSets.of(Transactions.of_sets(sets), tree)
    arrays = (*told.nodes, *told.records, tree.parent, tree.last)
    plain = highest_rare_pairs.reference(*arrays, tree.depth, k)
    assert highest_rare_pairs(*arrays, tree.depth, k).tolist() == plain.tolist()
    lifted = [told.rare_at(np.zeros(len(tree), dtype=np.bool_), k, 3, most=1000) for _ in range(2)]
    lift_rare_sets(lifted[0], *arrays, k)
    lift_rare_sets.reference(lifted[1], *arrays, k)
    assert lifted[0].tolist() == lifted[1].tolist()


@given(tree=trees, data=st.data())
def test_a_cut_publishes_each_node_as_the_highest_closed_one_above_it(tree, data):
    wanted = np.array([data.draw(st.booleans()) for _ in range(len(tree))], dtype=np.bool_)
    closed = tree.closed_below(wanted)
    assert closed.tolist() == [
        bool(tree.inner[node]) and any(wanted[one] for one in above(tree, node)) for node in range(len(tree))
    ]
    expected = [next((one for one in reversed(above(tree, node)) if closed[one]), node) for node in range(len(tree))]
    assert tree.published_as(closed).tolist() == expected
