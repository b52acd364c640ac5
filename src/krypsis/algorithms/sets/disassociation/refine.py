"""REFINE: clusters with common items in their term chunks are joined, and these items get shared chunks."""

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.sets.disassociation.forest import Forest, Leaves, OpenItems, RootItems, Wishes
from krypsis.algorithms.sets.disassociation.horizontal import Clusters
from krypsis.algorithms.sets.disassociation.shared_chunks import join_neighbors
from krypsis.algorithms.sets.disassociation.vertical import Cut
from krypsis.algorithms.threads import work_on_each
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.transactions.sets import taken_lists
from krypsis.kernels._jit import compiled
from krypsis.progress import NO_PROGRESS, Progress


@dataclass(frozen=True, eq=False)
class Roots:
    """The nodes that lie in no joint cluster."""

    nodes: IntArray
    """Ascending."""
    open_items: OpenItems
    fixed: RootItems
    """The items in the record chunks and shared chunks below each."""

    def __len__(self) -> int:
        return len(self.nodes)

    def taken(self, places: IntArray) -> "Roots":
        """Return some of the roots, in the order in which they are named."""
        starts, where = taken_lists(self.open_items.starts, places)
        old = self.open_items
        open_items = OpenItems(starts, old.items[where], old.counts[where], old.leaves[where], old.records[where])
        starts, where = taken_lists(self.fixed.starts, places)
        return Roots(self.nodes[places], open_items, RootItems(starts, self.fixed.items[where]))

    @classmethod
    def gathered(cls, parts: "list[Roots]") -> "Roots":
        """Return the roots of all blocks together."""
        nodes = np.concatenate([part.nodes for part in parts])
        starts = _gathered([part.open_items.starts for part in parts])
        columns = zip(*(part.open_items[1:] for part in parts), strict=True)
        open_items = OpenItems(starts, *(np.concatenate(column) for column in columns))
        starts = _gathered([part.fixed.starts for part in parts])
        return cls(nodes, open_items, RootItems(starts, np.concatenate([part.fixed.items for part in parts])))


