"""Sub-trees whose records can form groups by themselves: the fixtures of S10.21, both forms of the search."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from algorithms.histories.diseases import DISEASES
from krypsis.algorithms.histories.families import buckets_of, families_of, level_and_code, subtrees
from krypsis.data.hierarchies.base import Hierarchy
from oracles import correlation as plain
from oracles.histories import eligible
from strategies import hierarchies

FLAT = [["a1", "A", "root"], ["a2", "A", "root"], ["a3", "A", "root"], ["b1", "B", "root"], ["b2", "B", "root"]]
WIDE = Hierarchy.from_rows([*FLAT, ["c1", "C", "root"], ["c2", "C", "root"]])
DEEP = Hierarchy.from_rows(
    [
        ["a1", "A", "P", "root"],
        ["a2", "A", "P", "root"],
        ["b1", "B", "P", "root"],
        ["b2", "B", "P", "root"],
        ["c1", "C", "C", "root"],
        ["c2", "C", "C", "root"],
    ]
)
ways = pytest.mark.parametrize("way", ["sub-trees", "whole", "anatomize"])


def parts_of(families, counts, m):
    nodes = subtrees(families, np.array(counts), m)
    levels, codes = level_and_code(families.taxonomy, nodes[np.array(counts) > 0])
    return {families.taxonomy.labels[level][code] for level, code in zip(levels, codes, strict=True)}


@pytest.mark.parametrize(
    ("tree", "counts", "expected"),
    [
        (WIDE, [2, 1, 1, 3, 3, 2, 2], {"A", "B", "C"}),
        (WIDE, [2, 1, 1, 3, 3, 4, 1], {"root"}),
        (DEEP, [2, 2, 3, 1, 2, 2], {"C", "P"}),
    ],
)
def test_the_smallest_parts_of_the_worked_cases(tree, counts, expected):
    """S10.21, ``sub.trees``: every leaf is a family."""
    assert parts_of(families_of(tree, Fraction(len(tree.values))), counts, 2) == expected


def test_the_running_example_cannot_be_cut():
    """S10.20: X has 6 of the 8 records that are not cancer."""
    families = families_of(DISEASES, Fraction(8, 5))
    counts = [{"X": 6, "Y": 2, "Cancer": 4}[label] for label in families.labels]
    assert parts_of(families, counts, 2) == {"Any"}


def test_the_printed_search_leaves_parts_that_overlap():
    """Erratum 23: A was taken before its grandparent is, and is no child of it."""
    tree = plain.Tree(
        Hierarchy.from_rows(
            [
                *[[leaf, "A", "P", "Q", "root"] for leaf in ("a1", "a2")],
                ["p", "p", "P", "Q", "root"],
                ["q", "q", "q", "Q", "root"],
                *[[leaf, "C", "C", "C", "root"] for leaf in ("c1", "c2")],
            ]
        )
    )
    leaves = [frozenset({leaf}) for leaf in tree.leaves]
    counts = dict(zip(leaves, [1, 1, 3, 1, 1, 1], strict=True))
    printed, meant = (plain.subtrees(tree, leaves, counts, 2, printed=how) for how in (True, False))
    assert sum(map(len, printed)) > len(tree.root)
    assert sum(map(len, meant)) == len(tree.root)


@st.composite
def cases(draw):
    hierarchy = draw(hierarchies(values=("1", "2", "3", "4", "5", "6", "7")))
    e = draw(st.fractions(min_value=1, max_value=7, max_denominator=5))
    families, m = families_of(hierarchy, e), draw(st.integers(2, 3))
    counts = draw(st.lists(st.integers(0, 6), min_size=len(families), max_size=len(families)))
    assume(sum(counts) and eligible(counts, m))
    return families, np.array(counts), m


@given(cases())
def test_the_parts_are_those_of_the_repaired_search_from_the_leaves_up(case):
    families, counts, m = case
    names = np.array(families.taxonomy.values, dtype=object)
    leaves = [frozenset(names[families.of_value == family]) for family in range(len(families))]
    expected = plain.subtrees(plain.Tree(families.taxonomy), leaves, dict(zip(leaves, counts, strict=True)), m)
    parts = subtrees(families, counts, m)
    for part in set(parts[counts > 0].tolist()):
        inside = {leaf for leaf, its, many in zip(leaves, parts, counts, strict=True) if its == part and many}
        (above,) = [node for node in expected if inside <= {leaf for leaf in leaves if leaf <= node}]
        assert inside == {leaf for leaf, many in zip(leaves, counts, strict=True) if leaf <= above and many}


@given(cases())
def test_every_part_can_form_groups_by_itself(case):
    families, counts, m = case
    parts = subtrees(families, counts, m)
    assert all(eligible(counts[parts == part].tolist(), m) for part in set(parts.tolist()))


@ways
@given(case=cases())
def test_buckets_take_all_records_and_have_enough_families(way, case):
    families, counts, m = case
    buckets, depth = buckets_of(families, counts, m, way)
    taken = np.bincount(buckets.nodes, depth[buckets.owners], minlength=len(families))
    assert taken.tolist() == counts.tolist()
    assert buckets.sizes.min() >= m
    assert all(len(set(buckets.members(number).tolist())) == size for number, size in enumerate(buckets.sizes))


@given(case=cases())
def test_dealing_makes_groups_of_less_than_twice_the_least_size(case):
    families, counts, m = case
    buckets, depth = buckets_of(families, counts, m, "anatomize")
    assert buckets.sizes.max() < 2 * m
    assert depth.sum() == counts.sum() // m
