"""Utility policies: listed sets, nodes of a hierarchy, siblings, frequent itemsets."""

import csv
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.sets.disassociation.disassociation import Disassociation, read_policy, wanted_sets
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Transactions
from krypsis.errors import UsageError
from krypsis.registry import create

CODES = Hierarchy.from_rows(
    [
        ["296.00", "296", "mental", "*"],
        ["296.01", "296", "mental", "*"],
        ["296.02", "296", "mental", "*"],
        ["295.04", "295", "mental", "*"],
        ["834.0", "834", "injury", "*"],
        ["944.01", "944", "injury", "*"],
    ]
)
SETS = Transactions.of_sets([["296.00", "296.01"], ["296.00", "296.01", "834.0"], ["834.0", "944.01"], ["295.04"]])


def wanted(policy, hierarchy=CODES):
    return {frozenset(one) for one in wanted_sets(read_policy(policy), SETS, hierarchy)}


def test_one_set_for_each_node_of_a_level():
    assert wanted("hierarchy level 2") == {
        frozenset({"296.00", "296.01", "296.02", "295.04"}),
        frozenset({"834.0", "944.01"}),
    }
    assert len(wanted("hierarchy level 1")) == 4


def test_siblings_are_taken_from_the_lowest_node_that_has_enough_of_them():
    # Two of the three codes below 296; the third with its sibling at the next level; the injuries there, too.
    assert wanted("similarity 2") == {
        frozenset({"296.00", "296.01"}),
        frozenset({"295.04", "296.02"}),
        frozenset({"834.0", "944.01"}),
    }
    assert wanted("similarity 4") == {frozenset({"295.04", "296.00", "296.01", "296.02"})}


def test_sets_that_a_share_of_the_records_holds():
    assert wanted("frequency 50%", None) == {frozenset({"296.00", "296.01"})}
    pairs = [frozenset(pair) for one in SETS.sets() for pair in combinations(sorted(one), 2)]
    assert wanted("frequency 25%", None) == {*pairs, frozenset({"296.00", "296.01", "834.0"})}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("hierarchy level 0", "whole number of at least 1"),
        ("hierarchy level 1.5", "whole number of at least 1"),
        ("similarity 10%", "expected 'hierarchy level 1'"),
        ("frequency 10", "expected 'hierarchy level 1'"),
        ("frequency 0%", "more than 0%"),
        ("frequency 101%", "at most 100%"),
    ],
)
def test_a_rule_with_a_wrong_number_is_refused(given, words):
    with pytest.raises(UsageError, match=words):
        create("algorithm", {"name": "disassociation", "constraints": given})


def test_a_rule_about_levels_needs_a_hierarchy_with_that_level():
    with pytest.raises(UsageError, match="give one for the items"):
        wanted("hierarchy level 1", None)
    with pytest.raises(UsageError, match="levels 1 to 3, got level 7"):
        wanted("hierarchy level 7")


def test_listed_items_of_which_none_occurs_are_refused():
    with pytest.raises(UsageError, match=r"such as 'x'; items are such as '295\.04'"):
        wanted('"x,y"')


@given(
    st.lists(st.lists(st.text('ab, "é', min_size=1).filter(str.strip), min_size=1, max_size=3), max_size=3).map(
        lambda sets: tuple(tuple(one) for one in sets)
    )
)
def test_listed_sets_are_read_back_from_the_spec(sets):
    method = Disassociation(constraints=sets)
    assert create("algorithm", method.spec) == method


@pytest.mark.data
def test_siblings_of_five_codes_are_those_of_the_public_file(data_folder):
    folder = data_folder / "ehr"
    with (folder / "synthetic-icd9-records.csv").open(encoding="utf-8") as lines:
        records = [[code.strip() for code in line if code.strip()] for line in csv.reader(lines)]
    codes = sorted({code for one in records for code in one})
    tree = Hierarchy.from_rows([[code, code.split(".")[0], "*"] for code in codes])
    found = wanted_sets("similarity 5", Transactions.of_sets(records[:1]), tree)
    with (folder / "utility-similarity-sim5.csv").open(encoding="utf-8") as lines:
        expected = [tuple(codes.split(",")) for row in csv.DictReader(lines) for codes in row.values()]
    assert sorted(found) == sorted(expected)
