"""ε-differential privacy."""

from collections.abc import Iterator
from math import ceil, exp, inf, log, sqrt
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.models.mechanisms import MechanismModel, MechanismRecord, Spending

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


NEAR = 1e-9
"""Figures in a manifest are rounded to floating point; so near to each other they count as equal."""


class DifferentialPrivacy(MechanismModel):
    """Whether or not your record is in the data, every possible release is about as likely: at most ``e^ε`` times.

    Notes
    -----
    Two tables are neighbors if one has one record more than the other; where a column names the person, if one has all
    records of one person more. For neighbors ``T1`` and ``T2`` and every set ``S`` of releases, ``P[F(T1) ∈ S] ≤ e^ε ·
    P[F(T2) ∈ S] + δ``. Several releases about the same people add up: two with ε = 1 are one with ε = 2.

    References
    ----------
    Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity in private data analysis", TCC 2006. Dwork, Roth,
    "The algorithmic foundations of differential privacy", 2014.

    Examples
    --------
    >>> noise = Spending(what="counts", noise="discrete Laplace", sensitivity=1, scale=2, epsilon=0.5)
    >>> record = MechanismRecord(publishes="counts", unit="one record", domains={}, spent=(noise,))
    >>> DifferentialPrivacy(epsilon=1).achieved(record), list(DifferentialPrivacy(epsilon=1).contradictions(record))
    (0.5, [])
    """

    name: ClassVar[str] = "differential-privacy"
    aliases: ClassVar[tuple[str, ...]] = ("epsilon-differential-privacy",)
    protects_from: ClassVar[str] = (
        "learning from the release whether somebody is in the data, or anything that depends on that person's record"
    )
    does_not_protect_from: ClassVar[str] = (
        "what the data reveals about people in general, and so about somebody who is like them; further releases about "
        "the same people, whose epsilons add up; and a publisher who did not draw the noise as stated, which nobody "
        "can see from the files"
    )
    reference: ClassVar[str] = (
        "Dwork, McSherry, Nissim, Smith, Calibrating noise to sensitivity in private data analysis, TCC 2006"
    )
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    kept_by: ClassVar[str] = "dp-histogram"
    not_to_see: ClassVar[str] = (
        "that the noise was drawn by chance as stated, that the declared values and limits were not taken from the "
        "data, and what else was published about the same people"
    )

    epsilon: float = Field(
        gt=0, allow_inf_nan=False, description="how much one person may change the chances of a release, as a logarithm"
    )
    delta: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        allow_inf_nan=False,
        description="the chance that epsilon does not hold; best far below 1/n",
    )

    @property
    def required(self) -> float:
        return self.epsilon

    def achieved(self, record: MechanismRecord) -> float:
        if record.publishes == "sample":
            return self.epsilon if self._delta_of_sample(record) <= self.delta * (1 + NEAR) else inf
        return sum(part.epsilon for part in record.spent) if record.spent else inf

    def contradictions(self, record: MechanismRecord) -> Iterator[str]:
        if record.publishes == "tuples":
            yield "combinations that may be in the data are stated, and they carry no noise"
        if record.publishes == "sample":
            if self.achieved(record) > self.epsilon:
                yield f"for this sample delta is {self._delta_of_sample(record):.3g}, more than {self.delta:g}"
            return
        if not record.spent:
            yield "no budget is stated, and so no noise"
        elif self.achieved(record) > self.epsilon * (1 + NEAR):
            yield f"the budget stated adds up to epsilon={self.achieved(record):g}, more than {self.epsilon:g}"
        if (delta := sum(part.delta for part in record.spent)) > self.delta * (1 + NEAR):
            yield f"the budget stated adds up to delta={delta:g}, more than {self.delta:g}"
        for part in record.spent:
            if part.sensitivity < 1:
                yield f"the noise of {part.what} is for a change of {part.sensitivity:g}, and a record changes it by 1"
            if (needed := epsilon_of(part)) > part.epsilon * (1 + NEAR):
                yield f"the noise of {part.what} keeps epsilon={needed:g}, not the {part.epsilon:g} that is stated"

    def _delta_of_sample(self, record: MechanismRecord) -> float:
        rate = record.chances.get("rate", 1.0)
        return sampling_delta(self.epsilon, rate, record.smallest_group) if 0 < rate < 1 else 1.0

    def promise(self) -> str:
        failing = f", except with a chance of {self.delta:g}" if self.delta else ""
        return (
            "one person more or less in the data changes the chance of any release at most by the factor "
            f"e^{self.epsilon:g}{failing}"
        )


def epsilon_of(part: Spending) -> float:
    """Return the ε that noise keeps, for the δ that it is given.

    Examples
    --------
    >>> epsilon_of(Spending(what="sum", noise="discrete Laplace", sensitivity=100, scale=200, epsilon=1))
    0.5
    """
    if part.noise == "discrete Laplace":
        return part.sensitivity / part.scale
    rho = part.sensitivity**2 / (2 * part.scale)
    return rho + 2 * sqrt(rho * -log(part.delta)) if part.delta else inf
