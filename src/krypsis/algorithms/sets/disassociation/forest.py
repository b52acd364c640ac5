"""Clusters as a forest that grows while neighbors are joined."""

from typing import NamedTuple

from krypsis.algorithms.sets.disassociation.horizontal_kernels import Together
from krypsis.arrays import BoolArray, CodeArray, IntArray


class Leaves(NamedTuple):
    """Simple clusters: ``rest[rest_starts[c]:rest_ends[c]]`` are the occurrences in a term chunk that may move."""

    sizes: IntArray
    needy: BoolArray
    """Whether its term chunk must not become empty."""
    terms_left: IntArray
    """How many items its term chunk has, with those that may not move."""
    rest: IntArray
    rest_starts: IntArray
    rest_ends: IntArray
    codes: CodeArray
    """Occurrence → item."""
    records: CodeArray
    """Occurrence → record."""
    shared: CodeArray
    """Occurrence → shared chunk, -1 for none."""


class Forest(NamedTuple):
    """The nodes: simple clusters, and joint ones from their number on; the leaves of a node are a chain."""

    records: IntArray
    head: IntArray
    tail: IntArray
    following: IntArray
    """Leaf → the next leaf of the same node, -1 at the end."""
    parents: IntArray
    refused: IntArray
    """Node → the node on its right with which it cannot be joined, as far as it has been tried."""
    chunk_nodes: IntArray
    """Shared chunk → its node."""
    used: IntArray
    """How many nodes and how many shared chunks there are."""


class RootItems(NamedTuple):
    """A list of items for each root, one after the other."""

    starts: IntArray
    items: CodeArray


class OpenItems(NamedTuple):
    """For each root, the items in the term chunks below it that may move."""

    starts: IntArray
    items: CodeArray
    counts: IntArray
    """How many records hold the item in a term chunk."""
    leaves: IntArray
    """How many term chunks have it."""
    records: IntArray
    """How many records the clusters of these term chunks have."""


class Wishes(NamedTuple):
    """What is promised, and what is wanted together."""

    k: int
    m: int
    hardened: bool
    together: Together


class Scratch(NamedTuple):
    """Numbers for each item, set back after use."""

    stamp: IntArray
    place: IntArray
    counts: IntArray
    seen: IntArray
    rank: CodeArray
    now: IntArray
    """The stamp in use; each is used once."""
