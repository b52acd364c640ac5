"""What a Bayesian attacker believes after a release, against trying every world."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.errors import UsageError
from krypsis.models.bayes_breach import posterior_beliefs

weights = st.integers(1, 6)


@pytest.mark.parametrize(("ratio", "viral"), [(1, 0.5), (0.1, 1 / 1.1), (0, 1)])
def test_a_japanese_patient_who_hardly_gets_heart_disease(ratio, viral):
    """Two of four have heart disease, two a viral infection: β(viral) = 2 / (2 + 2ρ)."""
    beliefs = posterior_beliefs([2, 2], given_person=[0.5 * ratio, 1 - 0.5 * ratio], given_group=[0.5, 1 - 0.5 * ratio])
    assert beliefs.tolist() == pytest.approx([1 - viral, viral])


@given(counts=st.lists(st.integers(0, 2), min_size=2, max_size=3).filter(any), data=st.data())
def test_the_theorem_agrees_with_all_worlds(counts, data):
    """Two kinds of people look like the group; the attacker knows how often each kind has each value."""
    joint = {(kind, value): data.draw(weights) for kind in range(2) for value in range(len(counts))}
    of_value = [joint[0, value] + joint[1, value] for value in range(len(counts))]
    of_kind = sum(joint[0, value] for value in range(len(counts)))
    values = [value for value, count in enumerate(counts) for _ in range(count)]
    believed = [Fraction(0)] * len(counts)
    for kinds in product(range(2), repeat=len(values)):  # a world says of which kind each record of the group is
        chance = Fraction(1)
        for kind, value in zip(kinds, values, strict=True):
            chance *= Fraction(joint[kind, value], of_value[value])
        for kind, value in zip(kinds, values, strict=True):  # any record of the person's kind may be the person's
            believed[value] += chance * (kind == 0)
    total = sum(joint.values())
    person = [joint[0, value] / of_kind for value in range(len(counts))]
    group = [of_value[value] / total for value in range(len(counts))]
    expected = [float(belief / sum(believed)) for belief in believed]
    assert posterior_beliefs(counts, person, group).tolist() == pytest.approx(expected)


@given(counts=st.lists(st.integers(0, 9), min_size=1, max_size=5).filter(any), data=st.data())
def test_who_knows_no_more_about_the_person_than_about_the_group_believes_the_shares(counts, data):
    prior = [data.draw(weights) for _ in counts]
    beliefs = [one / sum(prior) for one in prior]
    expected = [count / sum(counts) for count in counts]
    assert posterior_beliefs(counts, beliefs, beliefs).tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("counts", "person", "group", "message"),
    [
        ([1, 1], [0.5, 0.5], [0, 1], "value 0 occurs in the group 1 time(s), and given_group holds it impossible"),
        ([1, 1], [1.5, 0], [0.5, 0.5], "probabilities must be numbers from 0 to 1, got 1.5"),
        ([1, 1], [0.5, 0.5], [-0.5, 0.5], "probabilities must be numbers from 0 to 1, got -0.5"),
        ([1, 1], [float("nan"), 0.5], [0.5, 0.5], "probabilities must be numbers from 0 to 1, got nan"),
        ([-1, 1], [0.5, 0.5], [0.5, 0.5], "counts must be at least 0, got -1"),
        ([1], [0.5, 0.5], [0.5, 0.5], "got 1 counts, 2 and 2 probabilities"),
        ([1, 0], [0, 1], [0.5, 0.5], "holds every value of the group impossible"),
    ],
)
def test_beliefs_that_cannot_be_are_refused(counts, person, group, message):
    with pytest.raises(UsageError) as caught:
        posterior_beliefs(counts, person, group)
    assert message in str(caught.value)
