"""Where chance comes from: bits that nobody can predict, turned into whole numbers and exact chances."""

from __future__ import annotations

import secrets
from collections.abc import Callable


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
