"""A histogram with noise: the counts of all combinations of declared values, ε-differentially private."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from krypsis.algorithms.tables.mechanisms.base import (
    DomainMechanism,
    MechanismInput,
    MechanismResult,
    bounded,
    categories_of,
    cell_count,
    cells_of,
    columns_of,
)
from krypsis.algorithms.tables.mechanisms.budget import NoiseKind, PrivacyBudget, spend
from krypsis.algorithms.tables.mechanisms.noise import RandomSource
from krypsis.arrays import IntArray
from krypsis.data.columns import CategoryColumn
from krypsis.errors import UsageError
from krypsis.models.base import PrivacyModel
from krypsis.models.differential_privacy import DifferentialPrivacy
from krypsis.models.mechanisms import MechanismRecord, Spending


def adding_up(counts: IntArray, total: int, *, nonnegative: bool) -> IntArray:
    """Return the whole numbers nearest to the counts, in squares, whose sum is the total.

    This looks at noisy numbers only, so it costs no privacy. All counts move by the same amount, up to rounding; with
    ``nonnegative`` those that would fall below 0 stay there, and a total below 0 is 0.

    References
    ----------
    Held, Wolfe, Crowder, "Validation of subgradient optimization", Mathematical Programming 6, 1974 (the nearest point
    of a simplex).

    Examples
    --------
    >>> adding_up(np.array([5, -2, 1]), 4, nonnegative=True).tolist()
    [4, 0, 0]
    >>> adding_up(np.array([5, -2, 1]), 5, nonnegative=False).tolist()
    [6, -2, 1]
    """
    if nonnegative and total <= 0:
        return np.zeros_like(counts)
    order = np.argsort(-counts, kind="stable")
    moved = counts[order]
    sums = np.cumsum(moved)
    sizes = np.arange(1, len(counts) + 1)
    # The largest counts that are still above 0 after each has given up its share of what is too much.
    support = int(np.flatnonzero(moved * sizes > sums - total)[-1]) + 1 if nonnegative else len(counts)
    share = -((total - int(sums[support - 1])) // support)  # rounded up: what is missing then is given to the largest
    result = np.zeros_like(counts)
    result[order[:support]] = moved[:support] - share
    result[order[: total - int(result.sum())]] += 1
    return result


MOST_RECORDS = 10_000_000
"""How many records are drawn from the counts, at most."""


class DpHistogram(DomainMechanism):
    """Counts every combination of declared values, also those that do not occur, and adds random noise to each count.

    Notes
    -----
    Neighboring tables differ by one record, or by all records of one person if ``person`` names the column that
    distinguishes them; of these ``records_per_person`` count, drawn by chance. One person changes the counts by that
    number in all, so whole numbers from the discrete Laplace distribution of scale ``records_per_person / ε`` are
    added; with ``noise=gaussian``, from the discrete Gaussian one for (ε, δ). Cells are disjoint, so the noise of all
    of them is paid once.

    With ``total_share``, that share of the budget is spent on the number of records, and the counts are moved so that
    they add up to it; with ``nonnegative``, so that none is below 0 and their sum stays. Both look at noisy numbers
    only, and so does ``publish=records``: as many records as the counts say.

    The columns are at the levels of their hierarchies that ``levels`` names, and the hierarchies must declare all
    values. Which values occur would reveal something about the people who have them.

    References
    ----------
    Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity in private data analysis", TCC 2006. Canonne,
    Kamath, Steinke, "The discrete Gaussian for differential privacy", NeurIPS 2020.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> release = krypsis.anonymize(pl.DataFrame({"sex": ["f"] * 90 + ["m"] * 10}), {"sex": "quasi-identifier"},
    ...                             hierarchies={"sex": {"*": ["f", "m", "x"]}}, algorithm="dp-histogram",
    ...                             models="differential-privacy:epsilon=1")
    >>> release.table.columns, sorted(release.table["sex"].drop_nulls())
    (['sex', 'count'], ['f', 'm', 'x'])
    """

    name: ClassVar[str] = "dp-histogram"
    keeps: ClassVar[type[PrivacyModel]] = DifferentialPrivacy
    guarantee: ClassVar[str] = (
        "No published row is a record of the data: all declared combinations of values were counted, and random noise "
        "was added to each count. One person more or less makes hardly a difference. The promise says nothing about "
        "groups of records; counts of rare combinations are mostly noise; what holds for people in general can still "
        "be learned; and every further release about the same people adds to what is spent."
    )
    reference: ClassVar[str] = (
        "Dwork, McSherry, Nissim, Smith, Calibrating noise to sensitivity in private data analysis, TCC 2006; Canonne, "
        "Kamath, Steinke, The discrete Gaussian for differential privacy, NeurIPS 2020"
    )

    noise: NoiseKind = Field(default="laplace", description="the distribution of the noise; gaussian needs a delta")
    publish: Literal["counts", "records"] = Field(
        default="counts", description="the noisy counts, or as many records as they say"
    )
    nonnegative: bool = Field(default=False, description="whether no count may be below 0; for records always so")
    total_share: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="the share of the budget for the number of records, which the counts add up to",
    )
    person: str | None = Field(default=None, description="the column that says whom a record belongs to")
    records_per_person: int = Field(
        default=1, ge=1, description="how many records of each person count; drawn by chance where somebody has more"
    )

    @model_validator(mode="after")
    def _knows_persons(self) -> Self:
        if self.records_per_person > 1 and self.person is None:
            raise ValueError(
                f"{self.name} with records_per_person={self.records_per_person} must know whose records they are; name "
                "the column: person=patient_id"
            )
        return self

    @property
    def person_column(self) -> str | None:
        return self.person

    def make(self, records: MechanismInput, promise: DifferentialPrivacy, source: RandomSource) -> MechanismResult:
        columns = categories_of(records)
        cells = cell_count(columns)
        kept = bounded(records, self.records_per_person, source)
        # All cells of the declared domain, the empty ones as well: which cells occur is private.
        counts = np.bincount(cells_of(columns)[kept], minlength=cells)
        budget = PrivacyBudget(promise.epsilon, promise.delta)
        noisy, spent = self._noisy(counts, budget, source)
        mechanism_record = MechanismRecord(
            publishes=self.publish,
            unit=self._unit(),
            domains={name: column.labels for name, column in columns.items()},
            nonnegative=self.nonnegative or self.publish == "records",
            spent=spent,
        )
        return replace(_published(noisy, columns, mechanism_record), private={"budget": budget.ledger()})

    def _unit(self) -> str:
        if self.person is None:
            return "one record"
        return f"one person with up to {self.records_per_person} record(s) that count"

    def _noisy(
        self, counts: IntArray, budget: PrivacyBudget, source: RandomSource
    ) -> tuple[IntArray, tuple[Spending, ...]]:
        share = Fraction(str(self.total_share))
        # Laplace mechanism: scale = sensitivity / ε. Cells are disjoint (parallel composition), so ε is paid once.
        noise, spending = spend(budget, "the counts", self.noise, self.records_per_person, 1 - share)
        noisy = counts + np.array([noise.draw(source) for _ in range(len(counts))], dtype=np.int64)
        spent: tuple[Spending, ...] = (spending,)
        total = int(noisy.sum())
        if share:
            of_total, spending = spend(budget, "the number of records", self.noise, self.records_per_person, share)
            spent, total = (*spent, spending), int(counts.sum()) + of_total.draw(source)
        if self.nonnegative or self.publish == "records":
            return adding_up(noisy, total, nonnegative=True), spent
        return (adding_up(noisy, total, nonnegative=False) if share else noisy), spent


def _published(
    counts: IntArray, columns: Mapping[str, CategoryColumn], mechanism_record: MechanismRecord
) -> MechanismResult:
    cells = np.arange(len(counts))
    if mechanism_record.publishes == "counts":
        return MechanismResult(columns_of(cells, columns), counts, mechanism_record)
    if counts.sum() > MOST_RECORDS:
        raise UsageError(
            f"the noisy counts add up to {counts.sum()} records, more than the {MOST_RECORDS} that are drawn; publish "
            "the counts, promise a larger epsilon, or publish fewer columns"
        )
    return MechanismResult(columns_of(np.repeat(cells, counts), columns), None, mechanism_record)
