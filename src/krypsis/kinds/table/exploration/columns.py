"""The names of columns in a table of nodes; the prefixes keep an attribute called ``groups`` apart from the figure."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from krypsis.algorithms.tables.lattice.rollup import Levels

LEVEL, METRIC, ACHIEVED = "level:", "metric:", "achieved:"


def level_columns(attributes: Sequence[str], nodes: Sequence[Levels]) -> dict[str, pl.Series]:
    """Return one column per attribute with its level at each node.

    Examples
    --------
    >>> {name: column.to_list() for name, column in level_columns(["age", "sex"], [(0, 1), (2, 0)]).items()}
    {'level:age': [0, 2], 'level:sex': [1, 0]}
    """
    return {
        LEVEL + name: pl.Series([levels[position] for levels in nodes], dtype=pl.Int64)
        for position, name in enumerate(attributes)
    }
