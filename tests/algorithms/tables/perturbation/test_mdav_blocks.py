"""MDAV in blocks: small groups everywhere, the groups of the paper inside a block."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis import registry
from krypsis.algorithms.tables.perturbation.microaggregation import BLOCK, FAR, Microaggregation, mdav_in_blocks
from krypsis.data.columns import NumericColumn
from oracles.mdav import mdav, squared_errors


def tables(fewest=1):
    """Rows of whole numbers, many of them equally far from each other."""
    row = st.integers(1, 3).map(lambda width: st.tuples(*[st.integers(-30, 30)] * width))
    return row.flatmap(lambda row: st.lists(row, min_size=fewest, max_size=300))


def centered(rows):
    points = np.array(rows, dtype=float)
    return points - points.mean(axis=0)


def members(groups):
    """The groups as sets of records, without their numbers."""
    return {frozenset(np.flatnonzero(groups == group).tolist()) for group in np.unique(groups)}


@given(tables(), st.integers(2, 6), st.sampled_from([16, 40, 100]))
def test_every_group_has_k_records_or_more_and_fewer_than_2k(rows, k, largest):
    groups = mdav_in_blocks(centered(rows), k, largest)
    sizes = np.bincount(groups)
    if len(rows) < k:
        assert sizes.tolist() == [len(rows)]
    else:
        assert k <= sizes.min()
        assert sizes.max() <= 2 * k - 1


@given(tables(), st.integers(2, 6))
def test_up_to_one_block_the_groups_are_those_of_the_paper(rows, k):
    points = centered(rows)
    for largest in (None, max(len(rows), 16)):
        assert mdav_in_blocks(points, k, largest).tolist() == mdav(points, k).tolist()


@given(tables(17), st.integers(2, 4), st.data())
def test_two_blocks_that_lie_apart_are_grouped_as_the_paper_groups_each(rows, k, data):
    cloud = centered(rows)
    cloud[:, 0] += np.where(np.arange(len(cloud)) % 2, 1000, -1000)
    order = data.draw(st.permutations(range(len(cloud))))
    points = cloud[np.array(order)] - cloud.mean(axis=0)
    halves = [np.flatnonzero(points[:, 0] < 0), np.flatnonzero(points[:, 0] > 0)]
    expected = {frozenset(half[sorted(group)].tolist()) for half in halves for group in members(mdav(points[half], k))}
    assert members(mdav_in_blocks(points, k, max(map(len, halves)))) == expected


@given(tables(), st.integers(2, 4))
def test_the_result_is_the_same_on_one_and_on_two_threads(rows, k):
    points = centered(rows)
    assert mdav_in_blocks(points, k, 16, threads=1).tolist() == mdav_in_blocks(points, k, 16, threads=2).tolist()


@given(tables(17), st.integers(2, 4))
def test_records_far_out_are_grouped_as_the_paper_groups_them(rows, k):
    points = centered([*rows, *[(10_000 + 7 * step,) * len(rows[0]) for step in range(k)]])
    far = FAR**2 * float((points**2).sum()) / len(points)
    outermost = int(np.argmax((points**2).sum(axis=1)))
    assert (points[outermost] ** 2).sum() > far
    first = frozenset(np.flatnonzero(mdav(points, k) == 0).tolist())
    assert first in members(mdav_in_blocks(points, k, 16))


@pytest.mark.parametrize("draw", ["normal", "uniform", "lognormal"])
def test_blocks_cost_little(draw):
    points = centered(getattr(np.random.default_rng(1), draw)(size=(2000, 2)))
    points /= points.std(axis=0)
    whole, apart = (squared_errors(points, mdav_in_blocks(points, 5, largest)) for largest in (None, 500))
    assert apart < 1.1 * whole


def test_equal_records_only_are_cut_into_blocks_without_any_error():
    sizes = np.bincount(mdav_in_blocks(np.zeros((1000, 2)), 7, 100))
    assert 7 <= sizes.min() <= sizes.max() <= 13


def test_a_block_always_has_room_for_two_groups():
    sizes = np.bincount(mdav_in_blocks(centered([(value,) for value in range(400)]), 40, 16))
    assert 40 <= sizes.min() <= sizes.max() <= 79


COLUMNS = {name: NumericColumn(name, np.random.default_rng(5).normal(50, 9, 500).round()) for name in ("age", "pay")}


def test_means_stay_and_k_records_share_each_combination_with_blocks_too():
    after = Microaggregation(k=4, block=64).perturb(COLUMNS, np.random.default_rng())
    for name, column in COLUMNS.items():
        assert after[name].values.mean() == pytest.approx(column.values.mean(), rel=1e-12)
    combinations = np.stack([after[name].values for name in COLUMNS], axis=1)
    assert np.unique(combinations, axis=0, return_counts=True)[1].min() >= 4


@pytest.mark.parametrize("block", ["64", "none"])
def test_a_release_says_how_large_the_blocks_were(block, tmp_path):
    table = pl.DataFrame({name: column.values for name, column in COLUMNS.items()})
    spec = f"microaggregation:k=4,block={block}"
    release = krypsis.anonymize(table, dict.fromkeys(COLUMNS, "QI"), algorithm=spec)
    assert release.algorithm == spec
    assert registry.create("algorithm", release.algorithm) == registry.create("algorithm", spec)
    assert str(BLOCK) in release.guarantee
    assert release.promises == ("k-anonymity:k=4",)
    release.save(tmp_path / "release")
    assert f'"{spec}"' in (tmp_path / "release" / "manifest.json").read_text("utf-8")
