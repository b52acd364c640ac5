"""Differentially private answers to single questions: how many, how much, on average, which is most frequent.

Every answer costs a part of one budget and carries noise. Limits and possible values are given by the user, never taken
from the data: a limit that is the largest value in the table reveals that value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import polars as pl

from krypsis.algorithms.tables.mechanisms.base import MechanismInput, bounded
from krypsis.algorithms.tables.mechanisms.budget import PrivacyBudget, exact_epsilon
from krypsis.algorithms.tables.mechanisms.noise import RandomSource, choose, laplace_for
from krypsis.arrays import BoolArray
from krypsis.data.columns import CategoryColumn
from krypsis.errors import UsageError, column_not_found
from krypsis.io.columns import numeric_column
from krypsis.io.dataset import Dataset, persons_in
from krypsis.io.texts import text_of

__all__ = ["Answer", "PrivacyBudget", "Queries"]

Bounds = tuple[float, float]
Value = str | float | date | None
"""A value as the column has it, or as text; ``None`` is a missing value."""

Where = Mapping[str, Value] | None
"""Column → value that a record must have there."""


FINEST = 10**12
"""How many steps there may be from 0 to a bound: floating point numbers can still be distinguished then."""


@dataclass(frozen=True)
class Answer:
    """A number with noise. The noise is larger than ``margin`` in one answer of twenty, at most."""

    value: float
    epsilon: float
    margin: float


class Queries:
    """Answers questions about a table within a budget of differential privacy.

    Two tables are neighbors if one has one record more; with ``person``, if one has all records of one person more. Of
    every person at most ``records_per_person`` records count, drawn once by chance.

    Parameters
    ----------
    data
        a table in any form that :func:`krypsis.anonymize` takes.
    budget
        what all answers together may cost.
    person
        the column that says whom a record belongs to; every record is somebody's own unless given.
    records_per_person
        how many records of each person count.
    source
        where chance comes from; unpredictable unless a test brings its own bits.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"sex": ["f"] * 600 + ["m"] * 400, "pay": [1200.5] * 1000})
    >>> queries = Queries(table, PrivacyBudget(epsilon=1))
    >>> answer = queries.count(0.25, where={"sex": "f"})
    >>> abs(answer.value - 600) < 200, answer.margin
    (True, 12)
    >>> queries.most_frequent("sex", ["f", "m", "x"], 0.25)
    'f'
    >>> queries.budget.remaining
    (0.5, 0.0)
    """

    def __init__(
        self,
        data: Any,
        budget: PrivacyBudget,
        *,
        person: str | None = None,
        records_per_person: int = 1,
        source: RandomSource | None = None,
    ) -> None:
        whole = isinstance(records_per_person, int) and not isinstance(records_per_person, bool)
        if not whole or records_per_person < 1 or (records_per_person > 1 and person is None):
            raise UsageError(
                "records_per_person is a whole number from 1 on, and beyond 1 the column that distinguishes people "
                f"must be named: person='patient_id'; got records_per_person={records_per_person!r}, person={person!r}"
            )
        self.budget = budget
        self._source = RandomSource() if source is None else source
        self._most = records_per_person
        dataset = Dataset.of(data)
        self._dataset = dataset if person is None else _bounded(dataset, person, records_per_person, self._source)

    def count(self, epsilon: float, where: Where = None) -> Answer:
        """Return how many records there are, or how many have certain values (``None`` is a missing value)."""
        matching = int(self._matching(where).sum())
        return self._answer(f"count of {_in_words(where)}", matching, self._most, exact_epsilon(epsilon))

    def counts(self, column: str, values: Sequence[Value], epsilon: float) -> dict[Value, Answer]:
        """Return how many records have each of the values; they share one price, since no record has two of them.

        ``values`` are all that the column could have; records with others are not counted. Two ways to write the same
        value, such as 1 and "1", are refused: a record would be counted twice for the price of once.
        """
        part = exact_epsilon(epsilon)
        noise, found = laplace_for(part, self._most), self._frequencies(column, values)
        self.budget.spend_in_parallel(f"counts of {column}", dict.fromkeys(map(str, found), part))
        margin = noise.margin(0.95)
        return {value: Answer(count + noise.draw(self._source), float(part), margin) for value, count in found.items()}

    def sum(self, column: str, bounds: Bounds, epsilon: float, *, step: float = 1, where: Where = None) -> Answer:
        """Return the sum of a column of numbers.

        Numbers beyond the bounds count as the bounds, and all are rounded to multiples of ``step``; missing ones do not
        count. One record changes the sum by the larger of the bounds at most, and the noise is chosen for that.
        """
        steps, grid = self._steps(column, bounds, step, where)
        sensitivity = max(abs(grid.low), abs(grid.high)) * self._most
        what = f"sum of {column} of {_in_words(where)}"
        return self._answer(what, sum(steps), sensitivity, exact_epsilon(epsilon), grid.unit)

    def mean(self, column: str, bounds: Bounds, epsilon: float, *, step: float = 1, where: Where = None) -> float:
        """Return the mean of a column of numbers, within the bounds.

        Half of the price is for the number of records that have a number, half for the sum of the distances from the
        middle of the bounds, which needs less noise than the sum itself.
        """
        steps, grid = self._steps(column, bounds, step, where)
        half = exact_epsilon(epsilon) / 2
        noises = laplace_for(half, (grid.high - grid.low) * self._most), laplace_for(half, self._most)
        self.budget.spend(f"mean of {column} of {_in_words(where)}", 2 * half)
        # Twice the distance from the middle is a whole number: 2x - (low + high).
        ends = grid.low + grid.high
        centered_sum = 2 * sum(steps) - ends * len(steps)
        above, count = (
            noise.draw(self._source) + true for noise, true in zip(noises, (centered_sum, len(steps)), strict=True)
        )
        mean = Fraction(ends, 2) + Fraction(above, 2 * max(1, count))
        return float(min(max(mean, Fraction(grid.low)), Fraction(grid.high)) * grid.unit)

    def most_frequent(self, column: str, values: Sequence[Value], epsilon: float) -> Value:
        """Return one of the values, most likely one that many records have (the exponential mechanism)."""
        found = self._frequencies(column, values)
        part = exact_epsilon(epsilon)
        self.budget.spend(f"most frequent {column}", part)
        return list(found)[choose(list(found.values()), part, self._most, self._source)]

    def _answer(
        self, what: str, true: int, sensitivity: int, epsilon: Fraction, unit: Fraction = Fraction(1)
    ) -> Answer:
        noise = laplace_for(epsilon, sensitivity)
        self.budget.spend(what, epsilon)
        value, margin = (true + noise.draw(self._source)) * unit, noise.margin(0.95) * unit
        return Answer(_number(value), float(epsilon), _number(margin))

    def _matching(self, where: Where) -> BoolArray:
        matching = np.ones(self._dataset.rows, dtype=np.bool_)
        for column, value in (where or {}).items():
            texts = self._dataset.collect_texts(column)
            text = _text(value)
            same = texts.is_null() if text is None else (texts == text).fill_null(value=False)
            matching &= same.to_numpy()
        return matching

    def _frequencies(self, column: str, values: Sequence[Value]) -> dict[Value, int]:
        if isinstance(values, str) or not values:
            raise UsageError(f"the values that {column!r} could have must be a list with at least one, got {values!r}")
        meant: dict[str | None, Value] = {}
        for value in values:
            other = meant.setdefault(_text(value), value)
            if type(other) is not type(value):
                raise UsageError(f"{other!r} and {value!r} are the same value of {column!r}; name each value once")
        return {value: int(self._matching({column: value}).sum()) for value in meant.values()}

    def _steps(self, column: str, bounds: Bounds, step: float, where: Where) -> "tuple[list[int], _Grid]":
        """Return the numbers that are not missing as multiples of the step, within the bounds."""
        if column not in self._dataset.columns:
            raise column_not_found(column, self._dataset.columns)
        grid = _Grid.of(bounds, step)
        numbers = numeric_column(self._dataset.collect_column(column)).values[self._matching(where)]
        steps = np.rint(numbers[~np.isnan(numbers)] / float(grid.unit))
        return np.clip(steps, grid.low, grid.high).astype(np.int64).tolist(), grid


def _bounded(dataset: Dataset, person: str, most: int, source: RandomSource) -> Dataset:
    persons = persons_in(dataset, person)
    everybody = {"": CategoryColumn("", np.zeros(len(persons), dtype=np.int32), ("",))}
    kept = bounded(MechanismInput(everybody, persons), most, source)
    return dataset.with_rows(dataset.collect()[kept])


@dataclass(frozen=True)
class _Grid:
    """Bounds in steps, and the step."""

    low: int
    high: int
    unit: Fraction

    @classmethod
    def of(cls, bounds: Bounds, step: float) -> "_Grid":
        try:
            low, high = (Fraction(str(bound)) for bound in bounds)
            unit = Fraction(str(step))
        except (TypeError, ValueError):
            raise UsageError(
                f"bounds are two numbers such as (0, 120) and step is one, got bounds={bounds!r} and step={step!r}; "
                "choose them by what could be, not by the data"
            ) from None
        if unit <= 0 or ceil(low / unit) >= floor(high / unit) or max(abs(low), abs(high)) / unit > FINEST:
            raise UsageError(
                f"bounds must ascend, with one step to {FINEST:.0e} steps between them, got bounds={bounds!r} and "
                f"step={step!r}"
            )
        return cls(ceil(low / unit), floor(high / unit), unit)


def _text(value: Value) -> str | None:
    """Return a value as columns are compared: True is ``true`` there, and 1.0 is ``1``."""
    if value is None or isinstance(value, str):
        return value
    text: str | None = text_of(pl.Series([value]))[0]
    return text


def _number(exact: Fraction) -> float:
    return int(exact) if exact.denominator == 1 else float(exact)


def _in_words(where: Where) -> str:
    return ", ".join(f"{column}={value}" for column, value in where.items()) if where else "all records"
