"""Noise has the mean, variance and correlation it says; bounds are those of the theory, at five standard errors."""

import numpy as np
import pytest

from algorithms.tables.perturbation.tables import people
from krypsis import registry
from krypsis.algorithms.tables.perturbation.noise import Noise
from krypsis.data.columns import NumericColumn
from krypsis.errors import UsageError

COUNT = 20_000
KURTOSIS = {"normal": 3.0, "uniform": 1.8, "laplace": 6.0}


def noise_of(method, columns=None, seed=3):
    columns = people(COUNT) if columns is None else columns
    after = method.perturb(columns, np.random.default_rng(seed))
    return {name: after[name].values - column.values for name, column in columns.items()}


@pytest.mark.parametrize("distribution", KURTOSIS)
def test_noise_has_mean_0_and_the_share_of_the_standard_deviation(distribution):
    found = noise_of(Noise(share=0.3, distribution=distribution))
    for name, column in people(COUNT).items():
        wanted = 0.3 * column.values.std()
        assert abs(found[name].mean()) < 5 * wanted / np.sqrt(COUNT)
        error = wanted**2 * np.sqrt((KURTOSIS[distribution] - 1) / COUNT)
        assert abs(found[name].var() - wanted**2) < 5 * error


def test_the_distributions_differ_in_their_tails():
    kurtosis = {}
    for distribution in KURTOSIS:
        noise = noise_of(Noise(distribution=distribution))["age"]
        kurtosis[distribution] = ((noise - noise.mean()) ** 4).mean() / noise.var() ** 2
    assert kurtosis == pytest.approx(KURTOSIS, rel=0.15)


def test_the_deviation_may_be_given_itself():
    assert noise_of(Noise(deviation=7.0))["age"].std() == pytest.approx(7, rel=0.05)


def test_the_variance_grows_by_that_of_the_noise():
    """Erratum E17: noise of mean 0 keeps the mean and adds Var(r) to the variance."""
    before, after = people(COUNT)["age"].values, Noise(share=1).perturb(people(COUNT), np.random.default_rng(1))
    assert after["age"].values.var() == pytest.approx(2 * before.var(), rel=0.05)


@pytest.mark.parametrize("options", [{}, {"operation": "multiply"}, {"correlated": True}, {"deviation": 30.0}])
def test_mean_and_variance_stay_exactly_if_asked_for(options):
    after = Noise(keep_variance=True, **options).perturb(people(500), np.random.default_rng(1))
    for name, column in people(500).items():
        assert after[name].values.mean() == pytest.approx(column.values.mean(), rel=1e-12)
        assert after[name].values.var() == pytest.approx(column.values.var(), rel=1e-12)
        assert (after[name].values != column.values).all()


def test_correlated_noise_has_the_covariance_of_the_columns():
    columns = people(COUNT)
    noise = noise_of(Noise(share=0.5, correlated=True), columns)
    wanted = 0.25 * np.cov([column.values for column in columns.values()])
    spread = np.sqrt(np.outer(np.diag(wanted), np.diag(wanted)))
    assert (np.abs(np.cov(list(noise.values())) - wanted) / spread).max() < 5 * np.sqrt(2 / COUNT)


def test_noise_that_is_not_correlated_weakens_a_correlation_and_correlated_noise_does_not():
    columns = people(COUNT)
    before = np.corrcoef([column.values for column in columns.values()])[0, 1]
    found = {}
    for correlated in (True, False):
        after = Noise(share=1, correlated=correlated).perturb(columns, np.random.default_rng(2))
        found[correlated] = np.corrcoef([after[name].values for name in columns])[0, 1]
    assert found[True] == pytest.approx(before, abs=0.02)
    assert found[False] == pytest.approx(before / 2, abs=0.03)


def test_multiplied_noise_changes_each_value_by_a_share_of_it_and_leaves_0():
    values = np.array([0.0, *np.full(COUNT, 10.0), *np.full(COUNT, -1000.0)])
    noise = noise_of(Noise(operation="multiply", share=0.2), {"pay": NumericColumn("pay", values)})["pay"]
    assert noise[0] == 0
    assert noise[1 : COUNT + 1].std() == pytest.approx(2, rel=0.05)
    assert noise[COUNT + 1 :].std() == pytest.approx(200, rel=0.05)


@pytest.mark.parametrize(
    ("method", "values", "words"),
    [
        (Noise(), [5.0, 5.0, np.nan], ["'pay'", "same number", "deviation"]),
        (Noise(), [5.0], ["'pay'", "same number"]),
        (Noise(deviation=1, keep_variance=True), [5.0, 5.0], ["'pay'", "keep_variance"]),
        (Noise(operation="multiply"), [0.0, np.nan], ["'pay'", "nothing but 0"]),
    ],
)
def test_a_column_that_would_not_change_is_refused(method, values, words):
    with pytest.raises(UsageError) as caught:
        method.perturb({"pay": NumericColumn("pay", np.array(values))}, np.random.default_rng(1))
    assert all(word in str(caught.value) for word in words)


def test_a_constant_column_takes_noise_of_its_own_size():
    assert noise_of(Noise(deviation=2.0), {"pay": NumericColumn("pay", np.full(COUNT, 5.0))})["pay"].std() > 1.9


def test_correlated_noise_needs_records_without_gaps():
    columns = {
        "age": NumericColumn("age", np.array([1.0, 2, np.nan, np.nan])),
        "pay": NumericColumn("pay", np.array([np.nan, np.nan, 3.0, 4])),
    }
    with pytest.raises(UsageError, match=r"two records or more.*age, pay"):
        Noise(correlated=True).perturb(columns, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("noise:share=0", "share of noise must be more than 0, got 0"),
        ("noise:share=nan", "share of noise must be a number"),
        ("noise:deviation=-1", "deviation of noise must be more than 0"),
        ("noise:share=0.1,deviation=2", "not both"),
        ("noise:operation=multiply,deviation=2", "multiplied takes a share"),
        ("noise:correlated=true,deviation=2", "share"),
        ("noise:distribution=cauchy", "distribution of noise"),
        ("noise:sead=3", "Did you mean 'seed'?"),
        ("noise:seed=-1", "seed of noise must be at least 0"),
    ],
)
def test_parameters_that_make_no_sense_are_named(spec, words):
    with pytest.raises(UsageError) as caught:
        registry.create("algorithm", spec)
    assert words in str(caught.value)