@dataclass(frozen=True, eq=False)
class Joining:
    """Clusters while they are joined; the arrays of leaves and forest are written to."""

    leaves: Leaves
    forest: Forest
    wishes: Wishes
    progress: Progress

    def in_blocks(self, roots: Roots, block: int, threads: int) -> tuple[Roots, int]:
        """Join neighbors until nothing changes, in blocks of up to so many; return the roots and the most passes."""
        count = -(-len(roots) // block)
        if count <= 1:
            return self._settled(roots, self.forest)
        # Deviation: with many clusters passes run inside blocks of neighbors, so that the cost stays near linear.
        order = neighbors(roots.open_items.starts, roots.open_items.items, len(self.wishes.together.home))
        blocks = [roots.taken(np.sort(part)) for part in np.array_split(order, count)]
        forests = self._forests(blocks)
        pairs = list(zip(blocks, forests, strict=True))
        settled = work_on_each(lambda pair: self._settled(*pair), pairs, threads)
        new = self._renumber(forests, self._forests(blocks))
        found = Roots.gathered([part for part, _ in settled])
        nodes = new[found.nodes]
        by_number = np.argsort(nodes)
        passes = max(number for _, number in settled)
        return Roots(nodes, found.open_items, found.fixed).taken(by_number), passes

    def _settled(self, roots: Roots, forest: Forest) -> tuple[Roots, int]:
        passes, before = 0, len(roots) + 1
        # repeat … until a pass changes nothing; every join removes a root, so this ends.
        while len(roots) < before and not self.progress.wants_stop():
            passes, before = passes + 1, len(roots)
            # Steps 1-2: tcs(t), order inside the virtual term chunks, lexicographic order of the clusters.
            order = neighbors(roots.open_items.starts, roots.open_items.items, len(self.wishes.together.home))
            side = roots.taken(order)
            # Step 3: scan neighbors from left to right and join where TRY_JOIN succeeds.
            joined = join_neighbors(side.nodes, side.open_items, side.fixed, self.leaves, forest, self.wishes)
            roots = Roots(*joined).taken(np.argsort(joined[0]))
        return roots, passes

    def _forests(self, blocks: list[Roots]) -> list[Forest]:
        """Return the forest for each block, with room for nodes and shared chunks of its own."""
        nodes, chunks = self.forest.used.tolist()
        found = []
        for roots in blocks:
            found.append(self.forest._replace(used=np.array([nodes, chunks], dtype=np.int64)))
            nodes, chunks = nodes + len(roots), chunks + len(roots.open_items.items)
        return found

    def _renumber(self, after: list[Forest], before: list[Forest]) -> IntArray:
        """Close the gaps between the nodes and chunks of the blocks; return the new number of each node."""
        base, first_chunk = self.forest.used.tolist()
        spans = [np.stack([old.used, new.used]) for old, new in zip(before, after, strict=True)]
        nodes = np.concatenate([np.arange(*span[:, 0]) for span in spans])
        chunks = np.concatenate([np.arange(*span[:, 1]) for span in spans])
        new = np.arange(len(self.forest.parents) + 1)
        new[nodes] = base + np.arange(len(nodes))
        new[-1] = -1  # nothing stays nothing
        self._move_nodes(nodes, new, base)
        self.forest.chunk_nodes[first_chunk : first_chunk + len(chunks)] = new[self.forest.chunk_nodes[chunks]]
        new_chunk = np.arange(len(self.forest.chunk_nodes) + 1, dtype=np.int32)
        new_chunk[chunks] = first_chunk + np.arange(len(chunks))
        new_chunk[-1] = -1
        self.leaves.shared[:] = new_chunk[self.leaves.shared]
        self.forest.used[:] = base + len(nodes), first_chunk + len(chunks)
        return new

    def _move_nodes(self, nodes: IntArray, new: IntArray, base: int) -> None:
        forest = self.forest
        for values in (forest.records, forest.head, forest.tail):
            values[new[nodes]] = values[nodes]
        for links in (forest.parents, forest.refused):
            links[:] = new[links]
            moved = links[nodes]
            links[base:] = -1
            links[new[nodes]] = moved


def _gathered(starts: list[IntArray]) -> IntArray:
    """Return where lists begin after those of several blocks were put together."""
    sizes = np.concatenate([np.diff(one) for one in starts])
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


BLOCK = 8192
"""Clusters among which neighbors are looked for at a time: so the cost grows with their number and not its square."""
WORTHWHILE = 0.01
"""Another round begins if the last one has joined this share of the clusters."""


@dataclass(frozen=True, eq=False)
class Joined:
    """The joint clusters, and where every occurrence of an item goes that has left its term chunk."""

    parents: IntArray
    """Node → the joint cluster above it, -1 if there is none; simple clusters come first."""
    shared: CodeArray
    """Occurrence → shared chunk, -1 for none."""
    chunk_nodes: IntArray
    """Shared chunk → its joint cluster."""
    passes: int = 0

    @classmethod
    def nothing(cls, clusters: Clusters) -> "Joined":
        """Return clusters of which none is joined."""
        occurrences = len(clusters.transactions.codes)
        return cls(np.full(len(clusters), -1), np.full(occurrences, -1, dtype=np.int32), np.zeros(0, dtype=np.int64))


def join_clusters(
    clusters: Clusters,
    cut: Cut,
    wishes: Wishes,
    *,
    hidden: BoolArray,
    block: int = BLOCK,
    threads: int = 1,
    progress: Progress = NO_PROGRESS,
) -> Joined:
    """Return joint clusters.

    Again and again, clusters are sorted so that those with common items in their term chunks are neighbors, and two
    neighbors are joined where that shows more about their common items. Hardened: an item that stands in a chunk
    below gets a shared chunk of its own, and no term chunk is emptied that is needed. It ends when nothing is joined.

    More clusters than ``block`` are sorted once and cut into blocks, and neighbors are joined inside each until
    nothing changes; what is left is sorted and cut anew as long as that joins a good part of it.
    """
    open_items = _open_items(clusters, (cut.chunk < 0) & ~hidden[clusters.transactions.codes])
    forest = _forest(clusters, len(open_items.items))
    joining = Joining(_leaves(clusters, cut, hidden), forest, wishes, progress)
    roots = Roots(np.arange(len(clusters), dtype=np.int64), open_items, _items(clusters, cut.chunk >= 0))
    passes, worthwhile = 0, True
    while worthwhile:
        joined, more = joining.in_blocks(roots, block, threads)
        worthwhile = len(roots) > block and len(joined) < (1 - WORTHWHILE) * len(roots)
        roots, passes = joined, passes + more
    nodes, chunks = forest.used.tolist()
    return Joined(forest.parents[:nodes], joining.leaves.shared, forest.chunk_nodes[:chunks], passes)


def _leaves(clusters: Clusters, cut: Cut, hidden: BoolArray) -> Leaves:
    sets = clusters.transactions
    rest = np.flatnonzero((cut.chunk < 0) & ~hidden[sets.codes])
    edges = np.searchsorted(rest, sets.starts[clusters.edges]).astype(np.int64)
    terms = _items(clusters, cut.chunk < 0)
    return Leaves(
        sizes=clusters.sizes,
        needy=cut.needy,
        terms_left=np.diff(terms.starts),
        rest=rest,
        rest_starts=edges[:-1].copy(),
        rest_ends=edges[1:].copy(),
        codes=sets.codes,
        records=sets.records.astype(np.int32),
        shared=np.full(len(sets.codes), -1, dtype=np.int32),
    )


def _forest(clusters: Clusters, most_chunks: int) -> Forest:
    count = len(clusters)
    nodes = 2 * count  # every joint cluster has two children
    return Forest(
        records=np.concatenate([clusters.sizes, np.zeros(count, dtype=np.int64)]),
        head=np.arange(nodes),
        tail=np.arange(nodes),
        following=np.full(count, -1, dtype=np.int64),
        parents=np.full(nodes, -1, dtype=np.int64),
        refused=np.full(nodes, -1, dtype=np.int64),
        chunk_nodes=np.zeros(most_chunks, dtype=np.int64),
        used=np.array([count, 0], dtype=np.int64),
    )


def _open_items(clusters: Clusters, which: BoolArray) -> OpenItems:
    """Return the different items of each cluster among some occurrences, with the number of records that hold each."""
    sets = clusters.transactions
    width = np.int64(max(len(sets.items), 1))
    cluster = clusters.of_record[sets.records[which]]
    keys, counts = np.unique(cluster * width + sets.codes[which], return_counts=True)
    starts = np.searchsorted(keys, np.arange(len(clusters) + 1) * width).astype(np.int64)
    sizes = clusters.sizes[keys // width]
    return OpenItems(starts, (keys % width).astype(np.int32), counts.astype(np.int64), np.ones_like(sizes), sizes)


def _items(clusters: Clusters, which: BoolArray) -> RootItems:
    """Return the different items of each cluster among some occurrences."""
    return RootItems(*_open_items(clusters, which)[:2])


@compiled
def neighbors(starts: IntArray, items: CodeArray, width: int) -> IntArray:
    """Return the order of lists of different items.

    An item ranks before others if more lists hold it, of equally widespread ones the first. Lists are compared rank by
    rank; of two that begin alike, the shorter comes first; equal lists stay in their order.
    """
    rank = _ranks(items, width)
    ranks = np.empty_like(items)
    # Inside each virtual term chunk, terms by decreasing tcs; ties by term id.
    for number in range(len(starts) - 1):
        for place in range(starts[number], starts[number + 1]):
            ranks[place] = rank[items[place]]
        ranks[starts[number] : starts[number + 1]].sort()
    return _sorted(starts, ranks)


@compiled
def _ranks(items: CodeArray, width: int) -> CodeArray:
    counts = np.zeros(width, dtype=np.int64)
    # tcs(t) = the number of virtual term chunks that contain t.
    for item in items:
        counts[item] += 1
    item_at = np.argsort(-counts, kind="mergesort")
    rank = np.empty(width, dtype=np.int32)
    for place in range(width):
        rank[item_at[place]] = place
    return rank


@compiled
def _sorted(starts: IntArray, ranks: CodeArray) -> IntArray:
    """Return the order of the lists, by merging sorted runs of twice the length each time."""
    count = len(starts) - 1
    order, other = np.arange(count), np.empty(count, dtype=np.int64)
    length = 1
    while length < count:
        for begin in range(0, count, 2 * length):
            middle, end = min(begin + length, count), min(begin + 2 * length, count)
            left, right = begin, middle
            for place in range(begin, end):
                if right >= end or (left < middle and not _before(starts, ranks, order[right], order[left])):
                    other[place] = order[left]
                    left += 1
                else:
                    other[place] = order[right]
                    right += 1
        order, other = other, order
        length *= 2
    return order


@compiled
def _before(starts: IntArray, ranks: CodeArray, one: int, other: int) -> bool:
    first, second = starts[one], starts[other]
    while first < starts[one + 1] and second < starts[other + 1]:
        if ranks[first] != ranks[second]:
            return bool(ranks[first] < ranks[second])
        first += 1
        second += 1
    return bool(starts[one + 1] - starts[one] < starts[other + 1] - starts[other])
