"""Solutions: all nodes of the lattice that keep the promises within the limits."""

from __future__ import annotations

from dataclasses import dataclass

from krypsis.algorithms.rollup import Levels


@dataclass(frozen=True)
class Solutions:
    """Nodes as vectors of levels, in lexicographic order."""

    nodes: tuple[Levels, ...] = ()
    """All that keep the promises within the limits."""
    minimal: tuple[Levels, ...] = ()
    """Those of them that have no other below them."""
