"""The lattice of levels."""

import pytest
from hypothesis import given

from krypsis.algorithms.tables.lattice.lattice import Lattice, Limits
from krypsis.errors import UsageError
from strategies import frequency_sets


def test_the_lattice_of_sex_and_job_is_that_of_figure_5_7():
    lattice = Lattice((0, 0), (1, 2))
    edges = [(node, above) for node in lattice for above in lattice.successors(node)]
    assert set(lattice) == {(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)}
    assert set(edges) == {
        ((0, 0), (1, 0)), ((0, 0), (0, 1)), ((1, 0), (1, 1)), ((0, 1), (1, 1)),
        ((0, 1), (0, 2)), ((1, 1), (1, 2)), ((0, 2), (1, 2)),
    }  # fmt: skip


@given(frequency_sets())
def test_its_length_is_the_number_of_its_nodes(frequency):
    lattice = Lattice.of(frequency, Limits())
    assert lattice.size == len(list(lattice))


@pytest.mark.parametrize("limits", [Limits(highest=(9,)), Limits(lowest=(-1,)), Limits(lowest=(1,), highest=(0,))])
@given(frequency=frequency_sets(max_attributes=1))
def test_levels_outside_the_hierarchy_are_refused_by_name(limits, frequency):
    with pytest.raises(UsageError, match="levels of 'q0' must lie between 0 and"):
        Lattice.of(frequency, limits)


def test_forty_attributes_have_more_nodes_than_a_machine_word_can_count():
    assert Lattice((0,) * 40, (4,) * 40).size == 5**40
