"""From a budget to noise: spend a part of it, and get the noise that is worth as much."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from krypsis.algorithms.mechanisms.budget import Budget
from krypsis.algorithms.mechanisms.noise import Noise, gaussian_for, laplace_for
from krypsis.errors import UsageError
from krypsis.models.mechanisms import NoiseName, Spending

NoiseKind = Literal["laplace", "gaussian"]
NAMES: dict[NoiseKind, NoiseName] = {"laplace": "discrete Laplace", "gaussian": "discrete Gaussian"}

LARGEST_SCALE = 10**9
"""Noise beyond this says nothing any more, and sums of it would leave the range of whole numbers in a table."""


def spend(
    budget: Budget, what: str, kind: NoiseKind, sensitivity: int, share: Fraction = Fraction(1)
) -> tuple[Noise, Spending]:
    """Spend a share of the whole budget; return the noise, and what may be told about it.

    Examples
    --------
    >>> noise, told = spend(Budget(epsilon=1), "the counts", "laplace", 2)
    >>> noise.scale, told.epsilon
    (Fraction(2, 1), 1.0)
    """
    epsilon, delta = budget.epsilon * share, budget.delta * share if kind == "gaussian" else Fraction(0)
    noise: Noise
    if kind == "laplace":
        noise = laplace_for(epsilon, sensitivity)
    elif delta:
        noise = gaussian_for(epsilon, delta, sensitivity)
    else:
        raise UsageError(
            "Gaussian noise keeps differential privacy only up to a small chance; promise it with a delta, such as "
            "differential-privacy:epsilon=1,delta=1e-6, or use noise=laplace"
        )
    if noise.scale > LARGEST_SCALE:
        raise UsageError(
            f"epsilon={float(epsilon):g} needs noise of a scale of {float(noise.scale):.3g}, which leaves nothing of "
            f"any count; the largest scale is {LARGEST_SCALE:.0e}: promise a larger epsilon"
        )
    budget.spend(what, epsilon, delta)
    return noise, Spending(
        what=what,
        noise=NAMES[kind],
        sensitivity=sensitivity,
        scale=float(noise.scale),
        epsilon=float(epsilon),
        delta=float(delta),
    )
