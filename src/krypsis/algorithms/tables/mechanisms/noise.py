"""Noise of whole numbers, drawn exactly: the discrete Laplace and the discrete Gaussian distribution.

Noise in floating point gives itself away in its last digits (Mironov 2012). Here every chance is a ratio of whole
numbers, and what is drawn is a whole number.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from math import ceil, exp, isqrt, log
from typing import Protocol

from krypsis.errors import UsageError


class RandomSource:
    """Draws whole numbers from random bits, every number exactly as likely as every other.

    The bits are those of the operating system, made for keys and passwords. There is no seed: who could repeat
    the noise could take it away again. A test hands in bits of its own.

    Examples
    --------
    >>> import random
    >>> RandomSource(random.Random(5).getrandbits).below(6) < 6
    True
    """

    def __init__(self, bits: Callable[[int], int] = secrets.randbits) -> None:
        self._bits = bits

    def below(self, limit: int) -> int:
        """Return a whole number from 0 to ``limit - 1``."""
        width = (limit - 1).bit_length()
        while True:
            drawn = self._bits(width) if width else 0
            if drawn < limit:  # numbers beyond are thrown away: a remainder would make small ones likelier
                return drawn

    def happens(self, numerator: int, denominator: int) -> bool:
        """Say yes with the chance ``numerator / denominator``."""
        return self.below(denominator) < numerator


def happens_exponentially(numerator: int, denominator: int, source: RandomSource) -> bool:
    """Say yes with the chance ``exp(-numerator / denominator)``, exactly.

    Notes
    -----
    Only whole numbers are drawn and compared, so no rounding shifts the chance.

    References
    ----------
    Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", NeurIPS 2020, Algorithm 1.
    """
    # Algorithm 1: exp(-γ) = exp(-1) · … · exp(-(rest of γ)); each factor must happen.
    while numerator > denominator:
        if not _happens_below_one(1, 1, source):
            return False
        numerator -= denominator
    return _happens_below_one(numerator, denominator, source)


def _happens_below_one(numerator: int, denominator: int, source: RandomSource) -> bool:
    """Say yes with the chance ``exp(-numerator / denominator)``, for an exponent of at most 1."""
    if numerator == 0:
        return True
    tries = 1
    # K grows while Bernoulli(γ/K) happens; P(K is odd at the end) is the alternating series of exp(-γ).
    while source.happens(numerator, denominator * tries):
        tries += 1
    return tries % 2 == 1


DIGITS = 60
"""With how many digits the scale of Gaussian noise is computed before it is rounded up."""


class IntegerNoise(Protocol):
    """Whole numbers around 0, and how far they usually are from it."""

    @property
    def scale(self) -> Fraction:
        """Of Laplace noise its scale, of Gaussian noise its standard deviation squared."""

    def draw(self, source: RandomSource) -> int:
        """Return a whole number."""

    def margin(self, confidence: float) -> int:
        """Return a distance that the noise exceeds with a chance of at most ``1 - confidence``."""


@dataclass(frozen=True)
class DiscreteLaplace:
    """The number ``x`` has a chance proportional to ``exp(-|x| / scale)``.

    Adding it to a count keeps ε-differential privacy with ``ε = sensitivity / scale``.

    References
    ----------
    Ghosh, Roughgarden, Sundararajan, "Universally utility-maximizing privacy mechanisms", STOC 2009. Canonne, Kamath,
    Steinke, "The discrete Gaussian for differential privacy", NeurIPS 2020, Algorithm 2.

    Examples
    --------
    >>> DiscreteLaplace(Fraction(2)).margin(0.95)
    6
    """

    scale: Fraction

    def draw(self, source: RandomSource) -> int:
        whole, parts = self.scale.numerator, self.scale.denominator
        while True:
            # Algorithm 2: U uniform on 0..t-1, accepted with probability exp(-U/t), for a scale of t/s.
            rest = source.below(whole)
            if not happens_exponentially(rest, whole, source):
                continue
            rounds = 0
            # V geometric: the number of successes with probability exp(-1).
            while happens_exponentially(1, 1, source):
                rounds += 1
            # X = U + t·V has the scale t; ⌊X/s⌋ has the scale t/s.
            distance = (rest + whole * rounds) // parts
            is_negative = source.below(2) == 1
            if distance or not is_negative:  # 0 has one sign only, or it would be twice as likely
                return -distance if is_negative else distance

    def margin(self, confidence: float) -> int:
        # P(|x| > w) = 2 q^(w+1) / (1 + q) with q = exp(-1 / scale)
        rate = 1 / float(self.scale)
        ratio = exp(-rate)
        return max(0, ceil(log((1 - confidence) * (1 + ratio) / 2) / -rate - 1))


@dataclass(frozen=True)
class DiscreteGaussian:
    """The number ``x`` has a chance proportional to ``exp(-x² / (2 · variance))``.

    References
    ----------
    Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", NeurIPS 2020, Algorithm 3.

    Examples
    --------
    >>> DiscreteGaussian(Fraction(4)).margin(0.95)
    5
    """

    variance: Fraction

    @property
    def scale(self) -> Fraction:
        return self.variance

    def draw(self, source: RandomSource) -> int:
        # Algorithm 3: discrete Laplace proposals of scale t = ⌊σ⌋
        # + 1, accepted with probability exp(-(|Y| - σ²/t)² / 2σ²).
        width = isqrt(int(self.variance)) + 1
        proposal = DiscreteLaplace(Fraction(width))
        while True:
            drawn = proposal.draw(source)
            exponent = (abs(drawn) - self.variance / width) ** 2 / (2 * self.variance)
            if happens_exponentially(exponent.numerator, exponent.denominator, source):
                return drawn

    def margin(self, confidence: float) -> int:
        # It is sub-Gaussian: P(|x| >= w) <= 2 exp(-w² / (2 variance))
        square = -2 * float(self.variance) * log((1 - confidence) / 2)
        return isqrt(int(square))


def laplace_for(epsilon: Fraction, sensitivity: int) -> DiscreteLaplace:
    """Return the least Laplace noise that keeps ε-differential privacy.

    Examples
    --------
    >>> laplace_for(Fraction(1, 10), 1).scale
    Fraction(10, 1)
    """
    return DiscreteLaplace(Fraction(sensitivity) / epsilon)


def gaussian_for(epsilon: Fraction, delta: Fraction, sensitivity: int) -> DiscreteGaussian:
    """Return Gaussian noise that keeps (ε,δ)-differential privacy.

    Notes
    -----
    The noise keeps ρ-concentrated privacy with ``ρ = sensitivity² / (2 · variance)``, and that is (ε,δ)-differential
    privacy for ``ε = ρ + 2·√(ρ·ln(1/δ))`` (Bun and Steinke 2016). The variance is rounded up.

    Examples
    --------
    >>> float(gaussian_for(Fraction(1), Fraction(1, 10**6), 1).variance)
    28.62...
    """
    with localcontext(Context(prec=DIGITS)):
        limit = -(Decimal(delta.numerator) / Decimal(delta.denominator)).ln()
        root = (limit + Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).sqrt() - limit.sqrt()
        variance = Decimal(sensitivity) ** 2 / (2 * root * root)
    rounded = Context(prec=15, rounding=ROUND_CEILING).plus(variance)
    return DiscreteGaussian(Fraction(rounded))


def choose(scores: Sequence[int], epsilon: Fraction, sensitivity: int, source: RandomSource) -> int:
    """Return the place of one choice, drawn with a chance proportional to ``exp(ε · score / (2 · sensitivity))``.

    This is ε-differentially private if one person changes no score by more than ``sensitivity``.

    Notes
    -----
    A choice is drawn evenly and kept with the chance ``exp(-ε · (best - score) / (2 · sensitivity))``, until one is
    kept. All is exact: no power is ever computed. The best choice is always kept, so as many draws as there are choices
    are enough on average.

    References
    ----------
    McSherry, Talwar, "Mechanism design via differential privacy", FOCS 2007.

    Examples
    --------
    >>> choose([3, 1000, 2], Fraction(1), 1, RandomSource())
    1
    """
    if not scores:
        raise UsageError("there is nothing to choose from; name at least one choice")
    best = max(scores)
    while True:
        place = source.below(len(scores))
        exponent = epsilon * (best - scores[place]) / (2 * sensitivity)
        if happens_exponentially(exponent.numerator, exponent.denominator, source):
            return place
