"""New records in the places of general values: as many as any choice could place."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from algorithms.histories.diseases import DISEASES
from algorithms.histories.frequency_publisher import below
from krypsis.algorithms.histories.families import first_nodes
from krypsis.algorithms.histories.general_groups import fillings_of

NODES = int(first_nodes(DISEASES)[-1])


@given(
    st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, 3)), max_size=6),
    arrays(np.int64, 8, elements=st.integers(0, 3)),
)
def test_as_many_holes_are_filled_as_records_and_holes_can_be_matched(places, counts):
    nodes, holes = (np.array([place[column] for place in places], dtype=np.int64) for column in (0, 1))
    found = fillings_of(DISEASES, nodes, holes, counts)
    for place, value in zip(found.place.tolist(), found.value.tolist(), strict=True):
        assert DISEASES.values[value] in below(nodes[place])
    assert (found.number > 0).all()
    assert (np.bincount(found.place, found.number, minlength=len(holes)) <= holes).all()
    assert (np.bincount(found.value, found.number, minlength=len(counts)) <= counts).all()
    assert found.number.sum() == most_matched(nodes, holes, counts)
    assert (np.diff(found.place) >= 0).all()


def most_matched(nodes, holes, counts):
    """Every hole against every record, one by one."""
    rows = [node for node, number in zip(nodes, holes, strict=True) for _ in range(number)]
    records = [value for value, number in enumerate(counts) for _ in range(number)]
    fits = [[DISEASES.values[value] in below(node) for value in records] for node in rows]
    if not rows or not records:
        return 0
    return int((maximum_bipartite_matching(csr_array(np.array(fits))) >= 0).sum())


def test_nothing_to_fill_and_nobody_to_fill_it():
    nothing = np.zeros(0, dtype=np.int64)
    assert len(fillings_of(DISEASES, nothing, nothing, np.ones(8, dtype=np.int64)).place) == 0
    assert len(fillings_of(DISEASES, np.array([2]), np.array([3]), np.zeros(8, dtype=np.int64)).place) == 0
