"""Values that go up and down: never so that it reveals who left, or who took the place."""

import numpy as np
import pytest

from krypsis.algorithms.histories.base import LastGroups, Shown
from krypsis.algorithms.histories.general_groups import Company, joined, moved
from krypsis.algorithms.histories.signatures import Signatures

# Values 0 and 1 are below node 4, values 2 and 3 below node 5; the rule generalizes value 0.
SIGNATURES = Signatures.of([[0, 2], [0, 3], [1, 2]])
RULE = np.array([4, 1, 2, 3, 4, 5])
NOTHING = np.arange(6)
EXACT = Shown.exactly(SIGNATURES)


def company(last_groups, sizes, signature, slot):
    last = LastGroups(np.array(last_groups), np.array(sizes))
    return Company.of(last, SIGNATURES, np.array(signature), np.array(slot))


def test_where_nobody_left_a_value_goes_up():
    calm = company([1, 1], [0, 2], [0, 0], [0, 1])
    now, kept = moved(EXACT, SIGNATURES, RULE, calm)
    assert now.nodes.tolist() == [4, 2, 4, 3, 1, 2]
    assert now.lowest.tolist() == EXACT.lowest.tolist()
    assert kept.tolist() == []


def test_where_somebody_left_a_value_waits():
    stirred = company([1], [0, 2], [0], [1])
    now, _ = moved(EXACT, SIGNATURES, RULE, stirred)
    assert now.nodes.tolist() == [0, 2, 4, 3, 1, 2]


def test_where_somebody_left_a_value_goes_up_if_a_whole_group_shows_the_same():
    """The group 2 of another signature stays as it was, for everybody to see that the change follows a rule."""
    stirred = company([1, 2, 2], [0, 2, 2], [0, 1, 1], [1, 2, 3])
    now, kept = moved(EXACT, SIGNATURES, RULE, stirred)
    assert now.nodes.tolist() == [4, 2, 4, 3, 1, 2]
    assert kept.tolist() == [2]


@pytest.mark.parametrize(
    ("last", "sizes", "slots"),
    [
        ([1, 2], [0, 2, 1], [1, 2]),  # the other group had a counterfeit
        ([1, 2, 2], [0, 2, 2], [1, 3, 3]),  # the values of its two people are the same by now
        ([1, 0, 0], [0, 2], [1, 2, 3]),  # the people of the other signature are new in the release
    ],
)
def test_a_group_that_is_not_whole_shows_nothing(last, sizes, slots):
    stirred = company(last, sizes, [0, *[1] * (len(last) - 1)], slots)
    now, kept = moved(EXACT, SIGNATURES, RULE, stirred)
    assert now.nodes.tolist()[0] == 0
    assert kept.tolist() == []


def test_a_value_comes_down_again_though_somebody_left():
    up = Shown(np.array([4, 2, 4, 3, 1, 2]), SIGNATURES.nodes)
    stirred = company([1], [0, 2], [0], [1])
    assert moved(up, SIGNATURES, NOTHING, stirred)[0].nodes.tolist() == SIGNATURES.nodes.tolist()


def test_a_value_that_somebody_joined_stays_as_general_as_it_was_then():
    up = Shown(np.array([4, 2, 4, 3, 1, 2]), SIGNATURES.nodes)
    after = joined(up, SIGNATURES, np.array([1]))  # a newcomer in the other slot of the first signature
    calm = company([0], [0], [0], [0])
    assert moved(after, SIGNATURES, NOTHING, calm)[0].nodes.tolist() == [4, 2, 0, 3, 1, 2]


def test_before_the_first_release_nobody_left():
    calm = Company.of(None, Signatures.none(), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    now, kept = moved(Shown.exactly(Signatures.none()), Signatures.none(), RULE, calm)
    assert now.nodes.tolist() == kept.tolist() == []
