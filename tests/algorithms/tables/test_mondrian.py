"""Mondrian's groups: those of the paper's algorithm, within the bounds of its theorems."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import krypsis
from algorithms.tables.mondrian_reference import any_cut, strict
from krypsis.algorithms.tables.mondrian import partition
from krypsis.errors import Infeasible
from krypsis.release.order import in_input_order

ARMS = [(0, 0)] * 4 + [(1, 0), (-1, 0), (0, 1), (0, -1)] * 2
"""Twelve points that no cut divides for k = 3: 2·d·(k − 1) + m of them."""


@st.composite
def point_tables(draw, max_rows=40, largest=6):
    axes = draw(st.integers(1, 3))
    rows = draw(st.lists(st.tuples(*[st.integers(-2, largest)] * axes), min_size=1, max_size=max_rows))
    return rows, draw(st.integers(1, 5))


def table_of(rows, secret=None):
    columns = {f"q{axis}": [row[axis] for row in rows] for axis in range(len(rows[0]))}
    return pl.DataFrame(columns | {"s": secret or ["x"] * len(rows), "row": range(len(rows))})


def release_of(rows, k, algorithm="mondrian", models=(), secret=None, **options):
    table = table_of(rows, secret)
    roles = {name: "quasi-identifier" for name in table.columns if name.startswith("q")}
    return krypsis.anonymize(
        table,
        roles | {"s": "sensitive", "row": "insensitive"},
        models=[f"k-anonymity:k={k}", *models],
        algorithm=algorithm,
        metric=options.pop("metric", "generalized-loss"),
        **options,
    )


def groups_of(release):
    """The row numbers of each group, by what is published."""
    names = [name for name in release.table.columns if name.startswith("q")]
    return release.table.group_by(names).agg(pl.col("row").sort())["row"].to_list()


def as_sets(groups):
    return {frozenset(group) for group in groups}


@given(drawn=point_tables())
@example(drawn=([(25,), (26,), (27,), (28,)], 2))
@example(drawn=([(1,), (1,), (2,), (2,), (2,), (2,)], 2))
def test_the_groups_are_those_of_the_papers_algorithm_with_the_corrected_median(drawn):
    rows, k = drawn
    if len(rows) < k:
        with pytest.raises(Infeasible):
            release_of(rows, k)
        return
    assert as_sets(groups_of(release_of(rows, k))) == as_sets(strict(rows, k))


@given(drawn=point_tables(), secret=st.data())
def test_a_part_is_cut_only_if_every_model_accepts_both_sides(drawn, secret):
    rows, k = drawn
    values = secret.draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))

    def diverse(part):
        return len({values[row] for row in part}) >= 2

    if len(rows) < k or not diverse(range(len(rows))):
        with pytest.raises(Infeasible):
            release_of(rows, k, models=["distinct-l-diversity:l=2"], secret=values)
        return
    release = release_of(rows, k, models=["distinct-l-diversity:l=2"], secret=values)
    assert as_sets(groups_of(release)) == as_sets(strict(rows, k, diverse))


@given(drawn=point_tables(), choose=st.sampled_from(["width", "ncp", "classification"]))
@example(drawn=(ARMS, 3), choose="width")
def test_no_group_can_be_cut_further_and_none_is_larger_than_the_bound(drawn, choose):
    rows, k = drawn
    if len(rows) < k:
        return
    groups = groups_of(release_of(rows, k, f"mondrian:choose={choose}"))
    for group in groups:
        assert len(group) >= k
        assert not any_cut(rows, group, k)
        assert len(group) <= 2 * len(rows[0]) * (k - 1) + max(Counter(rows).values())


@given(drawn=point_tables())
def test_strict_groups_are_boxes_that_do_not_overlap(drawn):
    rows, k = drawn
    if len(rows) < k:
        return
    points = np.array(rows)
    boxes = [(points[group].min(axis=0), points[group].max(axis=0)) for group in groups_of(release_of(rows, k))]
    for place, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:place]:
            assert (high < other_low).any() or (other_high < low).any()


@given(drawn=point_tables(), choose=st.sampled_from(["width", "ncp", "classification"]))
@example(drawn=(ARMS, 3), choose="width")
@example(drawn=([(1, 1)] * 9, 2), choose="width")
def test_relaxed_parts_have_at_least_k_and_less_than_twice_k_records(drawn, choose):
    rows, k = drawn
    if len(rows) < k:
        return
    release = release_of(rows, k, f"mondrian-relaxed:choose={choose}")
    assert all(release.verdicts)
    [told] = release.evidence.recoding.figures  # parts that look alike are one group to a reader
    assert k <= told["smallest"] <= told["largest"] <= 2 * k - 1


def test_the_arms_that_no_strict_cut_divides_are_divided_by_a_relaxed_one():
    assert sorted(map(len, groups_of(release_of(ARMS, 3)))) == [12]
    assert len(groups_of(release_of(ARMS, 3, "mondrian-relaxed"))) > 1


@given(drawn=point_tables(max_rows=60), algorithm=st.sampled_from(["mondrian", "mondrian-relaxed"]))
def test_the_number_of_threads_changes_nothing(drawn, algorithm):
    rows, k = drawn
    if len(rows) < k:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition, "WORTH_A_THREAD", 0)
        tables = [in_input_order(release_of(rows, k, f"{algorithm}:threads={threads}")) for threads in (1, 2, 3)]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


@given(drawn=point_tables(), shuffled=st.data(), algorithm=st.sampled_from(["mondrian", "mondrian-relaxed"]))
def test_the_order_of_records_changes_nothing(drawn, shuffled, algorithm):
    rows, k = drawn
    if len(rows) < k:
        return
    order = shuffled.draw(st.permutations(rows))
    tables = [release_of(part, k, algorithm).table.drop("row") for part in (rows, order)]
    assert Counter(tables[0].rows()) == Counter(tables[1].rows())


TREE = {"food": {"fruit": ["apple", "pear"], "root": ["beet", "carrot", "leek"]}, "tool": ["saw"]}
LEAVES = ("apple", "pear", "beet", "carrot", "leek", "saw")
CHILDREN = ({"apple", "pear", "beet", "carrot", "leek"}, {"saw"}, {"apple", "pear"}, {"beet", "carrot", "leek"})


@given(things=st.lists(st.sampled_from(LEAVES), min_size=1, max_size=30), k=st.integers(1, 4))
def test_along_a_tree_no_child_can_be_taken_away_from_the_others(things, k):
    if len(things) < k:
        return
    table = pl.DataFrame({"thing": things, "row": range(len(things))})
    release = krypsis.anonymize(
        table,
        {"thing": "quasi-identifier", "row": "insensitive"},
        hierarchies={"thing": TREE},
        models=f"k-anonymity:k={k}",
        algorithm="mondrian",
    )
    for (label,), part in release.table.group_by("thing"):
        found = [things[row] for row in part["row"]]
        smallest = min((node for node in nodes() if set(found) <= node), key=len)
        assert label == name_of(smallest)
        for child in children(smallest):
            taken = sum(thing in child for thing in found)
            assert not (taken >= k and len(found) - taken >= k)


def nodes():
    return [set(LEAVES), *CHILDREN, *({leaf} for leaf in LEAVES)]


def name_of(node):
    names = {frozenset(LEAVES): "*", frozenset(CHILDREN[0]): "food", frozenset(CHILDREN[2]): "fruit"}
    names |= {frozenset(CHILDREN[3]): "root", frozenset({"saw"}): "saw"}
    return names.get(frozenset(node)) or next(iter(node))


def children(node):
    below = [other for other in nodes() if other < node]
    return [child for child in below if not any(child < other for other in below)]
