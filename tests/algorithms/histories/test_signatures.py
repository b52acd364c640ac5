"""Signatures: sets of nodes by number."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.histories.families import first_nodes, level_and_code
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.data.hierarchies.base import Hierarchy

SETS = st.lists(st.frozensets(st.integers(0, 6), max_size=4), max_size=8)


def as_sets(signatures):
    return [frozenset(signatures.members(number).tolist()) for number in range(len(signatures))]


@given(ours=SETS.map(dict.fromkeys).map(list), others=SETS)
def test_joining_keeps_the_old_numbers_and_gives_new_ones_to_new_sets_only(ours, others):
    both, numbers = Signatures.of(ours).joined(Signatures.of(others))
    expected = list(dict.fromkeys([*ours, *others]))
    assert as_sets(both) == expected
    assert numbers.tolist() == [expected.index(one) for one in others]


@given(sets=SETS, data=st.data())
def test_a_choice_of_signatures_holds_the_chosen_ones_in_their_order(sets, data):
    chosen = data.draw(st.lists(st.integers(0, len(sets) - 1), max_size=5) if sets else st.just([]))
    only = Signatures.of(sets).only(np.array(chosen, dtype=np.int64))
    assert as_sets(only) == [sets[number] for number in chosen]


def test_every_node_of_a_hierarchy_has_a_number_of_its_own():
    rows = [["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]]
    hierarchy = Hierarchy.from_rows(rows)
    levels, codes = level_and_code(hierarchy, np.arange(first_nodes(hierarchy)[-1]))
    labels = [hierarchy.labels[level][code] for level, code in zip(levels, codes, strict=True)]
    assert labels == ["flu", "asthma", "ulcer", "lungs", "stomach", "*"]
