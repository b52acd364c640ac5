"""PRAM: invariant matrices, and draws that follow them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.tables.perturbation.tables import categories
from krypsis import registry
from krypsis.algorithms.tables.perturbation.pram import Pram, invariant, keeping
from krypsis.errors import UsageError

chances = st.lists(st.floats(0.01, 1), min_size=2, max_size=6).map(lambda weights: np.array(weights) / sum(weights))


@given(chances, st.floats(0, 0.99))
def test_the_matrix_of_keep_is_invariant(marginal, keep):
    matrix = keeping(marginal, keep)
    assert np.abs(marginal @ matrix - marginal).max() < 1e-12
    assert np.abs(matrix.sum(axis=1) - 1).max() < 1e-12
    assert (np.diag(matrix) >= keep).all()


@given(st.data())
def test_any_matrix_can_be_made_invariant(data):
    marginal = data.draw(chances)
    rows = [data.draw(st.lists(st.floats(0, 1), min_size=len(marginal), max_size=len(marginal))) for _ in marginal]
    matrix = np.array(rows) + 0.01 * np.eye(len(marginal))
    matrix /= matrix.sum(axis=1, keepdims=True)
    made = invariant(matrix, marginal)
    assert np.abs(marginal @ made - marginal).max() < 1e-12
    assert np.abs(made.sum(axis=1) - 1).max() < 1e-12
    assert (made >= 0).all()


GIVEN = {"sex": {"f": {"f": 0.9, "m": 0.1}, "m": {"m": 0.7, "f": 0.2, "x": 0.1}, "x": {"x": 1.0}}}


@pytest.mark.parametrize(
    "method", [Pram(keep=0.6), Pram(matrices=GIVEN), Pram(matrices=GIVEN, invariant=False)], ids=["keep", "own", "raw"]
)
def test_values_become_others_as_often_as_the_matrix_says(method):
    column = categories("sex", {"f": 30_000, "m": 20_000, "x": 10_000}, missing=500)
    after = method.perturb({"sex": column}, np.random.default_rng(4))["sex"]
    matrix = method.matrix(column)
    for code in range(3):
        became = np.bincount(after.codes[column.codes == code], minlength=4)
        expected = became.sum() * matrix[code]
        assert became[3] == 0
        assert (np.abs(became[:3] - expected) <= 5 * np.sqrt(expected * (1 - matrix[code])) + 1e-9).all()
    assert (after.codes[column.codes == 3] == 3).all()


def test_a_matrix_of_ones_own_that_is_not_made_invariant_is_taken_as_it_is():
    column = categories("sex", {"f": 10, "m": 10, "x": 1})
    assert Pram(matrices=GIVEN, invariant=False).matrix(column)[1].tolist() == pytest.approx([0.2, 0.7, 0.1])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ({"f": {"f": 1}}, ["no row for 'm', 'x'"]),
        ({"f": {"f": 1}, "m": {"m": 1}, "y": {"y": 1}}, ["'y'", "does not occur", "f, m, x"]),
        ({"f": {"f": 0.5}, "m": {"m": 1}, "x": {"x": 1}}, ["'f'", "add up to 1", "0.5"]),
        ({"f": {"f": 1.5, "m": -0.5}, "m": {"m": 1}, "x": {"x": 1}}, ["from 0 to 1"]),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused(rows, words):
    column = categories("sex", {"f": 2, "m": 2, "x": 2})
    with pytest.raises(UsageError) as caught:
        Pram(matrices={"sex": rows}).perturb({"sex": column}, np.random.default_rng(1))
    assert all(word in str(caught.value) for word in words)


def test_a_matrix_for_a_column_that_is_not_changed_is_refused():
    with pytest.raises(UsageError, match=r"'sx', which is not changed.*Did you mean 'sex'"):
        Pram(matrices={"sx": {}}).perturb({"sex": categories("sex", {"f": 1, "m": 1})}, np.random.default_rng(1))


def test_a_column_with_one_value_is_refused():
    with pytest.raises(UsageError, match="'sex' has the same value in every record"):
        Pram().perturb({"sex": categories("sex", {"f": 3}, missing=2)}, np.random.default_rng(1))


def test_a_matrix_is_not_told():
    assert Pram(matrices=GIVEN, keep=0.5).spec == "pram:keep=0.5"


@pytest.mark.parametrize("keep", ["1", "-0.1", "nan"])
def test_keep_out_of_range_is_refused(keep):
    with pytest.raises(UsageError, match="keep of pram must be"):
        registry.create("algorithm", f"pram:keep={keep}")
