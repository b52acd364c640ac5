"""Estimates of how many people stand alone: against slow definitions, and against populations that are known."""

import math
from math import comb, lgamma

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis import registry
from krypsis.data.groups import Groups
from krypsis.errors import UsageError
from krypsis.models.population_uniqueness import ESTIMATORS, PopulationUniqueness, Spectrum, dankar, pitman, snb, zayatz
from models import population_references

sizes_of_groups = st.lists(st.integers(1, 40), min_size=2, max_size=60).filter(lambda sizes: 1 in sizes)


def spectrum(sizes: list[int]) -> Spectrum:
    return Spectrum.of(np.array(sizes, dtype=np.int64))


@given(sizes_of_groups, st.integers(0, 10**6))
def test_zayatz_is_exact_from_small_to_large_populations(sizes, others):
    people = sum(sizes) + others
    expected = float(population_references.zayatz(sizes, people) * people)
    assert zayatz(spectrum(sizes), people) == pytest.approx(expected, rel=1e-11)


def test_a_table_of_the_whole_population_tells_exactly_who_stands_alone():
    sizes = [1, 1, 1, 2, 3, 10]
    assert zayatz(spectrum(sizes), sum(sizes)) == pytest.approx(3)


def log_likelihood(sizes: list[int], theta: float, alpha: float) -> float:
    """Pitman's sampling formula, term by term."""
    n, groups = sum(sizes), len(sizes)
    return (
        sum(math.log(theta + alpha * i) for i in range(1, groups))
        - sum(math.log(theta + i) for i in range(1, n))
        + sum(math.log(j - alpha) for size in sizes for j in range(1, size))
    )


def from_pitman(theta: float, alpha: float, people: int) -> float:
    return math.exp(lgamma(theta + 1) - lgamma(theta + alpha) + alpha * math.log(people))


@given(sizes_of_groups.filter(lambda sizes: len(sizes) < sum(sizes)))
def test_no_parameters_of_pitmans_formula_are_more_likely(sizes):
    """Whatever θ and α are tried: if they are as likely, they give about the same estimate."""
    people = 10**6
    estimate = pitman(spectrum(sizes), people)
    grid = [(theta, alpha) for alpha in np.linspace(0, 0.98, 25) for theta in np.geomspace(0.01, 3000, 40) - alpha]
    best = max((log_likelihood(sizes, theta, alpha), theta, alpha) for theta, alpha in grid if theta > -alpha)
    likelihood, theta, alpha = best
    assert 0 < estimate <= people
    # On a curve of parameters with this estimate there is one that is at least as likely as all of the grid.
    curve = [(from_pitman_theta(estimate, other, people), other) for other in np.linspace(0, 0.98, 400)]
    reached = max(log_likelihood(sizes, t, a) for t, a in curve if t is not None and t > -a)
    assert reached >= likelihood - 0.05, (theta, alpha)


def from_pitman_theta(estimate: float, alpha: float, people: int) -> float | None:
    """The θ with this estimate for a given α, found by halving; it grows with θ."""
    low, high = 1e-9 - alpha, 1e7
    if not from_pitman(low, alpha, people) <= estimate <= from_pitman(high, alpha, people):
        return None
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if from_pitman(middle, alpha, people) < estimate else (low, middle)
    return low


def test_where_no_group_has_two_records_pitman_has_no_answer_and_dankar_takes_zayatz():
    alone = spectrum([1, 1, 1])
    assert math.isnan(pitman(alone, 1000))
    assert dankar(alone, 1000) == zayatz(alone, 1000) == pytest.approx(1000)


def drawn_sample(seed: int, groups: int, alpha: float, beta: float, fraction: float) -> tuple[Spectrum, int, int]:
    """A sample of a population of the SNB model: its spectrum, the number of people and how many stand alone."""
    rng = np.random.default_rng(seed)
    population = 1 + rng.negative_binomial(alpha, beta, groups)
    sample = rng.binomial(population, fraction)
    return Spectrum.of(sample[sample > 0]), int(population.sum()), int((population == 1).sum())


@pytest.mark.parametrize(("alpha", "beta", "fraction"), [(0.5, 0.3, 0.3), (1.5, 0.4, 0.5), (0.3, 0.1, 0.2)])
def test_snb_finds_the_people_who_stand_alone_in_a_population_of_its_kind(alpha, beta, fraction):
    found, people, alone = drawn_sample(1, 60_000, alpha, beta, fraction)
    assert snb(found, people) == pytest.approx(alone, rel=0.15)


def expected_groups(size: int, groups: float, alpha: float, beta: float, fraction: float) -> float:
    """How many groups of the sample have a size, summed over the sizes of the population."""
    total = 0.0
    for others in range(4000):
        log = lgamma(alpha + others) - lgamma(alpha) - lgamma(others + 1)
        chance = math.exp(log + alpha * math.log(beta) + others * math.log1p(-beta))
        people = others + 1
        if people >= size:
            total += chance * comb(people, size) * fraction**size * (1 - fraction) ** (people - size)
    return groups * total


