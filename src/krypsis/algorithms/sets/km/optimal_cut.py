"""The cut through an item tree that loses least, found by integer programming."""

from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np

from krypsis.algorithms.sets.km.item_tree import ItemTree
from krypsis.algorithms.sets.km.published_sets import MOST, LeafSets
from krypsis.arrays import BoolArray, IntArray
from krypsis.errors import InternalError
from krypsis.progress import MOST_ROWS, StepTable

MOST_WAYS = 1000
"""How many ways to generalize one rare set are kept in mind; there are as many as products of levels."""


class CutNotes:
    """What a trace keeps of the search for a cut: the rare sets in the order in which they were settled."""

    columns = ("rare set", "records that show it", "becomes", "loss")

    def __init__(self) -> None:
        self.rows: list[tuple[object, ...]] = []
        self.more = 0

    def settled(self, leaf_sets: LeafSets, rare: tuple[int, ...], by: tuple[int, ...], loss: int) -> None:
        """Note a rare set, the nodes that replace it, and what that adds to the loss."""
        if len(self.rows) >= MOST_ROWS:
            self.more += 1
            return
        labels = leaf_sets.tree.labels
        names, chosen = (", ".join(labels[node] for node in nodes) for nodes in (rare, by))
        self.rows.append((names, leaf_sets.support(rare), chosen, loss))

    def table(self) -> StepTable:
        """Return what was noted."""
        return StepTable(self.columns, tuple(self.rows), more=self.more)


def apriori_cut(
    leaf_sets: LeafSets, k: int, m: int, closed: BoolArray | None = None, notes: CutNotes | None = None
) -> BoolArray:
    """Return a cut without rare sets: first settle single nodes, then pairs, up to sets of ``m`` nodes.

    What was settled for smaller sets leaves fewer larger ones: the principle of the Apriori algorithm.
    """
    closed = np.zeros(len(leaf_sets.tree), dtype=np.bool_) if closed is None else closed
    # For i = 1..m, settle the itemsets of size i; the generalizations of step i shrink step i + 1.
    for size in range(1, m + 1):
        closed = _settled(leaf_sets, closed, k, size, notes)
    return closed


def direct_cut(leaf_sets: LeafSets, k: int, m: int, notes: CutNotes | None = None) -> BoolArray:
    """Return a cut without rare sets, settling sets of all sizes in one go."""
    return _settled(leaf_sets, np.zeros(len(leaf_sets.tree), dtype=np.bool_), k, m, notes)


def reopened(leaf_sets: LeafSets, closed: BoolArray, k: int, m: int) -> BoolArray:
    """Return a cut without rare sets in which no node can be opened any more.

    The node that costs most is tried first. One that cannot be opened never can: opening others makes sets rarer only.
    """
    closed = closed.copy()
    parent, costs = leaf_sets.tree.parent, leaf_sets.closing_costs
    highest = closed & ~((parent >= 0) & closed[parent])
    waiting = [(-int(costs[node]), node) for node in np.flatnonzero(highest).tolist()]
    heapify(waiting)
    while waiting:
        _, node = heappop(waiting)
        # Beyond the paper: undo generalizations that later ones have made unnecessary.
        if leaf_sets.can_open(closed, node, k, m):
            closed[node] = False
            for below in np.flatnonzero(closed & (parent == node)).tolist():
                heappush(waiting, (-int(costs[below]), below))
    return closed


def _settled(leaf_sets: LeafSets, closed: BoolArray, k: int, m: int, notes: CutNotes | None = None) -> BoolArray:
    """Return the cut with more nodes closed, until none of its sets of up to ``m`` nodes is rare."""
    # Step 1: the itemsets at the current cut with support below k, frequent items first as in the count-tree.
    while len(rare := leaf_sets.rare_at(closed, k, m, most=MOST, frequent_first=True)):
        published = leaf_sets.tree.published_as(closed)
        for row in rare.tolist():
            nodes = tuple(node for node in row if node >= 0)
            # Step 2: skip J if one of its items is already generalized by the rules.
            if all(published[node] == node for node in nodes):  # else it is another set by now
                # Step 3: add the cheapest generalization of J; closing a node maps all leaves below it.
                way = cheapest_generalization(leaf_sets, closed, nodes, k)
                before, closed = closed, _with_closed(leaf_sets.tree, closed, way)
                if notes is not None:
                    notes.settled(leaf_sets, nodes, way, leaf_sets.cost(closed) - leaf_sets.cost(before))
                published = leaf_sets.tree.published_as(closed)
    return closed


