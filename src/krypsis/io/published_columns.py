"""What the columns of a recoded table are published as; the same on every engine."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from krypsis.arrays import CodeArray
from krypsis.data.hierarchies.base import TOP, Hierarchy, Label
from krypsis.data.recoding import CellRecoding, FrequencySet
from krypsis.data.schema import Role, Schema


def published_names(columns: Iterable[str], schema: Schema) -> list[str]:
    """Return the columns that may be published, in their order.

    Examples
    --------
    >>> published_names(["name", "age", "note"], Schema.of({"name": "identifier", "age": "quasi-identifier"}))
    ['age']
    """
    roles = schema.roles
    return [name for name in columns if name in roles and roles[name] is not Role.IDENTIFIER]


@dataclass(frozen=True, eq=False)
class PublishedAttribute:
    """The labels that a quasi-identifier is published with, all different, and the place of each tuple's label."""

    labels: tuple[Label, ...]
    released: CodeArray
    hierarchy: Hierarchy
    codes: CodeArray
    """The value of each tuple before, by its code in the hierarchy."""

    @classmethod
    def of(cls, name: str, cells: CellRecoding, frequency: FrequencySet, *, show_hidden: bool) -> "PublishedAttribute":
        """Return what a quasi-identifier is published as; suppressed records go to the top where they are shown."""
        position = frequency.attributes.index(name)
        hierarchy, released = frequency.hierarchies[position], cells.released[:, position]
        labels = cells.codebooks[position].labels
        if show_hidden and cells.suppressed.any():
            top = hierarchy.labels[-1][0] if hierarchy.height else TOP
            # A label that others are published with, too, stays one: nobody may see who was suppressed.
            labels = labels if top in labels else (*labels, top)
            released = np.where(cells.suppressed, np.int32(labels.index(top)), released)
        return cls(labels, released, hierarchy, frequency.codes[:, position])

    @cached_property
    def is_unchanged(self) -> bool:
        """Whether every tuple is published with its own value."""
        code_of = {label: code for code, label in enumerate(self.labels)}
        own = np.array([code_of.get(value, -1) for value in self.hierarchy.values], dtype=np.int32)
        return bool((own[self.codes] == self.released).all())


def one_form_per_value(column: pl.Series) -> pl.Series:
    """Return a column so that values which count as equal are published alike: NaN as missing, -0.0 as 0.0.

    Examples
    --------
    >>> one_form_per_value(pl.Series([float("nan"), -0.0, 2.5])).to_list()
    [None, 0.0, 2.5]
    """
    if not column.dtype.is_float():
        return column
    return column.fill_nan(None).set((column == 0).fill_null(value=False), 0.0)
