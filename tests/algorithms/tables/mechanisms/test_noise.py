"""Random whole numbers: their chances by enumeration of all draws, against the closed forms."""

import random
from fractions import Fraction
from itertools import product
from math import exp, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from krypsis.algorithms.tables.mechanisms.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    RandomSource,
    choose,
    gaussian_for,
    happens_exponentially,
    laplace_for,
)
from krypsis.errors import UsageError
from oracles.chances import chances_of


def between(chances, rest, expected):
    """Every chance is the expected one, but for what was cut off."""
    for outcome, chance in chances.items():
        assert chance <= expected(outcome) + 1e-12
        assert chance + rest >= expected(outcome) - 1e-12


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6, 7, 8])
def test_every_number_below_a_limit_is_equally_likely(limit):
    width = (limit - 1).bit_length()
    outcomes = []
    for first in range(2**width):
        bits = iter([first, 0])
        outcomes.append((first, RandomSource(lambda _, bits=bits: next(bits)).below(limit)))
    accepted = [number for first, number in outcomes if first < limit]
    assert sorted(accepted) == list(range(limit))
    assert all(number == 0 for first, number in outcomes if first >= limit)  # drawn again, and then 0 comes


def test_the_usual_source_is_that_of_keys_and_takes_no_seed():
    state = random.getstate()
    random.seed(1)
    first = [RandomSource().below(2**64) for _ in range(4)]
    random.seed(1)
    assert first != [RandomSource().below(2**64) for _ in range(4)]
    random.setstate(state)


@pytest.mark.parametrize("exponent", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(7, 4), Fraction(5, 2)])
def test_a_chance_of_a_power_of_e_is_exact(exponent):
    def program(source):
        return happens_exponentially(exponent.numerator, exponent.denominator, source)

    chances, rest = chances_of(program, Fraction(1, 200_000))
    assert rest < 1e-2
    between(chances, rest, lambda yes: exp(-exponent) if yes else 1 - exp(-exponent))


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3, 2)])
def test_discrete_laplace_has_the_chances_of_its_formula(scale):
    ratio = exp(-1 / scale)
    chances, rest = chances_of(DiscreteLaplace(scale).draw, Fraction(1, 100_000))
    assert rest < 0.1
    assert {-1, 0, 1} <= set(chances)
    between(chances, rest, lambda x: (1 - ratio) / (1 + ratio) * ratio ** abs(x))
    for x in chances:  # the noise has no direction, up to what was cut off equally on both sides
        assert chances[x] == chances.get(-x)


@pytest.mark.parametrize("variance", [Fraction(1, 2), Fraction(1)])
def test_discrete_gaussian_has_the_chances_of_its_formula(variance):
    weights = {x: exp(-(x**2) / (2 * variance)) for x in range(-30, 31)}
    total = sum(weights.values())
    chances, rest = chances_of(DiscreteGaussian(variance).draw, Fraction(1, 30_000))
    assert rest < 0.4
    between(chances, rest, lambda x: weights[x] / total)


@pytest.mark.parametrize(
    ("noise", "weight"),
    [
        (DiscreteLaplace(Fraction(7, 3)), lambda x: exp(-abs(x) * 3 / 7)),
        (DiscreteLaplace(Fraction(1, 3)), lambda x: exp(-abs(x) * 3)),
        (DiscreteGaussian(Fraction(5)), lambda x: exp(-(x**2) / 10)),
        (DiscreteGaussian(Fraction(29, 2)), lambda x: exp(-(x**2) / 29)),
    ],
)
def test_many_draws_follow_the_formula(noise, weight):
    source, draws = RandomSource(random.Random(20).getrandbits), 20_000
    drawn = [noise.draw(source) for _ in range(draws)]
    total = sum(weight(x) for x in range(-400, 401))
    likely = [x for x in range(-60, 61) if weight(x) / total * draws >= 8]
    observed = [drawn.count(x) for x in likely]
    expected = [weight(x) / total * draws for x in likely]
    observed.append(draws - sum(observed))
    expected.append(draws - sum(expected))
    assert chisquare(observed, expected).pvalue > 1e-4


