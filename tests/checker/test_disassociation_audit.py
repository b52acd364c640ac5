"""Small random data, published and audited exactly: an integer program over all data that could lie behind it."""

import numpy as np
import pytest

from effort import either
from krypsis.algorithms.sets.base import SetTask
from krypsis.algorithms.sets.disassociation.disassociation import Disassociation
from krypsis.checker.chunk_audit import fits_data, roots, violations
from krypsis.checker.sets import check_sets
from krypsis.data.transactions import Disassociated, Transactions
from krypsis.models.km_anonymity import KmAnonymity

BLOCKS = 10
CASES = either(100, 40)
"""In each block; in thorough runs, an exact audit of a thousand data sets altogether."""


def small_sets(rng: np.random.Generator, records: int) -> Transactions:
    """Return few records of few items, some of them in most records, some in few."""
    items = int(rng.integers(3, 6))
    weights = 1 / np.arange(1, items + 1)
    drawn = [rng.choice(items, rng.integers(1, 4), p=weights / weights.sum()).tolist() for _ in range(records)]
    return Transactions.of_sets(drawn)


def published_of(seed: int, variant: str) -> tuple[Disassociated, KmAnonymity]:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 4))
    promise = KmAnonymity(k=k, m=2)
    task = SetTask(small_sets(rng, int(rng.integers(2 * k, 4 * k))), [promise])
    method = Disassociation(variant=variant, max_cluster_size=2 * k - 1 + int(rng.integers(0, 2)))
    return method.publish(task, rng).published, promise


def broken(published: Disassociated, promise: KmAnonymity) -> list[tuple[tuple[str, ...], int]]:
    return [one for tree in roots(published) for one in violations(published, tree, promise.k, promise.m)]


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_exact_audit_finds_nothing_broken_in_what_the_hardened_variant_publishes(block: int) -> None:
    for seed in range(block * CASES, (block + 1) * CASES):
        published, promise = published_of(seed, "hardened")
        assert all(fits_data(published, tree) for tree in roots(published)), seed
        assert broken(published, promise) == [], seed


def test_the_checker_keeps_nothing_of_the_printed_variant_that_the_exact_audit_finds_broken() -> None:
    refused = 0
    for seed in range(CASES):
        published, promise = published_of(seed, "printed")
        if broken(published, promise):
            refused += 1
            assert not check_sets(published, [promise])[0].holds, seed
    assert refused > CASES // 10  # the audit sees what the paper's proof does not
