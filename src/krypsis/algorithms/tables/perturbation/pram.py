"""PRAM: the post-randomization method."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.base import Perturbation
from krypsis.algorithms.tables.perturbation.cells import categories
from krypsis.arrays import CodeArray, FloatArray
from krypsis.data.columns import AnyColumn, CategoryColumn
from krypsis.errors import UsageError, did_you_mean, shorten

Matrix = dict[str, dict[str, float]]
"""Category → the categories it becomes → their chances."""


def keeping(marginal: FloatArray, keep: float) -> FloatArray:
    """Return the matrix that leaves a category alone with a chance, and else draws one as the data has them.

    The expected marginal is the one there was: ``keep · m + (1 - keep) · m``.

    Examples
    --------
    >>> keeping(np.array([0.75, 0.25]), 0.8)
    array([[0.95, 0.05],
           [0.15, 0.85]])
    """
    matrix: FloatArray = keep * np.eye(len(marginal)) + (1 - keep) * marginal[None, :]
    return matrix


def invariant(matrix: FloatArray, marginal: FloatArray) -> FloatArray:
    """Return a matrix close to the one given under which the expected marginal is the one there was.

    A first step by the matrix is followed by a step back, with the chance that a category came from another.

    Examples
    --------
    >>> marginal = np.array([0.75, 0.25])
    >>> marginal @ invariant(np.array([[0.9, 0.1], [0.3, 0.7]]), marginal)
    array([0.75, 0.25])
    """
    # Two-step invariant PRAM: the second step is the Bayes inverse of the first, so the marginal is a fixed point.
    joint = marginal[:, None] * matrix
    reached = joint.sum(axis=0)
    back = np.divide(joint, reached, out=np.zeros_like(joint), where=reached > 0).T
    stays: FloatArray = matrix @ back
    return stays


def given_matrix(name: str, labels: Sequence[str], rows: Mapping[str, Mapping[str, float]]) -> FloatArray:
    """Return a matrix a user wrote as an array over the categories of a column; see :data:`Matrix`.

    Raises
    ------
    UsageError
        if it lacks a category, names one that does not occur, or its chances do not add up to 1.
    """
    for label in (*rows, *(target for row in rows.values() for target in row)):
        if label not in labels:
            raise UsageError(
                f"the matrix of {name!r} names {label!r}, which does not occur; values: {shorten(labels, 20)}."
                f"{did_you_mean(label, labels)}"
            )
    if lacking := [label for label in labels if label not in rows]:
        raise UsageError(f"the matrix of {name!r} has no row for {shorten(map(repr, lacking))}; give each value one")
    matrix = np.array([[float(rows[label].get(target, 0)) for target in labels] for label in labels])
    for label, chances in zip(labels, matrix, strict=True):
        if (chances < 0).any() or not np.isclose(chances.sum(), 1, rtol=0, atol=1e-6):
            raise UsageError(
                f"the chances of {label!r} in the matrix of {name!r} must be from 0 to 1 and add up to 1, got "
                f"{shorten(f'{chance:g}' for chance in chances)}"
            )
    normalized: FloatArray = matrix / matrix.sum(axis=1, keepdims=True)
    return normalized


class Pram(Perturbation):
    """Every category becomes another with known chances: whether a published one is true stays open.

    Notes
    -----
    With chance ``keep`` a value stays; else it is drawn anew from the values of the column, as often as they occur
    there (so it may be drawn itself). Such a matrix is invariant: the number of records per category is in expectation
    what it was. A matrix of your own is made invariant by a second step, unless ``invariant`` is off; it is not stated
    in the release, so publish it yourself where analysts are to correct for it.

    Examples
    --------
    >>> sex = CategoryColumn("sex", np.array([0, 0, 1, 1], dtype=np.int32), ("f", "m"))
    >>> Pram(keep=0.5).matrix(sex)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """

    name: ClassVar[str] = "pram"
    works_on: ClassVar[Literal["numbers", "categories", "both"]] = "categories"
    guarantee: ClassVar[str] = (
        "This release promises nothing about groups: each changed category is what it was only with a certain chance, "
        "so no single one proves anything. A category that only one person has still shows that this person may be in "
        "the data, several columns together can point to a record, and who knows the chances can estimate the original "
        "distribution."
    )
    reference: ClassVar[str] = (
        "Gouweleeuw, Kooiman, Willenborg, de Wolf, Post randomisation for statistical disclosure control, "
        "JOS 14(4), 1998"
    )
    unpublished: ClassVar[frozenset[str]] = frozenset({"seed", "matrices"})

    keep: float = Field(default=0.8, ge=0, lt=1, description="chance that a value is not drawn anew")
    matrices: dict[str, Matrix] = Field(
        default_factory=dict, description="column → value → the values it becomes, with their chances; instead of keep"
    )
    invariant: bool = Field(default=True, description="whether a matrix that is given is made to keep the marginal")

    def perturb(self, columns: Mapping[str, AnyColumn], rng: np.random.Generator) -> Mapping[str, AnyColumn]:
        chosen = categories(columns)
        for name in self.matrices:
            if name not in columns:
                raise UsageError(
                    f"a matrix is given for {name!r}, which is not changed; changed columns: {', '.join(columns)}."
                    f"{did_you_mean(name, columns)}"
                )
        return {column.name: self._randomized(column, rng) for column in chosen}

    def matrix(self, column: CategoryColumn) -> FloatArray:
        """Return the chances with which each value of a column that is not missing becomes another."""
        labels = [label for label in column.labels if label is not None]
        counts = np.bincount(column.codes, minlength=len(column.labels))[[label is not None for label in column.labels]]
        marginal = counts / counts.sum()
        if column.name not in self.matrices:
            return keeping(marginal, self.keep)
        matrix = given_matrix(column.name, labels, self.matrices[column.name])
        return invariant(matrix, marginal) if self.invariant else matrix

    def _randomized(self, column: CategoryColumn, rng: np.random.Generator) -> CategoryColumn:
        places = np.array([place for place, label in enumerate(column.labels) if label is not None], dtype=np.int32)
        if len(places) < 2:
            raise UsageError(
                f"column {column.name!r} has the same value in every record, so none can become another; leave it out"
            )
        if column.name not in self.matrices:
            return replace(column, codes=self._drawn_anew(column, places, rng))
        codes, limits = column.codes.copy(), np.cumsum(self.matrix(column), axis=1)
        draws = rng.random(len(codes))
        for row, place in enumerate(places):
            records = np.flatnonzero(column.codes == place)
            drawn = np.searchsorted(limits[row], draws[records], side="right")
            codes[records] = places[np.minimum(drawn, len(places) - 1)]
        return replace(column, codes=codes)

    def _drawn_anew(self, column: CategoryColumn, places: CodeArray, rng: np.random.Generator) -> CodeArray:
        """Apply the matrix of ``keep`` without writing it down, which a column of many values has no room for."""
        known = np.flatnonzero(np.isin(column.codes, places))
        drawn = known[rng.random(len(known)) >= self.keep]
        codes = column.codes.copy()
        codes[drawn] = column.codes[known[rng.integers(len(known), size=len(drawn))]]
        return codes
