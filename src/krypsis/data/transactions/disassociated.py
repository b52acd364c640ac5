"""Disassociated sets: clusters of records cut into pieces, so that nobody sees which pieces belong together."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.transactions.sets import Transactions
from krypsis.errors import DataError


@dataclass(frozen=True, eq=False)
class Disassociated:
    """A forest: simple clusters are its leaves, joint clusters its inner nodes.

    Nodes ``0 … clusters - 1`` are the simple clusters, those from there on the joint ones. A chunk of a simple cluster
    is a record chunk, one of a joint cluster a shared chunk; the chunks of a node are in no order. Chunk ``c`` has the
    pieces ``chunk_starts[c] … chunk_starts[c + 1] - 1``. All items are in one table, ``pieces.items``.

    Examples
    --------
    >>> pieces, terms = Transactions.of_sets([["flu"], ["flu"]]), Transactions.of_sets([["ikea"]])
    >>> release = Disassociated.of(pieces, [0, 2], [0], sizes=[2], parents=[-1], terms=terms)
    >>> release.clusters, len(release), release.terms.sets()
    (1, 2, [frozenset({'ikea'})])
    """

    pieces: Transactions
    """The pieces of all chunks, each a set that is not empty, chunk after chunk."""
    chunk_starts: IntArray
    """Chunk → its first piece; one more entry says where the last chunk ends."""
    chunk_nodes: IntArray
    """Chunk → the node that has it."""
    sizes: IntArray
    """Simple cluster → how many records it has."""
    parents: IntArray
    """Node → the joint cluster above it, -1 if there is none."""
    terms: Transactions
    """Simple cluster → the items of its term chunk, with the item table of the pieces."""

    @classmethod
    def of(
        cls,
        pieces: Transactions,
        chunk_starts: object,
        chunk_nodes: object,
        *,
        sizes: object,
        parents: object,
        terms: Transactions,
    ) -> "Disassociated":
        """Return the clusters after making one item table of those of pieces and term chunks."""
        items = tuple(sorted({*pieces.items, *terms.items}))
        arrays = (np.asarray(one, dtype=np.int64) for one in (chunk_starts, chunk_nodes, sizes, parents))
        starts, nodes, counts, above = arrays
        return cls(pieces.with_items(items), starts, nodes, counts, above, terms.with_items(items))

    def __post_init__(self) -> None:
        """Refuse what is no forest of clusters; whether it keeps a promise is for the checker to say."""
        if len(self.chunk_starts) != len(self.chunk_nodes) + 1 or self.chunk_starts[-1] != len(self.pieces):
            raise DataError("the chunks do not cover the pieces; every piece belongs to one chunk")
        if (np.diff(self.chunk_starts) <= 0).any() or (self.pieces.sizes == 0).any():
            raise DataError("a chunk without pieces, or a piece without items, reveals nothing; leave it out")
        if len(self.terms) != self.clusters or self.pieces.items != self.terms.items:
            raise DataError("every simple cluster has one term chunk, with the items of the pieces; it may be empty")
        if ((self.chunk_nodes < 0) | (self.chunk_nodes >= len(self.parents))).any():
            raise DataError("a chunk belongs to a cluster that is not there")
        self._check_forest()

    def _check_forest(self) -> None:
        joint = self.parents >= 0
        nodes = np.arange(len(self.parents))
        # A parent comes after its children, so nothing is above itself.
        if (self.parents[joint] < self.clusters).any() or (self.parents[joint] <= nodes[joint]).any():
            raise DataError("a cluster lies in a joint cluster that comes after it, and simple clusters hold none")
        if (self.parents >= len(self.parents)).any():
            raise DataError("a cluster lies in a joint cluster that is not there")
        if len(self.sizes) and self.sizes.min() < 1:
            raise DataError("a cluster has at least one record")

    def __len__(self) -> int:
        return int(self.sizes.sum())

    @property
    def items(self) -> tuple[str, ...]:
        """The items of all chunks."""
        return self.pieces.items

    @property
    def clusters(self) -> int:
        """The number of simple clusters."""
        return len(self.sizes)

    @cached_property
    def chunk_of_piece(self) -> IntArray:
        """Piece → its chunk."""
        return np.repeat(np.arange(len(self.chunk_nodes), dtype=np.int64), np.diff(self.chunk_starts))

    @cached_property
    def chunk_items(self) -> IntArray:
        """The items of each chunk as numbers: chunk times the number of items, plus the item; ascending."""
        return np.unique(self.chunk_of_piece[self.pieces.records] * max(len(self.items), 1) + self.pieces.codes)

    def below(self, numbers: IntArray) -> IntArray:
        """Return for each node the sum of numbers of the simple clusters in it, such as their sizes.

        Examples
        --------
        >>> pieces, terms = Transactions.of_sets([["a"]]), Transactions.of_sets([["b"], ["c"]])
        >>> both = Disassociated.of(pieces, [0, 1], [2], sizes=[2, 3], parents=[2, 2, -1], terms=terms)
        >>> both.below(both.sizes).tolist()
        [2, 3, 5]
        """
        found = np.zeros(len(self.parents), dtype=np.int64)
        found[: self.clusters] = numbers
        for node, parent in enumerate(self.parents.tolist()):  # parents come after their children
            if parent >= 0:
                found[parent] += found[node]
        return found

    def shuffled(self, rng: np.random.Generator) -> "Disassociated":
        """Return the same clusters in random order, and the pieces of each chunk in a random order of their own."""
        order = rng.permutation(self.clusters)
        new_of = _places(np.concatenate([order, _joints_in_order(self, rng)]))
        parents = np.full(len(self.parents), -1, dtype=np.int64)
        below = self.parents >= 0
        parents[new_of[below]] = new_of[self.parents[below]]
        nodes = new_of[self.chunk_nodes]
        chunks = np.lexsort((rng.random(len(nodes)), nodes))
        pieces = np.lexsort((rng.random(len(self.pieces)), _places(chunks)[self.chunk_of_piece]))
        starts = np.concatenate([[0], np.cumsum(np.diff(self.chunk_starts)[chunks])])
        return Disassociated(
            self.pieces.taken(pieces), starts, nodes[chunks], self.sizes[order], parents, self.terms.taken(order)
        )


def _places(order: IntArray) -> IntArray:
    """Return where each number stands in an order."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


def _joints_in_order(given: Disassociated, rng: np.random.Generator) -> IntArray:
    """Return the joint clusters in random order among those of the same height, the lowest first."""
    height = np.zeros(len(given.parents), dtype=np.int64)
    for node, parent in enumerate(given.parents.tolist()):
        if parent >= 0:
            height[parent] = max(height[parent], height[node] + 1)
    joints = np.arange(given.clusters, len(given.parents))
    return joints[np.lexsort((rng.random(len(joints)), height[joints]))]
