"""Bottom-up: the worked examples of the thesis."""

import numpy as np
import pytest

import krypsis
from algorithms.tables.record_tables import publish, records_of
from krypsis.algorithms.tables.boxes import axes_of
from krypsis.algorithms.tables.clustering.space import RankSpace
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.metrics.loss import GeneralizedLoss

POINTS = {"x": [10, 20, 20, 50, 50, 60], "y": [60, 70, 50, 20, 10, 15]}
"""Figure 2.12, reconstructed: a to f."""

TREE = Hierarchy.from_rows(
    [
        ["a", "a", "a", "a", "root"],
        ["b", "b", "b", "N1", "root"],
        ["d", "d", "N2", "N1", "root"],
        ["e", "N3", "N2", "N1", "root"],
        ["f", "N3", "N2", "N1", "root"],
    ]
)
"""Figure 2.13, constructed: path length says that b is nearer to a than to e."""


@pytest.mark.parametrize(("groups", "penalty"), [("aabbcc", 3.5), ("aaabbb", 2.7)])
def test_two_groups_of_three_have_a_lower_penalty_than_three_of_two(groups, penalty):
    frequency = records_of(POINTS)
    space = RankSpace.of(frequency, axes_of(frequency, GeneralizedLoss()))
    rows = list(zip(POINTS["x"], POINTS["y"], strict=True))
    order = sorted(range(6), key=lambda row: rows[row])  # as the frequency set has them
    numbers = np.array([ord(groups[row]) - ord("a") for row in order], dtype=np.int32)
    assert space.penalty(numbers) == pytest.approx(penalty)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("spec", ["bottom-up", "bottom-up:block=none"])
def test_it_finds_the_two_groups_of_three(spec, k):
    release = publish(POINTS, spec, f"k-anonymity:k={k}")
    assert set(release.table.rows()) == {("[10-20]", "[50-70]"), ("[50-60]", "[10-20]")}
    widths = {"[10-20]": 10, "[50-70]": 20, "[50-60]": 10}
    assert sum(widths[x] + widths[y] if y in widths else widths[x] + 10 for x, y in release.table.rows()) == 150
    assert release.score * 6 * 2 == pytest.approx(2.7)


def test_the_fewest_values_below_the_common_ancestor_decide_and_not_the_length_of_the_path():
    release = publish({"v": ["a", "a", "b", "e"]}, "bottom-up:publish=hierarchy", hierarchies={"v": TREE}, metric="ncp")
    assert sorted(release.table["v"]) == ["N1", "N1", "a", "a"]
    assert release.score == pytest.approx((4 / 5 + 4 / 5) / 4)


def test_of_equally_cheap_partners_the_smaller_one_is_taken_then_the_first():
    """1 is as far from 0 as from 2: the first one it is. Then 2 and 3 are left for each other."""
    release = publish({"v": [0, 1, 2, 3]}, "bottom-up")
    assert set(release.table["v"]) == {"[0-1]", "[2-3]"}


def test_groups_of_twice_k_are_cut_into_as_many_as_fit():
    release = publish({"v": [0, 0, 0, 1, 5, 9, 9, 9]}, "bottom-up", "k-anonymity:k=3")
    assert krypsis.check(release.table, models=["k-anonymity:k=3"], quasi_identifiers=["v"])
    assert len(set(release.table["v"])) == 2
