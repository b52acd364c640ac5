"""The budget of differential privacy: what may be spent on questions about the same people, and what was."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from krypsis.algorithms.tables.mechanisms.noise import IntegerNoise, gaussian_for, laplace_for
from krypsis.errors import BudgetExhausted, UsageError
from krypsis.models.mechanisms import NoiseName, Spending

LEAST_EPSILON = Fraction(1, 10**12)
"""Noise for less would be beyond what floating point numbers tell, and no answer would be left."""


@dataclass(frozen=True)
class Expense:
    """What one answer has cost."""

    what: str
    epsilon: Fraction
    delta: Fraction


class PrivacyBudget:
    """Counts what is spent, and refuses what it has no more of.

    Answers about the same people add up (sequential composition). Answers about parts of the table that nobody is in
    two of cost as much as the dearest of them (parallel composition). All is counted in fractions: ten times 0.1 is 1.

    References
    ----------
    McSherry, "Privacy integrated queries", SIGMOD 2009.

    Examples
    --------
    >>> budget = PrivacyBudget(epsilon=1)
    >>> budget.spend("how many", 0.75)
    >>> budget.spend_in_parallel("how many by sex", {"f": 0.25, "m": 0.125})
    >>> budget.remaining
    (0.0, 0.0)
    """

    def __init__(self, epsilon: float, delta: float = 0) -> None:
        self.epsilon, self.delta = exact_epsilon(epsilon), exact_delta(delta)
        self._expenses: list[Expense] = []

    @property
    def expenses(self) -> tuple[Expense, ...]:
        """What was spent, in order."""
        return tuple(self._expenses)

    @property
    def spent(self) -> tuple[float, float]:
        """The ε and the δ that are spent."""
        epsilon, delta = self._total()
        return float(epsilon), float(delta)

    @property
    def remaining(self) -> tuple[float, float]:
        """The ε and the δ that are left."""
        epsilon, delta = self._total()
        return float(self.epsilon - epsilon), float(self.delta - delta)

    def ledger(self) -> dict[str, Any]:
        """Return what there was and what it was spent on, exactly, ready for a private record."""
        spent = [{"what": one.what, "epsilon": str(one.epsilon), "delta": str(one.delta)} for one in self._expenses]
        return {"epsilon": str(self.epsilon), "delta": str(self.delta), "spent": spent}

    def spend(self, what: str, epsilon: float | Fraction, delta: float | Fraction = 0) -> None:
        """Spend on one answer.

        Raises
        ------
        BudgetExhausted
            if less than that is left; nothing is spent then, and the answer must not be given.
        """
        wanted = Expense(what, exact_epsilon(epsilon), exact_delta(delta))
        spent_epsilon, spent_delta = self._total()
        if spent_epsilon + wanted.epsilon > self.epsilon or spent_delta + wanted.delta > self.delta:
            raise BudgetExhausted(
                f"{what} would cost {_in_words(wanted.epsilon, wanted.delta)}, and of the budget of "
                f"{_in_words(self.epsilon, self.delta)} only "
                f"{_in_words(self.epsilon - spent_epsilon, self.delta - spent_delta)} is left; ask for less, or stop: "
                "more answers would reveal something about single people"
            )
        self._expenses.append(wanted)

    def spend_in_parallel(self, what: str, parts: Mapping[str, float | Fraction]) -> None:
        """Spend on one answer for each part of the table, where no person is in two parts: the dearest counts."""
        if not parts:
            raise UsageError(f"{what} names no parts; name each part with its epsilon")
        self.spend(what, max(exact_epsilon(epsilon) for epsilon in parts.values()))

    def _total(self) -> tuple[Fraction, Fraction]:
        epsilons, deltas = ([getattr(one, name) for one in self._expenses] for name in ("epsilon", "delta"))
        return sum(epsilons, Fraction(0)), sum(deltas, Fraction(0))


def exact_epsilon(given: float | Fraction) -> Fraction:
    """Return an ε as the fraction it is written as.

    Examples
    --------
    >>> exact_epsilon(0.1)
    Fraction(1, 10)
    """
    epsilon = _exact(given, "epsilon")
    if epsilon <= 0:
        raise UsageError(f"epsilon must be more than 0, got {given}")
    if epsilon < LEAST_EPSILON:
        raise UsageError(f"epsilon must be at least {float(LEAST_EPSILON):g}, below which noise hides all; got {given}")
    return epsilon


def exact_delta(given: float | Fraction) -> Fraction:
    """Return a δ as the fraction it is written as."""
    delta = _exact(given, "delta")
    if not 0 <= delta < 1:
        raise UsageError(f"delta is a chance from 0 on and less than 1, got {given}")
    return delta


def _exact(given: object, name: str) -> Fraction:
    """Return the decimal that a floating point number is written as: 0.1 is meant as a tenth, which it is not quite."""
    try:
        return given if isinstance(given, Fraction) else Fraction(str(given))
    except (ValueError, ZeroDivisionError):  # also True and None, whose names are no numbers
        raise UsageError(f"{name} must be a number such as 0.5, got {given!r}") from None


def _in_words(epsilon: Fraction, delta: Fraction) -> str:
    return f"epsilon={float(epsilon):g}" + (f" and delta={float(delta):g}" if delta else "")


NoiseKind = Literal["laplace", "gaussian"]
NAMES: dict[NoiseKind, NoiseName] = {"laplace": "discrete Laplace", "gaussian": "discrete Gaussian"}

LARGEST_SCALE = 10**9
"""Noise beyond this says nothing any more, and sums of it would leave the range of whole numbers in a table."""


def spend(
    budget: PrivacyBudget, what: str, kind: NoiseKind, sensitivity: int, share: Fraction = Fraction(1)
) -> tuple[IntegerNoise, Spending]:
    """Spend a share of the whole budget; return the noise, and what may be published about it.

    Examples
    --------
    >>> noise, spending = spend(PrivacyBudget(epsilon=1), "the counts", "laplace", 2)
    >>> noise.scale, spending.epsilon
    (Fraction(2, 1), 1.0)
    """
    epsilon, delta = budget.epsilon * share, budget.delta * share if kind == "gaussian" else Fraction(0)
    noise: IntegerNoise
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