def cheapest_generalization(leaf_sets: LeafSets, closed: BoolArray, nodes: tuple[int, ...], k: int) -> tuple[int, ...]:
    """Return nodes above those of a rare set that are not rare together, with the lowest loss when closed.

    Ways are tried in the order of their loss, one step up for one node at a time; ties go to lower numbers. A set of
    many nodes has too many ways: after some of them, the cheapest so far is climbed on, by the cheapest step each time.
    """
    price = np.concatenate([[0], np.cumsum(np.where(closed, 0, leaf_sets.closing_costs))])
    ways: list[tuple[int, tuple[int, ...]]] = [(0, nodes)]
    seen = {nodes}
    # Best first by loss: the first way that k records show is the cheapest. The root always works.
    while ways:
        _, way = heappop(ways)
        if not leaf_sets.is_rare(way, k):
            return way
        if len(seen) > MOST_WAYS:
            # Beyond the bound: forget the alternatives and climb on from here, which is greedy but ends.
            ways = []
        for node in way:
            higher = _climbed(leaf_sets.tree, way, node)
            if higher not in seen:
                seen.add(higher)
                heappush(ways, (_loss(leaf_sets.tree, price, higher), higher))
    raise InternalError("the top of the tree is shown by too few records, which was checked before; please report this")


def _climbed(tree: ItemTree, way: tuple[int, ...], node: int) -> tuple[int, ...]:
    above = int(tree.parent[node])
    if above < 0:
        return way
    return tuple(sorted({above, *(other for other in way if not above <= other <= tree.last[above])}))


def _loss(tree: ItemTree, price: IntArray, way: tuple[int, ...]) -> int:
    return sum(int(price[tree.last[node] + 1] - price[node]) for node in way)


def _with_closed(tree: ItemTree, closed: BoolArray, nodes: tuple[int, ...]) -> BoolArray:
    more = np.zeros(len(tree), dtype=np.bool_)
    more[list(nodes)] = True
    return closed | tree.closed_below(more)


KEY_SPACE = 2**62
"""Numbers of clauses stay below this."""


@dataclass(frozen=True, eq=False)
class Clauses:
    """What every cut must do so that nothing known to be rare is left.

    A set of nodes that is rare stays rare, in what lies below it, until one of its nodes becomes more general: the
    parent of one of them has to be closed. A node that is closed closes everything below it.
    """

    tree: ItemTree
    closed: BoolArray
    """Inner nodes that every cut closes."""
    sets: IntArray
    """One clause per row, ascending, filled up with -1 in front; none has a node that is closed anyway."""

    @classmethod
    def of(cls, tree: ItemTree, sets: IntArray) -> "Clauses":
        """Return clauses given one per row, filled up with -1: each once, with as few nodes as possible.

        Examples
        --------
        >>> from krypsis.data.hierarchies.base import Hierarchy
        >>> tree = ItemTree.of(Hierarchy.from_rows([[item, kind, "*"] for item, kind in zip("abcd", "XXYY")]))
        >>> tree.labels
        ('*', 'X', 'a', 'b', 'Y', 'c', 'd')
        >>> Clauses.of(tree, np.array([[4, 1], [1, 4]])).sets.tolist()
        [[1, 4]]
        >>> np.flatnonzero(Clauses.of(tree, np.array([[0, 4], [1, 4]])).closed).tolist()
        [4]
        """
        sets = _lowest_only(_distinct(np.sort(sets, axis=1), len(tree)), tree)
        single = np.count_nonzero(sets >= 0, axis=1) == 1
        forced = np.zeros(len(tree), dtype=np.bool_)
        forced[sets[single].max(axis=1, initial=0)] = True
        closed = tree.closed_below(forced)
        kept = sets[~(closed[sets] & (sets >= 0)).any(axis=1)]
        return cls(tree, closed, _distinct(np.sort(kept, axis=1), len(tree)))

    def with_rare(self, rare: IntArray) -> "Clauses":
        """Return the clauses with those of more rare sets, given one per row and filled up with -1."""
        parents = np.where(rare >= 0, self.tree.parent[rare], -1)
        forced = np.flatnonzero(self.closed).reshape(-1, 1)
        width = max(one.shape[1] for one in (self.sets, parents, forced))
        return Clauses.of(self.tree, np.concatenate([_wide(one, width) for one in (self.sets, parents, forced)]))


def _wide(sets: IntArray, width: int) -> IntArray:
    return np.pad(sets, ((0, 0), (width - sets.shape[1], 0)), constant_values=-1)


def _distinct(sets: IntArray, nodes: int) -> IntArray:
    """Return different rows, in ascending order."""
    radix = (nodes + 1) ** np.arange(sets.shape[1] - 1, -1, -1, dtype=object)
    if (nodes + 1) ** sets.shape[1] >= KEY_SPACE:
        return np.unique(sets, axis=0)
    _, first = np.unique((sets + 1) @ radix.astype(np.int64), return_index=True)
    return sets[first]


