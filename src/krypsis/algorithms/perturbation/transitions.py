"""Transition matrices: with which chance a category becomes which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from krypsis.arrays import FloatArray
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
