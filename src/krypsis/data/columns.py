"""Columns as arrays: what a perturbation changes."""

from dataclasses import dataclass

from krypsis.arrays import CodeArray, FloatArray
from krypsis.data.hierarchies.base import Label


@dataclass(frozen=True, eq=False)
class NumericColumn:
    """Numbers, one per record; ``nan`` where missing. ``decimals`` is how many digits after the point they have."""

    name: str
    values: FloatArray
    decimals: int = 0


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """One of a few labels per record, by its code; a missing value is the label ``None``."""

    name: str
    codes: CodeArray
    labels: tuple[Label, ...]


AnyColumn = NumericColumn | CategoryColumn
