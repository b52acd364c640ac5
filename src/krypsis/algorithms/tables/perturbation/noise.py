"""Noise: a random number is added to, or multiplied with, every value."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from krypsis.algorithms.tables.base import Perturbation
from krypsis.algorithms.tables.perturbation.cells import numbers
from krypsis.arrays import FloatArray
from krypsis.data.columns import AnyColumn, NumericColumn
from krypsis.errors import UsageError


class Noise(Perturbation):
    """Every number gets a random one on top: nobody's exact value is published, means and shapes stay close.

    Notes
    -----
    The random numbers have mean 0, so means stay in expectation. The variance grows by that of the noise: a share of
    0.1 adds 1 % to it. A recipient who knows the share takes it away again, ``Var(before) = Var(after) / (1 +
    share²)``, and ``keep_variance`` does so record by record. The values are rounded to the decimals of the column.

    Multiplied noise turns ``x`` into ``x · (1 + r)`` with ``r`` of standard deviation ``share``: large values change
    more, and 0 stays 0.

    Examples
    --------
    >>> ages = NumericColumn("age", np.array([20.0, 30, 40, np.nan]))
    >>> Noise(share=0.5).perturb({"age": ages}, np.random.default_rng(1))["age"].values.round(1)
    array([21.4, 33.4, 41.3,  nan])
    """

    name: ClassVar[str] = "noise"
    works_on: ClassVar[Literal["numbers", "categories", "both"]] = "numbers"
    guarantee: ClassVar[str] = (
        "This release promises nothing about groups: the numbers carry random noise, rounded as they are written, so "
        "none need be exact. A value far from all others still stands out, a record whose other values are known can "
        "still be found, and who knows how the noise was made can estimate the original distribution."
    )
    reference: ClassVar[str] = "Kim, A method for limiting disclosure in microdata based on random noise, ASA 1986"

    operation: Literal["add", "multiply"] = Field(
        default="add", description="whether the noise is added, or multiplied with the value"
    )
    distribution: Literal["normal", "uniform", "laplace"] = Field(
        default="normal", description="how the noise is distributed"
    )
    share: float = Field(
        default=0.1,
        gt=0,
        le=100,
        description="standard deviation of the noise, as a share of that of the column (of 1 if multiplied)",
    )
    deviation: float | None = Field(
        default=None, gt=0, le=1e300, description="standard deviation of the noise itself, instead of a share"
    )
    correlated: bool = Field(
        default=False, description="whether the noise of the columns is correlated as their values are"
    )
    keep_variance: bool = Field(
        default=False, description="whether to shrink the result so that mean and variance of each column stay"
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.deviation is not None and "share" in self.model_fields_set:
            raise ValueError("noise takes a share or a deviation, not both; remove one of them")
        if self.operation == "multiply" and (self.deviation is not None or self.correlated):
            raise ValueError("noise that is multiplied takes a share, and no deviation or correlation; remove those")
        if self.correlated and self.deviation is not None:
            raise ValueError("correlated noise is a share of the columns' own covariance; give a share, no deviation")
        return self

    def perturb(self, columns: Mapping[str, AnyColumn], rng: np.random.Generator) -> Mapping[str, AnyColumn]:
        chosen = numbers(columns)
        for column in chosen:
            self._refuse_unchangeable(column)
        noise = _standard(self.distribution, (len(chosen), len(chosen[0].values)), rng)
        noise = _correlated(chosen, noise) if self.correlated else noise
        changed = [self._with_noise(column, row) for column, row in zip(chosen, noise, strict=True)]
        if self.keep_variance:
            changed = [_shrunk(before, after) for before, after in zip(chosen, changed, strict=True)]
        return {column.name: column for column in changed}

    def _with_noise(self, column: NumericColumn, noise: FloatArray) -> NumericColumn:
        if self.operation == "multiply":
            return replace(column, values=column.values * (1 + self.share * noise))
        if self.correlated:
            return replace(column, values=column.values + self.share * noise)
        scale = self.share * float(np.nanstd(column.values)) if self.deviation is None else self.deviation
        return replace(column, values=column.values + scale * noise)

    def _refuse_unchangeable(self, column: NumericColumn) -> None:
        """Refuse a column that would stay as it is, which nobody who asks for noise expects."""
        constant = np.nanmin(column.values) == np.nanmax(column.values)
        if constant and (self.keep_variance or (self.operation == "add" and self.deviation is None)):
            raise UsageError(
                f"column {column.name!r} has the same number in every record, so noise in proportion to its spread "
                "would change nothing; leave it out, or say how large the noise is: deviation=… without keep_variance"
            )
        if self.operation == "multiply" and not np.nan_to_num(column.values).any():
            raise UsageError(f"column {column.name!r} holds nothing but 0, which no factor changes; leave it out")


def _standard(distribution: str, shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Return random numbers of mean 0 and variance 1."""
    if distribution == "uniform":
        return rng.uniform(-np.sqrt(3), np.sqrt(3), shape)
    if distribution == "laplace":
        return rng.laplace(0, np.sqrt(0.5), shape)
    return rng.standard_normal(shape)


def _correlated(columns: Sequence[NumericColumn], noise: FloatArray) -> FloatArray:
    """Return the noise with the covariance of the records that lack nothing."""
    values = np.stack([column.values for column in columns])
    complete = values[:, ~np.isnan(values).any(axis=0)]
    if complete.shape[1] < 2:
        raise UsageError(
            "correlated noise needs two records or more with a number in each of the columns "
            f"{', '.join(column.name for column in columns)}; leave out a column, or set correlated=false"
        )
    # A square root of the covariance matrix turns independent noise into correlated noise.
    powers, directions = np.linalg.eigh(np.atleast_2d(np.cov(complete, bias=True)))
    root: FloatArray = (directions * np.sqrt(np.maximum(powers, 0))) @ noise
    return root


def _shrunk(before: NumericColumn, after: NumericColumn) -> NumericColumn:
    """Return the values moved and shrunk so that mean and variance are what they were."""
    factor = np.nanstd(before.values) / np.nanstd(after.values)
    values = np.nanmean(before.values) + (after.values - np.nanmean(after.values)) * factor
    return replace(after, values=values)
