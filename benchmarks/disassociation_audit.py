"""Disassociation of small random data: how often an integer program over all data that fit finds a broken promise.

Every data set is published by the hardened and by the printed variant. For every set of up to m items of every tree
of clusters, the exact audit asks how many records of one possible original can hold them at most; some, but
fewer than k, breaks the promise. The conditions of the checker must accept nothing that the audit refuses.
"""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import islice
from multiprocessing import get_context
from os import cpu_count
from time import process_time
from typing import NamedTuple

import numpy as np

from benchmarks.results import Results
from krypsis.algorithms.sets.base import SetTask
from krypsis.algorithms.sets.disassociation.disassociation import Disassociation
from krypsis.checker.chunk_audit import examine, roots, violations
from krypsis.checker.disassociation import problems
from krypsis.data.transactions import Disassociated, Transactions
from krypsis.models.km_anonymity import KmAnonymity

CASES = 20_000
BLOCK = 250
VARIANTS = ("hardened", "printed")
Audited = dict[str, Counter[str]]


class Case(NamedTuple):
    """Records, and how they are to be published."""

    sets: Transactions
    k: int
    m: int
    max_cluster_size: int


def measure(results: Results) -> None:
    found: Audited = {variant: Counter() for variant in VARIANTS}
    with ProcessPoolExecutor(cpu_count(), get_context("spawn")) as workers:
        for part in workers.map(audit, range(0, CASES, BLOCK)):
            for variant, counts in part.items():
                found[variant] += counts
    for variant, counts in found.items():
        told = ", ".join(f"{name.replace('_', ' ')} {counts[name]:,}" for name in NAMES)
        results.add(f"{variant}, {CASES:,} data sets", counts["milliseconds"] / 1000, note=told)


NAMES = (
    "data_sets_with_a_violation",
    "violating_combinations",
    "releases_with_joint_clusters",
    "trees_of_clusters",
    "accepted_by_conditions",
    "wrongly_accepted",
)


def audit(first: int) -> Audited:
    """Return what was found for the next block of data sets."""
    found: Audited = {variant: Counter() for variant in VARIANTS}
    for case in islice(cases(first), BLOCK):
        for variant in VARIANTS:
            start = process_time()
            found[variant] += audited(case, variant)
            found[variant]["milliseconds"] += round((process_time() - start) * 1000)
    return found


def cases(seed: int) -> Iterator[Case]:
    """Yield small data sets: few items, some of them in most records, some in few."""
    rng = np.random.default_rng(seed)
    while True:
        k = int(rng.integers(2, 4))
        records, items = int(rng.integers(2 * k, 5 * k + 1)), int(rng.integers(4, 9))
        weights = 1 / np.arange(1, items + 1)
        drawn = [rng.choice(items, rng.integers(1, 4), p=weights / weights.sum()) for _ in range(records)]
        sets = Transactions.of_sets([[f"t{item}" for item in one.tolist()] for one in drawn])
        yield Case(sets, k, int(rng.choice([2, 2, 2, 3])), k + int(rng.integers(1, 4)))


def audited(case: Case, variant: str) -> Counter[str]:
    """Return what the audit finds in the release of a data set."""
    promise = KmAnonymity(k=case.k, m=case.m)
    method = Disassociation(variant=variant, max_cluster_size=case.max_cluster_size)
    published = method.publish(SetTask(case.sets, [promise]), np.random.default_rng(1)).published
    trees = list(roots(published))
    broken = sum(_broken(_form(published, tree), case.k, case.m) for tree in trees)
    is_accepted = not problems(published) and examine(published, promise.m).level >= case.k
    return Counter(
        data_sets_with_a_violation=int(broken > 0),
        violating_combinations=broken,
        releases_with_joint_clusters=int(len(published.parents) > published.clusters),
        trees_of_clusters=len(trees),
        accepted_by_conditions=int(is_accepted),
        wrongly_accepted=int(is_accepted and broken > 0),
    )


Numbers = tuple[int, ...]
Form = tuple[tuple[tuple[int, tuple[Numbers, ...]], ...], Numbers, Numbers, tuple[Numbers, ...]]
"""A tree on its own: chunks as nodes with their pieces, sizes, parents, and term chunks."""


def _form(published: Disassociated, nodes: list[int]) -> Form:
    """Return a tree with its nodes and items numbered anew: many trees of small data are the same but for names."""
    place = {node: number for number, node in enumerate(sorted(nodes))} | {-1: -1}
    name: dict[int, int] = {}

    def renamed(one: Transactions, record: int) -> Numbers:
        codes = one.codes[one.starts[record] : one.starts[record + 1]].tolist()
        return tuple(sorted(name.setdefault(code, len(name)) for code in codes))

    chunks = []
    for chunk in np.flatnonzero(np.isin(published.chunk_nodes, nodes)).tolist():
        start, end = published.chunk_starts[chunk : chunk + 2].tolist()
        pieces = tuple(sorted(renamed(published.pieces, piece) for piece in range(start, end)))
        chunks.append((place[int(published.chunk_nodes[chunk])], pieces))
    leaves = [node for node in sorted(nodes) if node < published.clusters]
    sizes = tuple(int(published.sizes[leaf]) for leaf in leaves)
    parents = tuple(place[int(published.parents[node])] for node in sorted(nodes))
    return tuple(chunks), sizes, parents, tuple(renamed(published.terms, leaf) for leaf in leaves)


@cache
def _broken(form: Form, k: int, m: int) -> int:
    """Return how many sets of up to m items some records of a tree can hold, but fewer than k."""
    chunks, sizes, parents, terms = form
    pieces = Transactions.of_sets([piece for _, one in chunks for piece in one])
    starts = np.cumsum([0, *(len(one) for _, one in chunks)])
    nodes = [node for node, _ in chunks]
    tree = Disassociated.of(pieces, starts, nodes, sizes=sizes, parents=parents, terms=Transactions.of_sets(terms))
    return len(violations(tree, list(range(len(parents))), k, m))