def test_the_equations_of_snb_are_sums_over_the_sizes_of_the_population():
    from krypsis.models.population_uniqueness import _expected  # noqa: PLC0415  the two equations that are solved

    for alpha, beta, fraction in ((0.5, 0.3, 0.3), (2.0, 0.7, 0.9), (0.1, 0.05, 0.5)):
        found = _expected(np.array([math.log(alpha), math.log(beta / (1 - beta))]), 1000.0, fraction)
        slow = [expected_groups(size, 1000.0, alpha, beta, fraction) for size in (1, 2)]
        assert found == pytest.approx(slow, rel=1e-6)


def test_dankar_asks_pitman_up_to_a_tenth_and_the_lower_of_the_others_beyond():
    found, people, _ = drawn_sample(2, 20_000, 0.5, 0.3, 0.3)
    assert dankar(found, found.records * 10) == pitman(found, found.records * 10)
    assert dankar(found, people) == min(snb(found, people), zayatz(found, people))


@given(sizes_of_groups, st.sampled_from(sorted(ESTIMATORS)), st.integers(0, 10**9))
def test_an_estimate_is_a_number_of_people_or_there_is_none(sizes, estimator, others):
    people = sum(sizes) + others
    estimate = ESTIMATORS[estimator](spectrum(sizes), people)
    assert math.isnan(estimate) or 0 <= estimate <= people * (1 + 1e-9)


def test_without_an_estimate_the_promise_is_not_kept_unless_nobody_stands_alone():
    model = PopulationUniqueness(threshold=1, people=1000, estimator="snb")
    assert not model.accepts(Groups.of_sizes([1, 1, 5])).any()
    assert model.measure(Groups.of_sizes([1, 1, 5])) == math.inf
    assert model.accepts(Groups.of_sizes([2, 3])).all()


def test_more_records_than_people_are_refused():
    with pytest.raises(
        UsageError, match="people of population-uniqueness must be at least the number of records, 7, got 5"
    ):
        PopulationUniqueness(threshold=0.1, people=5).measure(Groups.of_sizes([3, 4]))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("population-uniqueness:threshold=0.1,people=0", "people of population-uniqueness must be at least 1, got 0"),
        ("population-uniqueness:threshold=2,people=9", "threshold of population-uniqueness must be at most 1, got 2"),
        ("population-uniqueness:threshold=0,people=9", "threshold of population-uniqueness must be more than 0, got 0"),
        (
            "population-uniqueness:threshold=0.1,people=9,estimator=guess",
            "estimator of population-uniqueness must be 'dankar', .*got 'guess'",
        ),
        ("average-risk:threshold=0", "threshold of average-risk must be more than 0, got 0"),
        ("sample-uniqueness:threshold=-1", "threshold of sample-uniqueness must be at least 0, got -1"),
        ("estimated-k-map:k=3,fraction=0", "fraction of estimated-k-map must be more than 0, got 0"),
        ("estimated-k-map:k=3,fraction=1.2", "fraction of estimated-k-map must be at most 1, got 1.2"),
        (
            "estimated-k-map:k=3,fraction=0.1,significance=1",
            "significance of estimated-k-map must be less than 1, got 1",
        ),
    ],
)
def test_parameters_that_make_no_sense_are_explained(spec, message):
    with pytest.raises(UsageError, match=message):
        registry.create("model", spec)


@pytest.mark.parametrize(("k", "fraction", "smallest"), [(1, 1, 1), (3, 0.0001, 2), (10, 0.1, 5), (10**9, 10**-9, 5)])
def test_estimated_k_map_asks_for_fewer_records_the_smaller_the_sample(k, fraction, smallest):
    """A group of k people has on average k · fraction records; with a mean of 1, 5 are seen in less than 1 of 100."""
    model = registry.create("model", f"estimated-k-map:k={k},fraction={fraction}")
    assert model.smallest == smallest


def test_promises_about_all_groups_leave_out_the_smallest():
    table = pl.DataFrame({"job": ["a"] * 6 + ["b"] * 3 + ["c", "d"]})
    roles = {"job": "quasi-identifier"}
    options = {"algorithm": "fixed:levels=0", "suppression": 1.0}
    average = krypsis.anonymize(table, roles, models=["average-risk:threshold=0.25"], **options)
    assert average.table["job"].unique().sort().to_list() == ["a", "b"]  # 4/11 and 3/10 are too many, 2/9 are not
    alone = krypsis.anonymize(table, roles, models=["sample-uniqueness:threshold=0.1"], **options)
    assert alone.suppressed == 1  # 1 of 10 stands alone
    assert all((*average.verdicts, *alone.verdicts))


def test_the_verdict_about_all_groups_together_shows_the_smallest():
    table = pl.DataFrame({"job": ["a"] * 6 + ["b"] * 3 + ["c", "d"]})
    (verdict,) = krypsis.check(table, ["average-risk:threshold=0.2"], quasi_identifiers=["job"])
    assert verdict.sentence == (
        "Not kept: all 4 groups together break the promise that of all records, guesses within their groups link at "
        "most 0.2 to the right person (required at most 0.2, achieved 0.363636)."
    )
    assert [group["size"] for group in verdict.offending] == [1, 1, 3, 6]
