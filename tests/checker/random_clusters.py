"""Random forests of clusters, of any form that the published form allows, for tests."""

import numpy as np
from tests.transactions.clusters import clusters

from krypsis.data.transactions import Disassociated

ITEMS = "abcdefg"
Chunks = list[tuple[int, list[list[str]]]]


def random_forest(rng: np.random.Generator) -> Disassociated:
    """Return two to four small clusters under one to three joint ones, any items in any chunks."""
    leaves = int(rng.integers(2, 5))
    sizes = rng.integers(2, 6, leaves).tolist()
    parents = _random_parents(leaves, rng)
    below = [_leaves_below(node, leaves, parents) for node in range(len(parents))]
    shared: list[set[str]] = [set() for _ in range(leaves)]
    chunks: Chunks = []
    for node in range(len(parents)):
        records = sum(sizes[leaf] for leaf in below[node])
        chunks += (own := _random_chunks(node, records, rng))
        if node >= leaves:
            for leaf in below[node]:
                shared[leaf].update(item for _, pieces in own for piece in pieces for item in piece)
    terms = [_random_terms(leaf, chunks, shared[leaf], rng) for leaf in range(leaves)]
    return clusters(chunks, sizes, parents, terms)


def _random_parents(leaves: int, rng: np.random.Generator) -> list[int]:
    """Join two or three nodes without a parent at a time."""
    parents, free = [-1] * leaves, list(range(leaves))
    for _ in range(int(rng.integers(1, 4))):
        if len(free) < 2:
            break
        rng.shuffle(free)
        for child in free[: int(rng.integers(2, 4))]:
            parents[child] = len(parents)
        free = [node for node in free if parents[node] < 0] + [len(parents)]
        parents.append(-1)
    return parents


def _leaves_below(node: int, leaves: int, parents: list[int]) -> list[int]:
    found = []
    for leaf in range(leaves):
        above = leaf
        while above not in (-1, node):
            above = parents[above]
        found += [leaf] if above == node else []
    return found


def _random_chunks(node: int, records: int, rng: np.random.Generator) -> Chunks:
    """Return one to three chunks of a node, of few items each; every kind of piece two or three times."""
    free, chunks = list(rng.permutation(list(ITEMS))), []
    for _ in range(int(rng.integers(0 if records < 4 else 1, 4))):
        domain = [free.pop() for _ in range(int(rng.integers(1, 3)))]
        kinds = [sorted(rng.choice(domain, rng.integers(1, len(domain) + 1), replace=False).tolist()) for _ in range(2)]
        pieces = [kind for kind in kinds for _ in range(int(rng.integers(1, 4)))]
        chunks.append((node, pieces[:records]))
    return chunks


def _random_terms(leaf: int, chunks: Chunks, shared: set[str], rng: np.random.Generator) -> list[str]:
    own = {item for node, pieces in chunks if node == leaf for piece in pieces for item in piece}
    free = [item for item in ITEMS if item not in own | shared]
    return sorted(item for item in free if rng.random() < 0.3)
