"""Columns of text as columns of numbers, in the same way before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from krypsis.arrays import FloatArray
from krypsis.data.hierarchies.base import TOP, Label
from krypsis.errors import UsageError
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.utility.tables import labels
from krypsis.metrics.scale import bounds_of


def scikit_learn(module: str) -> Any:
    """Return a module of scikit-learn.

    Raises
    ------
    UsageError
        if the extra is not installed.
    """
    try:
        return import_module(f"sklearn.{module}")
    except ModuleNotFoundError as error:
        raise UsageError(
            "trees and clusters need the utility extra (scikit-learn); install it: pip install 'krypsis[utility]', "
            "or pip install -e '.[utility]' in a clone"
        ) from error


MOST_LABELS = 50
"""A column of text becomes one column per label for so many labels, the most frequent ones; the others share one."""


def features(dataset: Dataset, columns: Sequence[str]) -> FloatArray:
    """Return the columns as numbers, one row per record.

    A column of numbers and intervals becomes the numbers and the middles of the intervals, ``*`` and missing values
    becoming "not a number". Any other column becomes one column per label, 1 where a record has it and 0 where not.
    """
    return np.hstack([_column(labels(dataset, column)) for column in columns])


def _column(values: Sequence[Label]) -> FloatArray:
    middles = {label: _middle(label) for label in set(values)}
    if any(middle is None for middle in middles.values()):
        return _indicators(values)
    return np.array([[middles[value]] for value in values], dtype=np.float64)


def _middle(label: Label) -> float | None:
    """Return the middle of an interval, "not a number" where nothing is published, ``None`` for other text."""
    if label is None or label == TOP:
        return np.nan
    bounds = bounds_of(label)
    if bounds is None:
        return None
    ends = [end for end in bounds if np.isfinite(end)]  # an open interval is known by its one end
    return sum(ends) / len(ends)


def _indicators(values: Sequence[Label]) -> FloatArray:
    counted = sorted(Counter(values).items(), key=lambda item: (-item[1], item[0] is None, item[0] or ""))
    place = {label: min(number, MOST_LABELS) for number, (label, _) in enumerate(counted)}
    table = np.zeros((len(values), max(place.values()) + 1))
    table[np.arange(len(values)), [place[value] for value in values]] = 1
    return table
