"""The budget of differential privacy: it adds up exactly and refuses what it has no more of."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.mechanisms.budget import PrivacyBudget
from krypsis.errors import BudgetExhausted, UsageError

shares = st.integers(1, 1000).map(lambda thousandths: Fraction(thousandths, 1000))


def test_ten_tenths_are_one_and_nothing_is_left():
    budget = PrivacyBudget(epsilon=1)
    for number in range(10):
        budget.spend(f"question {number}", 0.1)
    assert budget.remaining == (0, 0)
    with pytest.raises(BudgetExhausted, match=r"one more would cost epsilon=1e-09.*only epsilon=0 is left"):
        budget.spend("one more", 1e-9)


def test_what_is_refused_costs_nothing():
    budget = PrivacyBudget(epsilon=1, delta=0.01)
    with pytest.raises(BudgetExhausted):
        budget.spend("too dear", 0.5, 0.02)
    assert budget.expenses == ()
    budget.spend("fits", 1, 0.01)
    assert budget.spent == (1, 0.01)


def test_parts_that_share_nobody_cost_as_much_as_the_dearest():
    budget = PrivacyBudget(epsilon=1)
    budget.spend_in_parallel("by town", {"x": 0.25, "y": 0.5, "z": 0.125})
    assert budget.spent == (0.5, 0)
    with pytest.raises(UsageError, match="names no parts"):
        budget.spend_in_parallel("by nothing", {})


@given(total=shares, wanted=st.lists(shares, max_size=8))
def test_never_more_is_spent_than_there_is(total, wanted):
    budget, expected = PrivacyBudget(epsilon=total), Fraction(0)
    for epsilon in wanted:
        if expected + epsilon <= total:
            budget.spend("question", epsilon)
            expected += epsilon
        else:
            with pytest.raises(BudgetExhausted):
                budget.spend("question", epsilon)
    assert sum((one.epsilon for one in budget.expenses), Fraction(0)) == expected <= total


@pytest.mark.parametrize("epsilon", [0, -1, "x", None, True, float("nan"), float("inf")])
def test_an_epsilon_that_is_none_is_refused(epsilon):
    with pytest.raises(UsageError, match="epsilon"):
        PrivacyBudget(epsilon=epsilon)
    with pytest.raises(UsageError, match="epsilon"):
        PrivacyBudget(epsilon=1).spend("question", epsilon)


@pytest.mark.parametrize("delta", [-0.1, 1, 2, "x"])
def test_a_delta_that_is_no_small_chance_is_refused(delta):
    with pytest.raises(UsageError, match="delta"):
        PrivacyBudget(epsilon=1, delta=delta)


def test_the_ledger_is_exact():
    budget = PrivacyBudget(epsilon=0.3)
    budget.spend("the counts", Fraction(1, 10))
    assert budget.ledger() == {
        "epsilon": "3/10",
        "delta": "0",
        "spent": [{"what": "the counts", "epsilon": "1/10", "delta": "0"}],
    }
