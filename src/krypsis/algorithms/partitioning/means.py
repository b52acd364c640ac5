"""The mean of each group beside its range: good for sums and averages, and more than a range tells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from krypsis.algorithms.boxes import Axis
from krypsis.algorithms.boxes.coordinates import TimeUnit
from krypsis.arrays import CodeArray, FloatArray
from krypsis.frequency import FrequencySet
from krypsis.recoding import CellRecoding, Codebook

DIGITS = 12
"""Means are rounded to so many digits: enough that sums of whole numbers can be had back, and no more."""


def with_means(
    recoding: CellRecoding, frequency: FrequencySet, axes: Sequence[Axis], group_of: CodeArray
) -> CellRecoding:
    """Return the recoding with labels such as ``[20-23] (mean 21.5)``; all records of a group get the same."""
    groups, first = np.unique(group_of, return_index=True)
    sizes = np.bincount(group_of, frequency.counts)
    books, released = list(recoding.codebooks), recoding.released.copy()
    for place, axis in enumerate(axes):
        if axis.numbers is not None and axis.form == "range":
            start = axis.numbers[0]  # large numbers far from 0, such as times, would be summed with too few digits
            above = (axis.numbers[axis.rank_of[frequency.codes[:, place]]] - start) * frequency.counts
            means = start + (np.bincount(group_of, above) / sizes)[groups]
            text = _as_number if axis.unit is None else partial(_as_moment, unit=axis.unit)
            books[place], codes = _told(books[place], released[first, place], means, text)
            released[:, place] = codes[group_of]
    return CellRecoding(released, tuple(books), recoding.suppressed, recoding.trace, recoding.lower_bound)


def _told(
    book: Codebook, released: CodeArray, means: FloatArray, text: Callable[[float], str]
) -> tuple[Codebook, CodeArray]:
    """Return the codebook with one entry for each label and mean, and the code of each group in it.

    Single values and the top stay as they are.
    """
    is_range = book.leaves > 1
    is_range &= np.array([label is not None and label.endswith("]") for label in book.labels], dtype=np.bool_)
    pairs = np.stack([released.astype(np.float64), np.where(is_range[released], means, 0.0)])
    (old, mean), codes = np.unique(pairs, axis=1, return_inverse=True)
    chosen = old.astype(np.int64)
    labels = [
        f"{book.labels[code]} (mean {text(value)})" if is_range[code] else book.labels[code]
        for code, value in zip(chosen.tolist(), mean.tolist(), strict=True)
    ]
    told = Codebook(tuple(labels), book.starts[chosen], book.ends[chosen], book.values, book.climbed[chosen])
    return told, codes.astype(np.int32)


def _as_number(mean: float) -> str:
    return f"{mean:.{DIGITS}g}"


def _as_moment(mean: float, unit: TimeUnit) -> str:
    moment = str(np.datetime64(round(mean), unit))
    return moment.removesuffix(".000000")
