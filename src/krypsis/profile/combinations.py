"""The combinations of columns that tell the most records apart."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

KEY_SPACE = 2**62
WORK = 40_000_000
"""How many records are grouped for all combinations of one size; the most telling combinations come first."""
FEWEST = 20
"""How many combinations of one size are looked at in any case."""


@dataclass(frozen=True)
class Combination:
    """How well some columns together tell records apart."""

    columns: tuple[str, ...]
    unique_share: float
    """The share of records that are alone with their values."""
    smallest_group: int
    groups: int
    separation: float
    """The share of pairs of records that differ in at least one of the columns."""


@dataclass(frozen=True)
class Encoded:
    """A column as codes from 0 to ``size - 1``."""

    codes: npt.NDArray[np.int32]
    size: int
    entropy: float


def measure(names: Sequence[str], columns: Mapping[str, Encoded]) -> Combination:
    """Group the records by the columns and say how small the groups are.

    Examples
    --------
    >>> age = Encoded(np.array([0, 0, 1], dtype=np.int32), 2, 0.92)
    >>> measure(["age"], {"age": age})
    Combination(columns=('age',), unique_share=0.333..., smallest_group=1, groups=2, separation=0.666...)
    """
    sizes = _group_sizes([columns[name] for name in names])
    rows = int(sizes.sum())
    alike = int((sizes * (sizes - 1)).sum())
    return Combination(
        columns=tuple(names),
        unique_share=int(np.count_nonzero(sizes == 1)) / rows,
        smallest_group=int(sizes.min()),
        groups=len(sizes),
        separation=1.0 - alike / (rows * (rows - 1)) if rows > 1 else 0.0,
    )


def most_identifying(columns: Mapping[str, Encoded], size: int, rows: int) -> tuple[list[Combination], int]:
    """Return the combinations of ``size`` columns, most identifying first, and how many were looked at.

    Large tables are not sampled, since a record that is alone in a sample need not be alone in the table; instead only
    the combinations with the most information are looked at.
    """
    possible = sorted(
        itertools.combinations(columns, size),
        key=lambda names: -sum(columns[name].entropy for name in names),
    )
    chosen = possible[: max(FEWEST, WORK // rows)]
    measured = [measure(names, columns) for names in chosen]
    measured.sort(key=lambda found: (-found.unique_share, found.smallest_group, -found.separation))
    return measured, len(chosen)


def _group_sizes(columns: Sequence[Encoded]) -> npt.NDArray[np.int64]:
    keys, space = columns[0].codes.astype(np.int64), columns[0].size
    for column in columns[1:]:
        if space * column.size >= KEY_SPACE:
            keys = np.unique(keys, return_inverse=True)[1]
            space = int(keys.max()) + 1
        keys, space = keys * column.size + column.codes, space * column.size
    if space <= 4 * len(keys) + 1000:
        counted = np.bincount(keys, minlength=1)
        return counted[counted > 0]
    ordered = np.sort(keys.astype(np.uint32) if space < 2**32 else keys)
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1], [True])))
    return np.diff(starts)
