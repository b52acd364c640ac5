"""Noise against OpenDP, another implementation of the same distributions.

OpenDP takes no seed. A right sample goes beyond a limit used here once in a thousand million runs: for distances
between distribution functions that is the inequality of Dvoretzky, Kiefer and Wolfowitz with the constant of Massart.
"""

import random
from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import opendp.prelude as dp
import pytest
from scipy.stats import chi2_contingency, chisquare

from krypsis.algorithms.tables.mechanisms.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    RandomSource,
    gaussian_for,
    laplace_for,
)

dp.enable_features("contrib")

DRAWS = 40_000
FALSE_ALARM = 1e-10
RARE = 100
"""Numbers expected less often are counted as one: the distribution of chi-square is an approximation."""

NOISES = [
    DiscreteLaplace(Fraction(5, 2)),
    DiscreteLaplace(Fraction(2, 3)),
    DiscreteGaussian(Fraction(25, 4)),
    DiscreteGaussian(Fraction(1)),
]


def integers(distance):
    return dp.vector_domain(dp.atom_domain(T=int)), distance


def theirs(noise):
    """The mechanism of OpenDP with the same parameter."""
    if isinstance(noise, DiscreteLaplace):
        return dp.m.make_laplace(*integers(dp.l1_distance(T=int)), scale=float(noise.scale))
    return dp.m.make_gaussian(*integers(dp.l2_distance(T=float)), scale=sqrt(noise.variance))


def drawn_there(noise):
    return np.array(theirs(noise)([0] * DRAWS))


def drawn_here(noise, seed=8):
    source = RandomSource(random.Random(seed).getrandbits)
    return np.array([noise.draw(source) for _ in range(DRAWS)])


def chances(noise, numbers):
    """The formulas of the two distributions."""
    everywhere = np.arange(-400, 401)
    if isinstance(noise, DiscreteLaplace):
        weights = np.exp(-np.abs(everywhere) / float(noise.scale))
    else:
        weights = np.exp(-(everywhere**2) / (2 * float(noise.variance)))
    return (weights / weights.sum())[numbers + 400]


def furthest(draws):
    """How far the shares of this many draws may be from the chances they have, in all of their sums."""
    return sqrt(log(2 / FALSE_ALARM) / (2 * draws))


def cumulated(sample, numbers):
    return np.searchsorted(np.sort(sample), numbers, side="right") / len(sample)


def counted(noise, sample):
    """How often each number comes that is not rare, and then all others together; and how often it should."""
    numbers = np.arange(-400, 401)
    expected = chances(noise, numbers) * len(sample)
    common = expected >= RARE
    observed = np.array([(sample == number).sum() for number in numbers[common]])
    return np.append(observed, len(sample) - observed.sum()), np.append(expected[common], expected[~common].sum())


@pytest.mark.parametrize("noise", NOISES, ids=str)
@pytest.mark.parametrize("draw", [drawn_here, drawn_there])
def test_both_follow_the_formula(noise, draw):
    sample, numbers = draw(noise), np.arange(-400, 401)
    right = chances(noise, numbers).cumsum()
    assert np.abs(cumulated(sample, numbers) - right).max() <= furthest(DRAWS)
    assert chisquare(*counted(noise, sample)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_nobody_can_tell_our_noise_from_theirs(noise):
    ours, other = drawn_here(noise), drawn_there(noise)
    numbers = np.arange(-400, 401)
    assert np.abs(cumulated(ours, numbers) - cumulated(other, numbers)).max() <= 2 * furthest(DRAWS)
    assert chi2_contingency([counted(noise, ours)[0], counted(noise, other)[0]]).pvalue > FALSE_ALARM


@pytest.mark.parametrize("noise", NOISES[::2], ids=str)
def test_noise_that_is_a_tenth_wider_would_be_told(noise):
    wider = drawn_here(type(noise)(noise.scale * Fraction(11, 10)))
    assert chisquare(*counted(noise, wider)).pvalue < FALSE_ALARM


@pytest.mark.parametrize(("epsilon", "sensitivity"), [(Fraction(1, 10), 1), (Fraction(1), 3), (Fraction(5, 2), 7)])
def test_opendp_grants_our_laplace_noise_the_same_epsilon(epsilon, sensitivity):
    assert theirs(laplace_for(epsilon, sensitivity)).map(sensitivity) == pytest.approx(float(epsilon), rel=1e-9)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(4)])
@pytest.mark.parametrize("delta", [Fraction(1, 10**3), Fraction(1, 10**9)])
def test_opendp_grants_our_gaussian_noise_at_least_the_privacy_that_was_asked_for(epsilon, delta):
    noise = gaussian_for(epsilon, delta, sensitivity=2)
    granted = dp.c.make_zCDP_to_approxDP(theirs(noise)).map(2.0).epsilon(float(delta))
    assert exp(-2) * float(epsilon) < granted <= float(epsilon) * (1 + 1e-9)
