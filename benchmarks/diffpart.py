"""DiffPart, for comparison: sets with noisy counts, found by opening a tree over the items from the top.

Chen, Mohammed, Fung, Desai, Xiong, "Publishing set-valued data via differential privacy", PVLDB 4(11), 2011. It is not
offered as a method: the list of items, taken from the data, would have to be known beforehand for the promise to hold,
and how many empty combinations pass the threshold is drawn in floating point. The noise of counts is that of OpenDP,
which takes no seed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import opendp.prelude as dp

from krypsis.arrays import IntArray
from krypsis.data.transactions import Transactions

FAN_OUT = 10
"""As in the paper."""

STRICT = 4.5
"""How many standard deviations of the noise a part must have. With fewer, most of the 1,023 combinations of children
that are kept would be empty ones, and they multiply with every node that is opened."""

Node = tuple[int, int]
"""Height, and place among the nodes of this height; height 0 are the items, in their order."""


@dataclass(frozen=True, eq=False)
class Part:
    """Records that look the same at a cut through the tree, and the budget that is left for opening it."""

    cut: tuple[Node, ...]
    records: IntArray
    budget: float


def diffpart(sets: Transactions, budget: float, rng: np.random.Generator) -> Transactions:
    """Return sets that keep ``budget``-differential privacy: half of it for opening nodes, half for the counts."""
    tree = _Tree(len(sets.items))
    waiting = [Part((tree.root,), np.arange(len(sets)), budget / 2)]
    cuts: list[tuple[int, ...]] = []
    counts: list[int] = []
    while waiting:
        part = waiting.pop()
        if all(height == 0 for height, _ in part.cut):
            epsilon = budget / 2 + part.budget
            count = _noisy([len(part.records)], epsilon)[0]
            if count >= 2**0.5 / epsilon:
                cuts.append(tuple(place for _, place in part.cut))
                counts.append(count)
        else:
            waiting += _opened(part, sets, tree, rng)
    return _copies(sets.items, cuts, counts)


class _Tree:
    """A tree of fixed fan-out over items in their order."""

    def __init__(self, items: int) -> None:
        self.items, self.height = items, 1
        while FAN_OUT**self.height < items:
            self.height += 1
        self.root = (self.height, 0)

    def children(self, node: Node) -> int:
        height, place = node
        covered = min(self.items - place * FAN_OUT**height, FAN_OUT**height)
        return int(-(-covered // FAN_OUT ** (height - 1)))

    def inner(self, node: Node) -> int:
        """Return how many nodes have to be opened below a node and with it until only items are left."""
        height, place = node
        covered = min(self.items - place * FAN_OUT**height, FAN_OUT**height)
        return sum(int(-(-covered // FAN_OUT**level)) for level in range(1, height + 1))


def _opened(part: Part, sets: Transactions, tree: _Tree, rng: np.random.Generator) -> list[Part]:
    """Open the highest node of a cut: return the parts that are large enough with noise, empty ones as well."""
    node = max(part.cut)
    others = tuple(one for one in part.cut if one != node)
    epsilon = part.budget / sum(tree.inner(one) for one in part.cut)
    masks = _masks(part.records, sets, node)
    order = np.argsort(masks, kind="stable")
    found, first = np.unique(masks[order], return_index=True)
    members = np.split(part.records[order], first[1:]) if len(found) else []
    least = STRICT * 2**0.5 / epsilon
    noisy = _noisy([len(one) for one in members], epsilon)
    chosen = [(int(mask), one) for mask, one, size in zip(found, members, noisy, strict=True) if size >= least]
    chosen += [(mask, part.records[:0]) for mask in _empty(found, tree.children(node), epsilon, least, rng)]
    left = part.budget - epsilon
    return [Part((*others, *_chosen_children(node, mask)), one, left) for mask, one in chosen]


def _masks(records: IntArray, sets: Transactions, node: Node) -> IntArray:
    """Return for each record which children of a node it has items below, bit by bit."""
    height, place = node
    own = sets.taken(records)
    low, width = place * FAN_OUT**height, FAN_OUT ** (height - 1)
    inside = (own.codes >= low) & (own.codes < low + FAN_OUT**height)
    masks = np.zeros(len(own), dtype=np.int64)
    np.bitwise_or.at(masks, own.records[inside], np.left_shift(1, (own.codes[inside].astype(np.int64) - low) // width))
    return masks


def _empty(found: IntArray, children: int, epsilon: float, least: float, rng: np.random.Generator) -> list[int]:
    """Return the combinations of children that nobody has and that noise makes large enough."""
    ratio = np.exp(-epsilon)
    chance = ratio ** np.ceil(least) / (1 + ratio)
    combinations = 2**children - 1
    number = int(rng.binomial(combinations - len(found), chance))
    taken: set[int] = set()
    while len(taken) < number:
        mask = int(rng.integers(1, combinations + 1))
        if mask not in found:
            taken.add(mask)
    return sorted(taken)


def _chosen_children(node: Node, mask: int) -> list[Node]:
    height, place = node
    return [(height - 1, place * FAN_OUT + child) for child in range(FAN_OUT) if mask >> child & 1]


def _noisy(counts: list[int], epsilon: float) -> list[int]:
    """Return counts with discrete Laplace noise."""
    return _laplace(epsilon)(counts)


@cache
def _laplace(epsilon: float) -> Callable[[list[int]], list[int]]:
    dp.enable_features("contrib")
    counts = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    return dp.m.make_laplace(*counts, scale=1 / epsilon)


def _copies(items: tuple[str, ...], cuts: list[tuple[int, ...]], counts: list[int]) -> Transactions:
    sizes = np.repeat([len(one) for one in cuts], counts).astype(np.int64)
    copied = (np.tile(one, count) for one, count in zip(cuts, counts, strict=True))
    codes = np.concatenate([np.zeros(0, dtype=np.int64), *copied])
    return Transactions.of_pairs(np.repeat(np.arange(len(sizes)), sizes), codes, items, len(sizes))
