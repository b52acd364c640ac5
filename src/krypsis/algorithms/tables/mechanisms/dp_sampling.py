"""A sample in groups: records are drawn by chance, generalized, and left out where few look alike."""

from fractions import Fraction
from math import exp, floor
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.mechanisms.base import DomainMechanism, MechanismInput, MechanismResult, categories_of
from krypsis.algorithms.tables.mechanisms.noise import RandomSource
from krypsis.data.columns import CategoryColumn
from krypsis.errors import Infeasible, UsageError
from krypsis.models.base import PrivacyModel
from krypsis.models.differential_privacy import DifferentialPrivacy, least_k
from krypsis.models.mechanisms import MechanismRecord


class DpSampling(DomainMechanism):
    """Publishes true records: a random sample, at levels that are fixed beforehand, without groups that are too small.

    Notes
    -----
    Every record is drawn with the chance ``rate``, which is at most ``1 - e^(-ε)``. All published columns, sensitive
    ones too, are taken to the levels that are named, and of the sample those combinations stay that at least ``k``
    records share, with the smallest ``k`` that δ allows. The levels must be chosen without looking at the data: levels
    that a search finds in it would reveal something about it.

    References
    ----------
    Li, Qardaji, Su, "On sampling, anonymization, and differential privacy", ASIACCS 2012. Bild, Kuhn, Prasser,
    "SafePub: a truthful data anonymization algorithm with strong privacy guarantees", PoPETs 2018(1).

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> release = krypsis.anonymize(pl.DataFrame({"sex": ["f"] * 900 + ["m"] * 5}), {"sex": "quasi-identifier"},
    ...                             hierarchies={"sex": {"*": ["f", "m"]}}, algorithm="dp-sampling",
    ...                             models="differential-privacy:epsilon=1,delta=1e-6")
    >>> set(release.table["sex"]), 300 < release.table.height < 800
    ({'f'}, True)
    """

    name: ClassVar[str] = "dp-sampling"
    aliases: ClassVar[tuple[str, ...]] = ("safepub",)
    keeps: ClassVar[type[PrivacyModel]] = DifferentialPrivacy
    guarantee: ClassVar[str] = (
        "The published records are true ones, generalized: a random sample, without combinations of values that few "
        "records of it share. The promise says nothing about groups of records beyond that; it holds if the levels "
        "were chosen without looking at the data and everybody has one record; and every further release about the "
        "same people adds to what is spent."
    )
    reference: ClassVar[str] = (
        "Li, Qardaji, Su, On sampling, anonymization, and differential privacy, ASIACCS 2012; Bild, Kuhn, Prasser, "
        "SafePub, PoPETs 2018(1)"
    )

    rate: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="the chance of every record to be drawn; the largest possible unless given",
    )

    def make(self, records: MechanismInput, promise: DifferentialPrivacy, source: RandomSource) -> MechanismResult:
        columns = categories_of(records)
        rate = self._rate(promise)
        k = _group_size(promise, rate)
        codes = np.stack([column.codes for column in columns.values()], axis=1)
        # Step 1: draw each record with probability β.
        drawn = codes[[source.happens(rate.numerator, rate.denominator) for _ in range(len(codes))]]
        # Step 2: suppress classes of fewer than k sampled records, with the smallest k that keeps δ.
        _, number, sizes = np.unique(drawn, axis=0, return_inverse=True, return_counts=True)
        kept = drawn[sizes[number.reshape(-1)] >= k] if len(drawn) else drawn
        mechanism_record = MechanismRecord(
            publishes="sample",
            unit="one record",
            domains={name: column.labels for name, column in columns.items()},
            chances={"rate": float(rate)},
            smallest_group=k,
        )
        published = {
            name: CategoryColumn(name, kept[:, place], column.labels)
            for place, (name, column) in enumerate(columns.items())
        }
        return MechanismResult(
            published, None, mechanism_record, {"drawn": len(drawn), "left_out": len(drawn) - len(kept)}
        )

    def _rate(self, promise: DifferentialPrivacy) -> Fraction:
        # β <= 1 - e^(-ε), rounded down.
        largest = Fraction(floor((1 - exp(-promise.epsilon)) * 10**6), 10**6)
        if self.rate is None:
            return min(largest, Fraction(999_999, 10**6))
        if Fraction(str(self.rate)) > largest:
            raise UsageError(
                f"rate of {self.name} must be at most 1 - e^(-epsilon), which is {float(largest):g} for epsilon="
                f"{promise.epsilon:g}; got {self.rate:g}"
            )
        return Fraction(str(self.rate))


def _group_size(promise: DifferentialPrivacy, rate: Fraction) -> int:
    if not promise.delta:
        raise UsageError(
            "a sample keeps differential privacy only up to a small chance; promise it with a delta, such as "
            "differential-privacy:epsilon=1,delta=1e-6, or use the algorithm 'dp-histogram'"
        )
    k = least_k(promise.epsilon, promise.delta, float(rate)) if rate else None
    if k is None:
        raise Infeasible(
            f"{promise.spec} would need groups of more than a million records; promise a larger epsilon or delta, or "
            "choose a smaller rate"
        )
    return k
