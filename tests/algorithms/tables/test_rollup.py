"""Groups rolled up from any node below are the groups of the table."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.lattice import lattice
from krypsis.algorithms.tables.lattice.lattice import MergedLater, NodeGroups, Rollup
from krypsis.data.groups import Domain, Histogram
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet
from krypsis.kernels.rows import merge
from oracles.brute_force import BruteForce
from strategies import frequency_sets


def described(frequency: FrequencySet, node: NodeGroups) -> Counter:
    """The groups as published labels with their sizes and sensitive values."""
    described = Counter()
    for group, (row, size) in enumerate(zip(node.tuples, node.sizes, strict=True)):
        labels = tuple(
            hierarchy.labels[level][hierarchy.table[level, code]]
            for hierarchy, level, code in zip(frequency.hierarchies, node.levels, frequency.codes[row], strict=True)
        )
        secrets = tuple(
            tuple(
                sorted(
                    (histogram.value[entry], histogram.count[entry])
                    for entry in np.flatnonzero(histogram.group == group)
                )
            )
            for histogram in node.sensitive.values()
        )
        described[labels, int(size), secrets] += 1
    return described


def expected(frequency: FrequencySet, levels: tuple[int, ...]) -> Counter:
    force = BruteForce(frequency)
    members: dict = {}
    for values, secret in force.rows:
        members.setdefault(force.release(values, levels), []).append(secret)
    domains = [histogram.domain.values for histogram in frequency.sensitive.values()]
    return Counter(
        (
            labels,
            len(secrets),
            tuple(
                tuple(sorted(Counter(domain.index(secret[position]) for secret in secrets).items()))
                for position, domain in enumerate(domains)
            ),
        )
        for labels, secrets in members.items()
    )


@given(frequency_sets(), st.data())
def test_rolled_up_groups_are_the_groups_of_the_table(frequency, data):
    middle = tuple(data.draw(st.integers(0, height)) for height in frequency.heights)
    above = tuple(data.draw(st.integers(low, high)) for low, high in zip(middle, frequency.heights, strict=True))
    maker = Rollup(frequency)
    finer, _ = maker.coarsen(maker.bottom(), middle)
    coarser, numbers = maker.coarsen(finer, above)
    assert described(frequency, finer) == expected(frequency, middle)
    assert described(frequency, coarser) == expected(frequency, above)
    assert np.bincount(numbers, finer.sizes).tolist() == coarser.sizes.tolist()


@given(frequency_sets(), st.sampled_from([2, 5, 30]), st.data())
def test_keys_that_would_overflow_are_made_in_several_passes(frequency, space, data):
    levels = tuple(data.draw(st.integers(0, height)) for height in frequency.heights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lattice, "KEY_SPACE", space)
        maker = Rollup(frequency)
        node, _ = maker.coarsen(maker.bottom(), levels)
    assert described(frequency, node) == expected(frequency, levels)


def test_thirty_wide_attributes_overflow_64_bits_and_stay_exact():
    wide = Hierarchy.from_rows([[str(value), "*"] for value in range(1000)])  # 30 digits of about 10 bits
    codes = np.random.default_rng(1).integers(0, 1000, (200, 30), dtype=np.int32)
    codes[100:] = codes[:100]
    codes[199, 29] = (codes[199, 29] + 1) % 1000  # differs from its twin in the last column alone
    frequency = FrequencySet(tuple(f"q{i}" for i in range(30)), (wide,) * 30, codes, np.ones(200, dtype=np.int64))
    node, _ = Rollup(frequency).coarsen(Rollup(frequency).bottom(), (0,) * 30)
    assert sorted(node.sizes.tolist()) == [1, 1, *[2] * 99]


def test_two_threads_may_ask_for_the_same_values_at_once():
    values = Domain(tuple(map(str, range(50))))
    count = np.arange(2000)
    whole = np.ones(50, dtype=np.int64)
    finer = {
        name: Histogram(count, (count * factor) % 50, np.ones(2000, dtype=np.int64), whole, values)
        for name, factor in (("a", 7), ("b", 11), ("c", 13))
    }
    numbers = (count % 40).astype(np.int32)
    expected = {name: merge(histogram, numbers).count.tolist() for name, histogram in finer.items()}
    with ThreadPoolExecutor(8) as pool:
        for _ in range(200):
            later = MergedLater(finer, numbers)
            found = list(pool.map(lambda name: (name, later[name].count.tolist()), "abcabcabcabc"))  # noqa: B023
            assert all(expected[name] == counts for name, counts in found)


@given(frequency_sets(), st.data())
def test_values_that_nobody_asked_for_on_the_way_are_the_same(frequency, data):
    """Whichever nodes between were looked at, in whatever order."""
    maker = Rollup(frequency)
    nodes = [maker.bottom()]
    for _ in range(3):
        levels = tuple(
            data.draw(st.integers(low, high)) for low, high in zip(nodes[-1].levels, frequency.heights, strict=True)
        )
        nodes.append(maker.coarsen(nodes[-1], levels)[0])
        if data.draw(st.booleans()):
            described(frequency, nodes[-1])
    for node in reversed(nodes):
        assert described(frequency, node) == expected(frequency, node.levels)


def test_values_not_asked_for_hold_on_to_the_first_table_only():
    tuples = 1000
    codes = np.arange(tuples, dtype=np.int32).reshape(-1, 1)
    rows = [[str(code), str(code // 2), str(code // 4), str(code // 8), "*"] for code in range(tuples)]
    ones = np.ones(tuples, dtype=np.int64)
    secrets = Histogram(np.arange(tuples), np.arange(tuples) % 2, ones, np.array([500, 500]), Domain(("a", "b")))
    frequency = FrequencySet(("q",), (Hierarchy.from_rows(rows),), codes, ones, {"s": secrets})
    maker = Rollup(frequency)
    node = maker.bottom()
    for level in (1, 2, 3, 4):
        node, _ = maker.coarsen(node, (level,))
    assert node.nbytes == 2 * 8 + tuples * 4  # one group, and where each tuple went
    assert node.sensitive["s"].count.tolist() == [500, 500]
    assert node.nbytes == 2 * 8 + 2 * 3 * 8  # one group with two values; the way there is forgotten
