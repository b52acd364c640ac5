"""What the state keeps of values that are published more generally than people are bound to them."""

from __future__ import annotations

import numpy as np
import polars as pl

from krypsis.algorithms.histories.base import Shown
from krypsis.algorithms.histories.families import first_nodes, level_and_code
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.arrays import IntArray
from krypsis.hierarchies.base import Hierarchy
from krypsis.history.encoding import signature_rows
from krypsis.history.state import State


def shown_of(state: State, signatures: Signatures, taxonomy: Hierarchy) -> Shown:
    """Return as what the entries of the signatures were published last, and how special they may become."""
    kept = state.frame(f"SELECT * FROM generalized WHERE version = {state.last}")  # noqa: S608  a number of ours
    if not kept.height:
        return Shown.exactly(signatures)
    known = signature_rows(signatures, taxonomy, 0).with_columns(slot=np.arange(len(signatures.nodes)))
    found = kept.join(known, on=["signature", "level", "label"], nulls_equal=True)
    slots = found.get_column("slot").to_numpy()
    nodes, lowest = (
        _raised(signatures.nodes, slots, found.get_column(name).to_numpy(), taxonomy) for name in ("shown", "lowest")
    )
    return Shown(nodes, lowest)


def shown_rows(signatures: Signatures, shown: Shown, taxonomy: Hierarchy, version: int) -> pl.DataFrame:
    """Return what the state keeps of a version: the entries that are, or have to be, more general than themselves."""
    is_general = np.maximum(shown.nodes, shown.lowest) > signatures.nodes
    every = signature_rows(signatures, taxonomy, 0)
    return every.with_columns(
        version=pl.lit(version, dtype=pl.Int32),
        shown=level_and_code(taxonomy, shown.nodes)[0].astype(np.int32),
        lowest=level_and_code(taxonomy, shown.lowest)[0].astype(np.int32),
    ).filter(pl.Series(is_general))


def _raised(nodes: IntArray, slots: IntArray, levels: IntArray, taxonomy: Hierarchy) -> IntArray:
    """Return the nodes with those of some slots replaced by the nodes above them at certain levels."""
    first = first_nodes(taxonomy)
    below = np.zeros(int(first[-1]), dtype=np.int64)
    below[first[:-1, None] + taxonomy.table] = np.arange(len(taxonomy.values))
    raised = nodes.copy()
    raised[slots] = first[levels] + taxonomy.table[levels, below[nodes[slots]]]
    return raised
