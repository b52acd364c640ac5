"""What drawing a sample and leaving out small groups is worth: the δ of differential privacy."""

from __future__ import annotations

from math import ceil, exp, log

import numpy as np

STEPS = 4096
"""How many numbers of records are looked at at once."""


def sampling_delta(epsilon: float, rate: float, k: int) -> float:
    """Return the δ for which a sample without groups of less than ``k`` records keeps (ε,δ)-differential privacy.

    Every record is drawn with the chance ``rate``, and which records form a group must not depend on the data.

    Notes
    -----
    With ``γ = (e^ε - 1 + rate) / e^ε`` it is the largest of ``P[Bin(n, rate) > γ·n]`` over all ``n ≥ ⌈k/γ - 1⌉``. From
    some ``n`` on these are below ``e^(-n·KL(γ‖rate))``, so the search for the largest ends.

    References
    ----------
    Li, Qardaji, Su, "On sampling, anonymization, and differential privacy", ASIACCS 2012, Theorem 1.

    Examples
    --------
    >>> sampling_delta(1.0, 0.2, 10) < 1e-4 < sampling_delta(1.0, 0.2, 5)
    True
    """
    from scipy.stats import binom  # noqa: PLC0415  loaded only where it is needed

    if rate >= 1 - exp(-epsilon) + 1e-12:
        return 1.0  # so large a sample tells of somebody that they are in it, more often than ε allows
    limit = (exp(epsilon) - 1 + rate) / exp(epsilon)
    falling = limit * log(limit / rate) + ((1 - limit) * log((1 - limit) / (1 - rate)) if limit < 1 else 0.0)
    largest, start = 0.0, max(0, ceil(k / limit - 1))
    while exp(-start * falling) > largest:
        numbers = np.arange(start, start + STEPS)
        # A little below γ·n: rounding may make δ larger, never smaller.
        tails = np.asarray(binom.sf(np.floor(limit * numbers * (1 - 1e-12) - 1e-9), numbers, rate))
        largest, start = max(largest, float(tails.max())), start + STEPS
    return min(1.0, largest)


def least_k(epsilon: float, delta: float, rate: float) -> int | None:
    """Return the smallest ``k`` that keeps (ε,δ)-differential privacy, ``None`` if none up to a million does.

    Examples
    --------
    >>> least_k(1.0, 1e-6, 0.2)
    14
    """
    high = 1
    while sampling_delta(epsilon, rate, high) > delta:
        high *= 2
        if high > 10**6:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if sampling_delta(epsilon, rate, middle) <= delta else (middle, high)
    return high