@pytest.mark.parametrize("scores", [[3, 0, 3], [0, 1, 2]])
def test_the_exponential_mechanism_has_the_chances_of_its_formula(scores):
    epsilon = Fraction(2)
    weights = [exp(epsilon * score / 2) for score in scores]
    chances, rest = chances_of(lambda source: choose(scores, epsilon, 1, source), Fraction(1, 20_000))
    assert rest < 0.25
    between(chances, rest, lambda place: weights[place] / sum(weights))


def test_without_choices_nothing_is_chosen():
    with pytest.raises(UsageError, match="nothing to choose from"):
        choose([], Fraction(1), 1, RandomSource())


@pytest.mark.parametrize("epsilon", [Fraction(1, 3), Fraction(2)])
def test_laplace_noise_keeps_epsilon_between_neighboring_counts_and_no_more(epsilon):
    """Two counts that differ by 1: no output is more than e^ε times as likely, and some is exactly that."""
    ratio = exp(-1 / laplace_for(epsilon, 1).scale)
    chance = [{x: (1 - ratio) / (1 + ratio) * ratio ** abs(x - count) for x in range(-20, 25)} for count in (3, 4)]
    worst = max(max(chance[0][x] / chance[1][x], chance[1][x] / chance[0][x]) for x in chance[0])
    assert worst == pytest.approx(exp(epsilon))


@pytest.mark.parametrize("sensitivity", [1, 3])
@pytest.mark.parametrize(("epsilon", "delta"), [(Fraction(1), Fraction(1, 10**5)), (Fraction(1, 2), Fraction(1, 100))])
def test_gaussian_noise_keeps_epsilon_but_for_delta(epsilon, delta, sensitivity):
    """δ is the largest sum of P(x) - e^ε·Q(x): computed over all outputs of two neighboring counts."""
    variance = gaussian_for(epsilon, delta, sensitivity).variance
    reach = int(40 * sqrt(variance))
    weights = {x: exp(-(x**2) / (2 * variance)) for x in range(-reach, reach + 1)}
    total = sum(weights.values())
    failing = sum(
        max(0.0, weights.get(x, 0) / total - exp(epsilon) * weights.get(x - sensitivity, 0) / total)
        for x in range(-reach + sensitivity, reach + 1)
    )
    assert failing <= delta


@pytest.mark.parametrize("noise", [DiscreteLaplace(Fraction(4)), DiscreteGaussian(Fraction(20))])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_margin_is_exceeded_as_seldom_as_it_says(noise, confidence):
    is_laplace = isinstance(noise, DiscreteLaplace)
    weights = {x: exp(-abs(x) / 4 if is_laplace else -(x**2) / 40) for x in range(-300, 301)}
    beyond = sum(weight for x, weight in weights.items() if abs(x) > noise.margin(confidence))
    assert beyond / sum(weights.values()) <= 1 - confidence
    closer = sum(weight for x, weight in weights.items() if abs(x) > noise.margin(confidence) - 1)
    if is_laplace and noise.margin(confidence):
        assert closer / sum(weights.values()) > 1 - confidence  # nothing smaller would do


@given(numbers=st.lists(st.integers(1, 40), min_size=1, max_size=3), pattern=st.integers(0, 2**30))
def test_the_same_bits_give_the_same_numbers(numbers, pattern):
    runs = [[RandomSource(random.Random(pattern).getrandbits).below(limit) for limit in numbers] for _ in range(2)]
    assert runs[0] == runs[1]
    assert all(drawn < limit for drawn, limit in zip(runs[0], numbers, strict=True))


def test_enumeration_finds_all_ways_to_draw_two_dice():
    chances, rest = chances_of(lambda source: source.below(2) + source.below(3), Fraction(1, 1000))
    assert rest == 0
    expected = {}
    for one, other in product(range(2), range(3)):
        expected[one + other] = expected.get(one + other, 0) + Fraction(1, 6)
    assert chances == expected
