"""The exact audit of small clusters: how many records with the same items can stand in one possible original at most.

For every set of up to m items of a tree of clusters, an integer program asks for the possible original data, of
records that are not empty, in which most records hold the set. The promise is kept if that is none, or at least k.
It is exact and slow, so it serves where the conditions of ``chunk_structure`` do not decide.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from math import comb

import numpy as np

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.checker.chunk_rarest import Rarest, rarest_of
from krypsis.data.transactions import Disassociated
from krypsis.errors import InternalError


@dataclass(frozen=True, eq=False)
class Conditions:
    """What was found about the chunks: for each condition, the largest k that it allows."""

    smallest_cluster: int
    rarest_in_chunk: Rarest
    """The fewest pieces of a chunk in which up to m items stand together."""
    room: IntArray
    """Cluster → the largest k for which every record still gets something."""
    mixed: IntArray
    """Shared chunks with items that stand in chunks below and with other items next to them."""

    @property
    def level(self) -> int:
        """The largest k that all conditions allow; 0 where a condition fails for any k."""
        if len(self.mixed):
            return 0
        return max(min(self.smallest_cluster, self.rarest_in_chunk.pieces, int(self.room.min(initial=NO_LIMIT))), 0)


NO_LIMIT = int(np.iinfo(np.int64).max)


def examine(published: Disassociated, m: int) -> Conditions:
    """Return what the conditions allow for an attacker who knows up to ``m`` items."""
    return Conditions(
        # Lemma 3.1 needs |P| >= k: the k records are assembled inside one cluster.
        smallest_cluster=int(published.sizes.min(initial=NO_LIMIT)),
        # Each chunk must be k^m-anonymous.
        rarest_in_chunk=rarest_of(_pieces_of_chunks(published), m, NO_LIMIT),
        room=room_of_clusters(published, m),
        # Property 3.1 is not sufficient as printed: a term of T^r must have a shared chunk of its own.
        mixed=np.flatnonzero(conflicting(published) & (items_of_chunks(published) > 1)),
    )


def rarest_alone(published: Disassociated, m: int, k: int) -> int:
    """Return the fewest pieces, up to ``k``, in which items stand together that no other chunk of their tree has.

    No more records than that can hold these items, so fewer than ``k`` break the promise, whatever else is published.
    """
    width, tops = max(len(published.items), 1), roots_of_nodes(published)
    keys, terms = published.chunk_items, published.terms
    chunk = keys // width
    places = tops[published.chunk_nodes[chunk]] * width + keys % width
    elsewhere = np.concatenate([places, tops[terms.records] * width + terms.codes])
    _, number, times = np.unique(elsewhere, return_inverse=True, return_counts=True)
    shares = np.zeros(len(published.chunk_nodes), dtype=np.bool_)
    shares[chunk[times[number[: len(places)]] > 1]] = True
    alone = (pieces for pieces, other in zip(_pieces_of_chunks(published), shares.tolist(), strict=True) if not other)
    rarest = rarest_of(alone, m, k)
    return rarest.pieces if rarest.exact else k


def roots_of_nodes(published: Disassociated) -> IntArray:
    """Return the root of the tree of each node."""
    top = np.arange(len(published.parents))
    for node in range(len(top) - 1, -1, -1):  # parents come after their children
        if published.parents[node] >= 0:
            top[node] = top[published.parents[node]]
    return top


def _pieces_of_chunks(published: Disassociated) -> Iterator[list[list[int]]]:
    """Yield the pieces of each chunk, each as the numbers of its items."""
    pieces = published.pieces
    for first, end in pairwise(published.chunk_starts.tolist()):
        edges = pieces.starts[first : end + 1].tolist()
        items = pieces.codes[edges[0] : edges[-1]].tolist()
        yield [items[start - edges[0] : stop - edges[0]] for start, stop in pairwise(edges)]


def room_of_clusters(published: Disassociated, m: int) -> IntArray:
    """Return the largest k for which k records may take a piece of each of up to m chunks and none stays empty."""
    own = published.chunk_nodes < published.clusters
    nodes = published.chunk_nodes[own]
    counts = np.diff(published.chunk_starts)[own]
    pieces = np.bincount(nodes, weights=counts, minlength=published.clusters).astype(np.int64)
    touched = np.minimum(np.bincount(nodes, minlength=published.clusters), m)
    spare = pieces - published.sizes
    # Lemma 3.2 (b) solved for k: sum |C_i| >= |P| + k (h - 1) with h = min(m, v), or a term chunk that is not empty.
    room = np.where(touched > 1, spare // np.maximum(touched - 1, 1), np.where(spare >= 0, NO_LIMIT, 0))
    return np.where(published.terms.sizes > 0, NO_LIMIT, np.maximum(room, 0))


def items_of_chunks(published: Disassociated) -> IntArray:
    """Return how many different items each chunk has."""
    keys = published.chunk_items
    width = max(len(published.items), 1)
    return np.bincount(keys // width, minlength=len(published.chunk_nodes))


def conflicting(published: Disassociated) -> BoolArray:
    """Say of each shared chunk whether one of its items also stands in a chunk below it.

    A record holds an item once, so a piece with such an item does not fit everywhere.
    """
    width = max(len(published.items), 1)
    keys = published.chunk_items
    chunk, item = keys // width, keys % width
    places = published.chunk_nodes[chunk] * width + item
    found = np.zeros(len(published.chunk_nodes), dtype=np.bool_)
    found[chunk[np.isin(places, met_above(published, published.chunk_nodes[chunk], item, places))]] = True
    return found


def met_above(published: Disassociated, nodes: IntArray, items: IntArray, places: IntArray) -> IntArray:
    """Return the places of shared chunks that items meet on their way up from their nodes.

    A place is a node times the number of items, plus an item that a chunk of the node holds.
    """
    width = max(len(published.items), 1)
    shared = np.unique(places[places >= published.clusters * width])
    stands_shared = np.isin(np.arange(width), shared % width)
    # What stands in no shared chunk meets none.
    above, climbing = published.parents[nodes[stands_shared[items]]], items[stands_shared[items]]
    met = [np.empty(0, dtype=np.int64)]
    while (above >= 0).any():
        above, climbing = above[above >= 0], climbing[above >= 0]
        here = above * width + climbing
        slot = np.minimum(np.searchsorted(shared, here), len(shared) - 1)
        met.append(here[shared[slot] == here])
        above = published.parents[above]
    return np.unique(np.concatenate(met))


MOST_RECORDS = 60
"""Larger trees are not audited."""
MOST_SETS = 3000
"""Nor are trees with more sets of items than this."""

MOST_TREES = 20
"""Nor are releases in which more trees than this are open to doubt."""
OPTIMAL, NOTHING_FITS = 0, 2
"""How the solver ends: the best was found, or nothing meets the limits."""
HALF = 0.5


def roots(published: Disassociated) -> Iterator[list[int]]:
    """Yield the nodes of each tree of clusters."""
    top = roots_of_nodes(published)
    order = np.argsort(top, kind="stable")
    for nodes in np.split(order, np.flatnonzero(np.diff(top[order])) + 1):
        yield nodes.tolist()


def is_auditable(published: Disassociated, nodes: list[int], m: int) -> bool:
    """Say whether a tree is small enough for the exact audit."""
    if sum(int(published.sizes[node]) for node in nodes if node < published.clusters) > MOST_RECORDS:
        return False
    items = len(_Tree(published, nodes).items)
    return sum(comb(items, size) for size in range(1, m + 1)) <= MOST_SETS


def fits_data(published: Disassociated, nodes: list[int]) -> bool:
    """Say whether any data without empty records can lie behind a tree of clusters."""
    return _Tree(published, nodes).original_with(()) is not None


def violations(published: Disassociated, nodes: list[int], k: int, m: int) -> list[tuple[tuple[str, ...], int]]:
    """Return the sets of up to ``m`` items of a tree that some, but fewer than ``k`` records can hold, with how many.

    Sets that contain a smaller one of these are left out.
    """
    tree, found, shown = _Tree(published, nodes), list[tuple[tuple[int, ...], int]](), list[BoolArray]()
    # The exact auditor: for each S maximize the records that hold S over all D' consistent with the release.
    for size in range(1, m + 1):
        for items in combinations(range(len(tree.items)), size):
            if any(set(smaller) <= set(items) for smaller, _ in found):
                continue
            # An original that was found for other items may show k records for these as well.
            if any(_holding(original, items) >= k for original in shown):
                continue
            original = tree.original_with(items)
            if original is None:
                return []  # nothing can be held by any record where no data fits at all
            shown.append(original)
            if 0 < (most := _holding(original, items)) < k:
                found.append((items, most))
    names = [published.items[item] for item in tree.items]
    return [(tuple(names[place] for place in items), most) for items, most in found]


def _holding(original: BoolArray, items: tuple[int, ...]) -> int:
    return int(original[:, list(items)].all(axis=1).sum())


class _Tree:
    """One tree of clusters as the variables and limits of an integer program.

    A variable says that a piece, or an item of a term chunk, is put into a record.
    """

    def __init__(self, published: Disassociated, nodes: list[int]) -> None:
        self.published = published
        self.leaves = [node for node in nodes if node < published.clusters]
        self.records = [leaf for leaf in self.leaves for _ in range(int(published.sizes[leaf]))]
        self.chunks = np.flatnonzero(np.isin(published.chunk_nodes, nodes)).tolist()
        self.holds: list[frozenset[int]] = []
        """Variable → the items it puts into its record."""
        self.record_of: list[int] = []
        self.rows: list[tuple[list[int], float, float]] = []
        """Limits: variables, least and greatest number of them."""
        for chunk in self.chunks:
            self._add_chunk(chunk)
        pieces = len(self.holds)
        self._add_terms()
        self.is_term = np.arange(len(self.holds)) >= pieces
        self._add_no_empty_record()
        self.items = sorted({item for one in self.holds for item in one})

    def original_with(self, items: tuple[int, ...]) -> BoolArray | None:
        """Return a possible original in which most records hold all of these items, as record × item.

        Items are places in ``items`` of the tree. Nothing comes back where no data can lie behind the clusters.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415  only small releases need it

        fixed, low, high = self._limits
        records = len(self.records)
        # A record counts only if each item is among what it holds.
        carried = self._carried[list(items)].reshape(-1, len(self.holds))
        counts = np.tile(-np.eye(records), (len(items), 1))
        none, alike = np.zeros((len(fixed), records)), self._alike
        matrix = np.block([[fixed, none], [carried, counts], [np.zeros((len(alike), len(self.holds))), alike]])
        free = np.zeros(len(carried) + len(alike))
        least, most = np.concatenate([low, free]), np.concatenate([high, free + np.inf])
        goal: FloatArray = np.concatenate([np.zeros(len(self.holds)), np.full(records, -1.0)])
        settled = np.concatenate([self.is_term, np.zeros(records)])
        solved = milp(
            goal,
            constraints=LinearConstraint(matrix, least, most),
            integrality=np.ones(len(goal), dtype=np.int64),
            bounds=Bounds(settled, 1),
        )
        if solved.status not in (OPTIMAL, NOTHING_FITS):
            raise InternalError(f"the integer program of the audit was not solved: {solved.message}")
        if solved.x is None:
            return None
        placed = solved.x[: len(self.holds)] > HALF
        return np.asarray((self._carried * placed).any(axis=2).T)

    @cached_property
    def _limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the limits that hold whatever is asked: a row of variables each, least and most of them."""
        matrix = np.zeros((len(self.rows), len(self.holds)))
        for place, (members, _, _) in enumerate(self.rows):
            matrix[place, members] = 1.0
        return matrix, np.array([low for _, low, _ in self.rows]), np.array([high for _, _, high in self.rows])

    @cached_property
    def _alike(self) -> FloatArray:
        """Return rows that say: of records of one cluster, the first ones count. Which ones do makes no difference."""
        records = np.array(self.records)
        rows = np.eye(len(records)) - np.eye(len(records), k=1)
        return np.asarray(rows[:-1][records[:-1] == records[1:]])

    @cached_property
    def _carried(self) -> FloatArray:
        """Return which variables bring an item to a record: item × record × variable."""
        found = np.zeros((len(self.items), len(self.records), len(self.holds)))
        place = {item: number for number, item in enumerate(self.items)}
        for variable, (record, held) in enumerate(zip(self.record_of, self.holds, strict=True)):
            for item in held:
                found[place[item], record, variable] = 1.0
        return found

    def _variable(self, record: int, items: frozenset[int]) -> int:
        self.holds.append(items)
        self.record_of.append(record)
        return len(self.holds) - 1

    def _add_chunk(self, chunk: int) -> None:
        """Every piece goes to one record in which its items do not stand already; a record gets one of a chunk."""
        published = self.published
        start, end = published.chunk_starts[chunk : chunk + 2].tolist()
        starts, codes = published.pieces.starts, published.pieces.codes
        kinds: dict[frozenset[int], int] = {}
        for piece in range(start, end):
            items = frozenset(codes[starts[piece] : starts[piece + 1]].tolist())
            kinds[items] = kinds.get(items, 0) + 1
        in_record: dict[int, list[int]] = {}
        for items, copies in kinds.items():
            members = []
            for record, leaf in enumerate(self.records):
                if self._fits(chunk, items, leaf):
                    members.append(self._variable(record, items))
                    in_record.setdefault(record, []).append(members[-1])
            # Every copy of a sub-record belongs to exactly one record, …
            self.rows.append((members, float(copies), float(copies)))
        # … and a record has at most one sub-record of a chunk.
        self.rows += [(members, 0.0, 1.0) for members in in_record.values()]

    def _fits(self, chunk: int, items: frozenset[int], leaf: int) -> bool:
        """Say whether a piece may belong to a record of a leaf: it is below, and nothing on the way has an item."""
        published, node, below = self.published, int(self.published.chunk_nodes[chunk]), leaf
        while below >= 0 and below != node:
            if items & self._items_at(below):
                return False
            below = int(published.parents[below])
        return below == node

    def _items_at(self, node: int) -> frozenset[int]:
        """Return the items of the chunks of a node; the term chunk is no obstacle, it has lost what is shared."""
        published = self.published
        found: set[int] = set()
        for chunk in np.flatnonzero(published.chunk_nodes == node).tolist():
            start, end = published.chunk_starts[chunk : chunk + 2].tolist()
            found.update(published.pieces.codes[published.pieces.starts[start] : published.pieces.starts[end]].tolist())
        return frozenset(found)

    def _add_terms(self) -> None:
        """Every item of a term chunk is in one record at least; in how many is not published.

        Nothing speaks against any of them, so all records of the cluster hold it in the originals that are looked for.
        """
        terms = self.published.terms
        for leaf in self.leaves:
            members = [record for record, one in enumerate(self.records) if one == leaf]
            for item in terms.codes[terms.starts[leaf] : terms.starts[leaf + 1]].tolist():
                for record in members:
                    self._variable(record, frozenset([item]))

    def _add_no_empty_record(self) -> None:
        by_record: dict[int, list[int]] = {record: [] for record in range(len(self.records))}
        for variable, record in enumerate(self.record_of):
            by_record[record].append(variable)
        # An original record is not empty, so the attacker discards reconstructions with empty ones.
        self.rows += [(members, 1.0, np.inf) for members in by_record.values()]
