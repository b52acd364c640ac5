"""Functional dependencies that hold in a table: which columns determine another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.dependencies.cells import MISSING, Cells
from krypsis.data.dependencies.rules import FunctionalDependency

SAMPLE = 2_000
"""Records that most candidates are refuted by."""
MOST_PAIRS = 15
"""Of more columns, no pairs are tried as left sides."""
FEWEST_DETERMINED = 0.02
"""The share of the records whose value another record reveals, from which on a dependency matters."""


@dataclass(frozen=True)
class FoundDependency:
    """A dependency without exceptions in the data."""

    rule: FunctionalDependency
    determined: int
    """Records whose value follows from another record."""


def discover_dependencies(cells: Cells, columns: Sequence[str] | None = None) -> list[FoundDependency]:
    """Return the functional dependencies with one or two columns on the left, those of most records first.

    Left sides that name single records determine everything and reveal nothing, and are left out; so are columns with
    one value on the right, and pairs of which one column is enough.

    References
    ----------
    Huhtala, Kärkkäinen, Porkka, Toivonen, TANE: an efficient algorithm for discovering functional and approximate
    dependencies, The Computer Journal 42(2), 1999.

    Examples
    --------
    >>> import polars as pl
    >>> from krypsis.data.dependencies.cells import ColumnCells
    >>> table = pl.DataFrame({"zip": ["1", "1", "2", "3"], "city": ["A", "A", "B", "B"]})
    >>> cells = {name: ColumnCells.of(table[name]) for name in table.columns}
    >>> [found.rule.text for found in discover_dependencies(cells)]
    ['zip -> city']
    """
    names = [name for name in (cells if columns is None else columns) if len(cells[name].values) > 1]
    known: dict[str, list[tuple[str, ...]]] = {name: [] for name in names}
    found: list[FoundDependency] = []
    for left in _left_sides(names):
        codes = _combined([cells[name].codes for name in left])
        if not _repeats(codes):
            continue
        for right in names:
            if right in left or any({*smaller} <= {*left} for smaller in known[right]):
                continue
            determined = _determined(codes, cells[right].codes)
            if determined >= max(FEWEST_DETERMINED * len(codes), 2):
                known[right].append(left)
                found.append(FoundDependency(FunctionalDependency(left, right), determined))
    return sorted(found, key=lambda one: (len(one.rule.left), -one.determined, one.rule.text))


def _left_sides(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    yield from ((name,) for name in names)
    if len(names) <= MOST_PAIRS:
        yield from combinations(names, 2)


def _combined(columns: Sequence[IntArray]) -> IntArray:
    """Return one number for the values of several columns, -1 where one is missing."""
    codes = columns[0]
    for more in columns[1:]:
        joined = codes * (more.max(initial=0) + 1) + more
        codes = np.where((codes == MISSING) | (more == MISSING), MISSING, joined)
    return codes


def _repeats(codes: IntArray) -> bool:
    """Say whether enough records have the value of another one."""
    there = codes[codes != MISSING]
    return len(there) - len(np.unique(there)) >= FEWEST_DETERMINED * len(codes)


def _determined(left: IntArray, right: IntArray) -> int:
    """Return how many records have their right value in common with another record by the left one; 0 if not all do."""
    for part in (slice(SAMPLE), slice(None)):
        is_known = (left[part] != MISSING) & (right[part] != MISSING)
        x, y = left[part][is_known], right[part][is_known]
        order = np.argsort(x, kind="stable")
        x, y = x[order], y[order]
        same = x[1:] == x[:-1]
        if (same & (y[1:] != y[:-1])).any():
            return 0
    # The first record of each value is determined, too, where there is a second.
    is_second = same & ~np.concatenate([[False], same[:-1]]) if len(same) else same
    return int(same.sum() + is_second.sum())
