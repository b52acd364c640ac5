"""What the label of a vertex may be published as, and what that costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
import polars as pl

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.hierarchies.base import TOP, Hierarchy, Label

MOST_CHOICES = 24
"""With more combinations of levels, all attributes are lifted together."""


@dataclass(frozen=True, eq=False)
class LabelChoices:
    """The labels of all vertices, a row for each distinct one; columns are combinations of levels, up to the top."""

    names: tuple[str, ...]
    rows: IntArray
    """Vertex → the row of its label."""
    codes: IntArray
    """Row and column → the number of the published label."""
    costs: FloatArray
    """Row and column → NCP: the share of all values that the published ones stand for, 0 if unchanged."""
    published: dict[tuple[int, int], tuple[Label, ...]]

    def attributes(self, original: pl.DataFrame, columns: IntArray) -> pl.DataFrame:
        """Return the attributes with the labels of each vertex at its column."""
        texts = [self.published[row, column] for row, column in zip(self.rows.tolist(), columns.tolist(), strict=True)]
        lifted = bool(columns.any())
        return original.with_columns(
            pl.Series(name, [text[place] for text in texts], dtype=pl.String)
            for place, name in enumerate(self.names)
            if lifted
        )


def label_choices(
    attributes: pl.DataFrame, vertices: int, names: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> LabelChoices:
    """Return what labels can be lifted to; an attribute without a hierarchy becomes ``*``.

    Examples
    --------
    >>> jobs = Hierarchy.from_rows([["nurse", "health", "*"], ["doctor", "health", "*"], ["judge", "law", "*"]])
    >>> people = pl.DataFrame({"job": ["nurse", "doctor", "judge", "judge"]})
    >>> choices = label_choices(people, 4, ["job"], {"job": jobs})
    >>> choices.rows.tolist(), choices.costs.round(2).tolist()
    ([0, 1, 2, 2], [[0.0, 0.67, 1.0], [0.0, 0.67, 1.0], [0.0, 0.33, 1.0]])
    """
    columns = [attributes.get_column(name).cast(pl.String).to_list() for name in names]
    known = [_hierarchy(values, name, hierarchies) for name, values in zip(names, columns, strict=True)]
    tuples = list(zip(*columns, strict=True)) if names else [()] * vertices
    row_of = {label: row for row, label in enumerate(dict.fromkeys(tuples))}
    levels = _combinations([hierarchy.height for hierarchy in known])
    numbers: dict[tuple[Label, ...], int] = {}
    published = {}
    codes = np.zeros((len(row_of), len(levels)), dtype=np.int64)
    costs = np.zeros(codes.shape)
    for label, row in row_of.items():
        for column, chosen in enumerate(levels):
            parts = list(zip(known, label, chosen, strict=True))
            text = tuple(hierarchy.label(value, level) for hierarchy, value, level in parts)
            published[row, column] = text
            codes[row, column] = numbers.setdefault(text, len(numbers))
            costs[row, column] = sum(_ncp(hierarchy, value, level) for hierarchy, value, level in parts)
    rows = np.array([row_of[label] for label in tuples], dtype=np.int64)
    return LabelChoices(tuple(names), rows, codes, costs, published)


def _hierarchy(values: Sequence[Label], name: str, hierarchies: Mapping[str, Hierarchy]) -> Hierarchy:
    distinct = list(dict.fromkeys(values))
    if name in hierarchies:
        return hierarchies[name].covering(distinct, name)
    return Hierarchy.from_columns([distinct, [TOP] * len(distinct)], name)


def _combinations(heights: Sequence[int]) -> list[tuple[int, ...]]:
    if prod(height + 1 for height in heights) <= MOST_CHOICES:
        return list(product(*(range(height + 1) for height in heights)))
    return [tuple(min(level, height) for height in heights) for level in range(max(heights) + 1)]


def _ncp(hierarchy: Hierarchy, value: Label, level: int) -> float:
    if hierarchy.label(value, level) == value:
        return 0.0
    return float(hierarchy.leaves[level, hierarchy.code_of[value]]) / len(hierarchy.values)