def _lowest_only(sets: IntArray, tree: ItemTree) -> IntArray:
    """Return ascending sets without nodes that stand above others of the same set: closing them closes those, too."""
    sets = sets.copy()
    for upper in range(sets.shape[1]):
        for lower in range(upper + 1, sets.shape[1]):
            above = (sets[:, upper] >= 0) & (sets[:, lower] <= tree.last[sets[:, upper]])
            sets[above, upper] = -1
    return sets


PER_ROUND = 20_000
"""How many rare sets become clauses between two programs."""

ROUNDS = 500
"""How many programs are solved before what is still rare is settled as the Apriori algorithm does."""

NODES = 1000
"""How far a program is branched; all that were met are solved without branching."""

SCALE = 1e6
"""The loss of closing everything, in the program: its solver takes differences below 1e-6 for nothing."""


@dataclass(frozen=True, eq=False)
class FoundCut:
    """A cut without rare sets."""

    closed: BoolArray
    cost: int
    optimal: bool
    """Whether no other cut loses less."""


def optimal_cut(leaf_sets: LeafSets, k: int, m: int) -> FoundCut:
    """Return the cut with the lowest loss among those without rare sets.

    Notes
    -----
    A cut is given by the inner nodes that it closes, with each all below it, and its loss is a sum over them. A rare
    set of nodes asks for the parent of one of its nodes to be closed. So the cheapest cut is a linear program in
    variables that are 0 or 1, with one row per rare set and one per edge of the tree. For pairs of nodes only the
    highest rare ones matter and all of them are known at once. Of larger sets those become rows that are rare at the
    cut found last, lifted as high as they stay rare; then a cheapest cut is found again, which can only lose more. Once
    nothing is rare the cut is the best there is.
    """
    # Step 1: all clauses of rare nodes and pairs.
    clauses = Clauses.of(leaf_sets.tree, leaf_sets.settled_pairs(k) if m > 1 else np.empty((0, 1), dtype=np.int64))
    exact, rounds = True, 0
    for size in range(min(m, 2), m + 1):
        while True:
            # Step 2: the cheapest cut that fulfils the clauses known so far: a lower bound of the loss.
            closed, solved = cheapest_cut(clauses, leaf_sets.closing_costs)
            exact, rounds = exact and solved, rounds + 1
            # Step 3: what is still rare at this cut becomes further clauses; none left means that the bound is reached.
            rare = leaf_sets.rare_at(closed, k, size, most=PER_ROUND)
            if not len(rare):
                break
            if rounds >= ROUNDS:
                return _settled_greedily(leaf_sets, closed, k, m)
            clauses = clauses.with_rare(leaf_sets.lifted(rare, k))
    closed = closed if exact else reopened(leaf_sets, closed, k, m)
    return FoundCut(closed, leaf_sets.cost(closed), optimal=exact)


def cheapest_cut(clauses: Clauses, costs: IntArray) -> tuple[BoolArray, bool]:
    """Return the cheapest closed nodes that make all clauses true, and whether they are proven to be the cheapest."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415  slow to import
    from scipy.sparse import coo_array  # noqa: PLC0415

    if not len(clauses.sets):
        return clauses.closed, True
    free = np.flatnonzero(clauses.tree.inner & ~clauses.closed)
    entries, rows, columns, least = _program(clauses, free)
    matrix = coo_array((entries, (rows, columns)), shape=(len(least), len(free))).tocsr()
    solution = milp(
        costs[free] * (SCALE / max(int(costs.sum()), 1)),
        constraints=LinearConstraint(matrix, least),
        bounds=Bounds(0, 1),
        integrality=np.ones(len(free), dtype=np.int64),
        options={"mip_rel_gap": 0, "node_limit": NODES},
    )
    closed = clauses.closed.copy()
    closed[free] = True if solution.x is None else solution.x > 0.5
    return closed, solution.status == 0


def _program(clauses: Clauses, free: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return the entries of the program with their rows and columns, and the least value of each row."""
    parent = clauses.tree.parent
    place = np.full(len(clauses.tree) + 1, -1)
    place[free] = np.arange(len(free))
    rows, columns = np.nonzero(clauses.sets >= 0)
    below = free[place[parent[free]] >= 0]  # a closed node closes those below: below - above >= 0
    edges = len(clauses.sets) + np.arange(len(below))
    return (
        np.concatenate([np.ones(len(rows), dtype=np.int64), np.ones_like(below), -np.ones_like(below)]),
        np.concatenate([rows, edges, edges]),
        np.concatenate([place[clauses.sets[rows, columns]], place[below], place[parent[below]]]),
        np.repeat([1, 0], [len(clauses.sets), len(below)]),
    )


def _settled_greedily(leaf_sets: LeafSets, closed: BoolArray, k: int, m: int) -> FoundCut:
    settled = reopened(leaf_sets, apriori_cut(leaf_sets, k, m, closed), k, m)
    return FoundCut(settled, leaf_sets.cost(settled), optimal=False)
