"""Random numbers that nobody can repeat who does not have the data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.columns import AnyColumn, NumericColumn
from krypsis.frequency import FrequencySet


def generator(seed: int, hidden: Iterable[bytes]) -> np.random.Generator:
    """Return random numbers that follow from a seed and from what is not published.

    People write ``seed: 42``. If the numbers followed from the seed alone, who tries small ones could take the noise
    away again, or put the values of a group back where they belong.

    Examples
    --------
    >>> generator(42, [b"flu", b"hiv"]).integers(1000) == generator(42, [b"flu", b"hiv"]).integers(1000)
    np.True_
    >>> generator(42, [b"flu", b"hiv"]).integers(1000) == generator(42, [b"hiv", b"flu"]).integers(1000)
    np.False_
    """
    digest = hashlib.sha256()
    for part in hidden:
        digest.update(len(part).to_bytes(8, "little") + part)
    return np.random.default_rng([seed, *np.frombuffer(digest.digest(), dtype="<u4").tolist()])


def hidden_in_columns(columns: Iterable[AnyColumn]) -> Iterable[bytes]:
    """Yield the values of columns before they are changed."""
    for column in columns:
        if isinstance(column, NumericColumn):
            yield column.values.tobytes()
        else:
            yield from _coded(column.labels, column.codes)


def hidden_in_groups(frequency: FrequencySet) -> Iterable[bytes]:
    """Yield whose sensitive value is which, in whatever order the records were."""
    for histogram in frequency.sensitive.values():
        by_record = np.argsort(histogram.group, kind="stable")
        yield from _coded(histogram.domain.values, histogram.value[by_record])


def _coded(labels: Iterable[object], codes: IntArray | CodeArray) -> Iterable[bytes]:
    yield repr(tuple(labels)).encode()
    yield codes.astype("<i8").tobytes()
