"""Minimal nodes: those that keep the promises while none below them does."""

from __future__ import annotations

import numpy as np
import polars as pl

from krypsis.algorithms.tables.lattice.lattice import Lattice
from krypsis.arrays import BoolArray


def with_minimal(nodes: pl.DataFrame, lattice: Lattice) -> pl.DataFrame:
    """Return a table of nodes, in the order of their levels, that says which are minimal.

    Of a lattice that was not judged as a whole nobody knows; then the column is empty.
    """
    complete = nodes.height == lattice.size
    found = minimal_nodes(lattice, nodes["feasible"].to_numpy()) if complete else [None] * nodes.height
    place = nodes.get_column_index("feasible") + 1
    return nodes.clone().insert_column(place, pl.Series("minimal", found, dtype=pl.Boolean))


def minimal_nodes(lattice: Lattice, feasible: BoolArray) -> BoolArray:
    """Say of every node of a lattice, in the order of their levels, whether it is feasible and no node below it is.

    With k-anonymity these are Samarati's k-minimal generalizations. Nothing is assumed about what lies above a
    feasible node.

    Examples
    --------
    >>> minimal_nodes(Lattice((0, 0), (1, 2)), np.array([False, False, True, False, True, True])).tolist()
    [False, False, True, False, True, False]
    """
    shape = [high - low + 1 for low, high in zip(lattice.lowest, lattice.highest, strict=True)]
    here = feasible.reshape(shape)
    at_or_below = here.copy()
    for axis in range(len(shape)):
        at_or_below = np.logical_or.accumulate(at_or_below, axis=axis)
    below = np.zeros_like(here)
    for axis in range(len(shape)):
        np.moveaxis(below, axis, 0)[1:] |= np.moveaxis(at_or_below, axis, 0)[:-1]
    answer: BoolArray = (here & ~below).ravel()
    return answer
