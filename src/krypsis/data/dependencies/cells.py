"""The cells of a column as texts, each different one once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, IntArray
from krypsis.data.dependencies.rules import Condition, Dependency, FunctionalDependency, SecretCells

MISSING = -1
"""The code of a cell that is blank."""


@dataclass(frozen=True, eq=False, repr=False)
class ColumnCells:
    """The values of a column, and which of them each record has.

    Examples
    --------
    >>> cells = ColumnCells.of(pl.Series(["a", None, "b", "a"]))
    >>> cells.values, cells.codes.tolist(), cells.are(["b"]).tolist()
    (('a', 'b'), [0, -1, 1, 0], [False, False, True, False])
    """

    values: tuple[str, ...]
    codes: IntArray
    """Place among the values; -1 where the cell is blank."""

    @classmethod
    def of(cls, texts: pl.Series) -> ColumnCells:
        """Return the cells of a column of texts."""
        plain = texts.rename("values")
        values = plain.drop_nulls().unique(maintain_order=True)
        codes = plain.cast(pl.Enum(values)).to_physical().cast(pl.Int64).fill_null(MISSING)
        return cls(tuple(values.to_list()), codes.to_numpy())

    def __len__(self) -> int:
        return len(self.codes)

    def are(self, wanted: Iterable[str]) -> BoolArray:
        """Return which cells have one of some values."""
        chosen = set(wanted)
        # The last entry is that of code -1.
        is_wanted = np.array([*(value in chosen for value in self.values), False])
        return is_wanted[self.codes]


Cells = Mapping[str, ColumnCells]


def meet(conditions: Sequence[Condition], cells: Cells) -> BoolArray:
    """Return which records meet all conditions."""
    found = [cells[one.column].are(one.values) for one in conditions]
    return np.asarray(np.logical_and.reduce(found), dtype=np.bool_)


def secret_records(secret: SecretCells, cells: Cells) -> BoolArray:
    """Return the records whose cell is secret."""
    if not secret.conditions:
        return np.ones(len(cells[secret.column]), dtype=np.bool_)
    return meet(secret.conditions, cells)


def violations(rule: Dependency, cells: Cells) -> int:
    """Return how many records contradict a rule; of a functional dependency, those that differ from most alike.

    Examples
    --------
    >>> cells = {"zip": ColumnCells.of(pl.Series(["1", "1", "1"])), "city": ColumnCells.of(pl.Series(["A", "A", "B"]))}
    >>> violations(FunctionalDependency(("zip",), "city"), cells)
    1
    """
    if any(name not in cells for name in (*rule.premises, rule.concluded)):
        return 0
    right = cells[rule.concluded]
    is_known = right.codes != MISSING
    if not isinstance(rule, FunctionalDependency):
        return int((meet(rule.conditions, cells) & is_known & ~right.are(rule.conclusion.values)).sum())
    left = np.stack([cells[name].codes for name in rule.left], axis=1)
    is_known &= (left != MISSING).all(axis=1)
    frame = pl.DataFrame({str(place): left[is_known, place] for place in range(left.shape[1])})
    counts = frame.with_columns(right=right.codes[is_known]).group_by(pl.all()).len("count")
    kept = counts.group_by([str(place) for place in range(left.shape[1])]).agg(pl.col("count").max())
    return int(is_known.sum()) - int(kept["count"].sum())
