"""Labels of vertices, generalized until enough vertices share each combination."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.data.hierarchies.base import TOP, Hierarchy

MOST_NODES = 4096
"""Up to so many combinations of levels, all are looked at."""


@dataclass(frozen=True, eq=False)
class GeneralizedLabels:
    """The attributes as they are published, and the number of each vertex's combination of labels."""

    attributes: pl.DataFrame
    number: IntArray
    levels: dict[str, tuple[int, int]]
    """Attribute → its level and the height of its hierarchy, where it was generalized."""

    def sentences(self) -> tuple[str, ...]:
        """Return what was generalized in plain words."""
        raised = [f"{name} to level {level} of {height}" for name, (level, height) in self.levels.items()]
        if not raised:
            return ()
        return (f"Labels were generalized until enough vertices share each combination: {', '.join(raised)}.",)


def generalize_labels(
    attributes: pl.DataFrame, vertices: int, names: Sequence[str], hierarchies: Mapping[str, Hierarchy], k: int
) -> GeneralizedLabels:
    """Generalize attributes, each to one level for all vertices, until ``k`` vertices share each combination.

    Of all combinations of levels that suffice, one with the least average share of the heights is taken; where there
    are too many to look at, the attribute with most values is generalized first, as Datafly does. An attribute without
    a hierarchy becomes ``*`` or stays as it is.

    Examples
    --------
    >>> jobs = Hierarchy.from_rows([["nurse", "health", "*"], ["doctor", "health", "*"], ["judge", "law", "*"]])
    >>> people = pl.DataFrame({"job": ["nurse", "doctor", "judge", "judge"]})
    >>> generalize_labels(people, 4, ["job"], {"job": jobs}, 2).attributes["job"].to_list()
    ['health', 'health', 'law', 'law']
    """
    if not names:
        return GeneralizedLabels(attributes, np.zeros(vertices, dtype=np.int64), {})
    columns = {name: attributes.get_column(name).cast(pl.String) for name in names}
    known = {name: _hierarchy(column, name, hierarchies) for name, column in columns.items()}
    codes = np.stack([_codes(columns[name], known[name]) for name in names], axis=1)
    tuples, number, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    number = number.reshape(-1)
    levels = _sufficient_levels([known[name] for name in names], tuples, counts, k)
    raised = {name: (level, known[name].height) for name, level in zip(names, levels, strict=True) if level}
    published = attributes.with_columns(
        pl.Series(name, np.array(known[name].column(level), dtype=object)[codes[:, place]].tolist(), dtype=pl.String)
        for place, (name, level) in enumerate(zip(names, levels, strict=True))
        if level
    )
    combined = _at_levels([known[name] for name in names], tuples, levels)
    return GeneralizedLabels(published, combined[number], raised)


def _hierarchy(column: pl.Series, name: str, hierarchies: Mapping[str, Hierarchy]) -> Hierarchy:
    values = column.unique(maintain_order=True).to_list()
    if name in hierarchies:
        return hierarchies[name].covering(values, name)
    return Hierarchy.from_columns([values, [TOP] * len(values)], name)


def _codes(column: pl.Series, hierarchy: Hierarchy) -> IntArray:
    distinct = column.unique(maintain_order=True)
    place = {value: code for code, value in enumerate(distinct.to_list())}
    table = np.array([hierarchy.code_of[value] for value in place], dtype=np.int64)
    return table[np.array([place[value] for value in column.to_list()], dtype=np.int64)]


def _at_levels(hierarchies: Sequence[Hierarchy], tuples: IntArray, levels: Sequence[int]) -> IntArray:
    """Return the number of the generalized combination of each tuple."""
    columns = [
        hierarchy.table[level][tuples[:, place]]
        for place, (hierarchy, level) in enumerate(zip(hierarchies, levels, strict=True))
    ]
    _, number = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    return number.reshape(-1).astype(np.int64)


def _sufficient_levels(hierarchies: Sequence[Hierarchy], tuples: IntArray, counts: IntArray, k: int) -> tuple[int, ...]:
    heights = [hierarchy.height for hierarchy in hierarchies]

    def suffices(levels: Sequence[int]) -> bool:
        return bool(np.bincount(_at_levels(hierarchies, tuples, levels), weights=counts).min() >= k)

    if prod(height + 1 for height in heights) <= MOST_NODES:
        nodes = product(*(range(height + 1) for height in heights))
        by_loss = sorted(
            nodes, key=lambda node: (sum(level / max(top, 1) for level, top in zip(node, heights, strict=True)), node)
        )
        return next(node for node in by_loss if suffices(node))
    levels = [0] * len(heights)
    while not suffices(levels):
        distinct = [
            len(np.unique(hierarchy.table[level][tuples[:, place]]))
            for place, (hierarchy, level) in enumerate(zip(hierarchies, levels, strict=True))
        ]
        levels[
            int(
                np.argmax(
                    [found if level < top else 0 for found, level, top in zip(distinct, levels, heights, strict=True)]
                )
            )
        ] += 1
    return tuple(levels)
