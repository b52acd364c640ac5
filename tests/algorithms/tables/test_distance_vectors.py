"""The matrix of distance vectors counts what roll-up counts."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis import registry
from krypsis.algorithms.tables.lattice.lattice import Limits, Rollup
from krypsis.algorithms.tables.samarati import MOST_TUPLES, DistanceVectors, Samarati
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet
from krypsis.errors import UsageError
from krypsis.models.k_anonymity import KAnonymity
from strategies import frequency_sets

LOSS = registry.create("metric", "loss")
METHODS = [Samarati(method="frequency"), Samarati(method="distance-vectors")]


@given(frequency=frequency_sets(sensitive=1), data=st.data())
def test_the_matrix_gives_the_groups_of_every_node(frequency, data):
    levels = tuple(data.draw(st.integers(0, height)) for height in frequency.heights)
    rollup = Rollup(frequency)
    expected, _ = rollup.coarsen(rollup.bottom(), levels)
    found = DistanceVectors(frequency).groups(levels)
    assert Counter(described(frequency, found)) == Counter(described(frequency, expected))


def described(frequency, node):
    """Each group by its labels, its size and its sensitive values."""
    histogram = node.sensitive["disease"]
    for group, number in enumerate(node.tuples):
        labels = tuple(
            hierarchy.labels[level][hierarchy.table[level, code]]
            for hierarchy, level, code in zip(frequency.hierarchies, node.levels, frequency.codes[number], strict=True)
        )
        mine = histogram.group == group
        values = frozenset(zip(histogram.value[mine].tolist(), histogram.count[mine].tolist(), strict=True))
        yield labels, int(node.sizes[group]), values


@given(frequency=frequency_sets(sensitive=0))
def test_a_distance_vector_counts_the_steps_until_two_tuples_are_alike(frequency):
    matrix = DistanceVectors(frequency).matrix
    for one, other in np.ndindex(matrix.shape[:2]):
        for column, hierarchy in enumerate(frequency.hierarchies):
            first, second = (hierarchy.values[frequency.codes[number, column]] for number in (one, other))
            steps = next(
                n for n in range(hierarchy.height + 1) if hierarchy.label(first, n) == hierarchy.label(second, n)
            )
            assert matrix[one, other, column] == steps


def many_values(count):
    tree = Hierarchy.from_rows([[str(number), "*"] for number in range(count)])
    return FrequencySet(("q",), (tree,), np.arange(count, dtype=np.int32)[:, None], np.ones(count, dtype=np.int64))


def test_too_many_combinations_for_the_matrix_are_refused_with_the_way_out():
    expected = rf"up to {MOST_TUPLES:,} of them; here are {MOST_TUPLES + 1:,}\. Use the method 'frequency'"
    with pytest.raises(UsageError, match=expected):
        METHODS[1].search(many_values(MOST_TUPLES + 1), [KAnonymity(k=2)], LOSS, Limits(0))
    assert METHODS[0].search(many_values(MOST_TUPLES + 1), [KAnonymity(k=2)], LOSS, Limits(0)).levels == (1,)
