import pytest
from pydantic import ValidationError

from krypsis.data.hierarchies import Taxonomy
from krypsis.errors import HierarchyError


def rows(tree):
    rule = Taxonomy(tree=tree)
    return rule.build(_some(rule), "x").rows()


def _some(built):
    """Any value will do: the hierarchy holds the whole tree."""
    return [next(iter(built.columns([], "x")))[0]]


def test_a_tree_becomes_one_row_per_leaf():
    assert rows({"Any": {"Student": ["Undergraduate", "Postgraduate"], "Employee": ["Teacher"]}}) == [
        ["Undergraduate", "Student", "Any"],
        ["Postgraduate", "Student", "Any"],
        ["Teacher", "Employee", "Any"],
    ]


def test_shallow_leaves_are_repeated_until_they_meet_their_parent():
    assert rows({"Any": {"a": {"b": ["c"]}, "d": ["e"], "f": None}}) == [
        ["c", "b", "a", "Any"],
        ["e", "e", "d", "Any"],
        ["f", "f", "f", "Any"],
    ]


@pytest.mark.parametrize(
    "tree",
    [
        {"Any": {"a": ["b", "c"], "d": None}},
        {"Any": {"a": {"b": None, "c": {}}, "d": []}},
        {"Any": [{"a": ["b", {"c": ""}]}, "d"]},
        {"Any": {"a": ("b", "c"), "d": ""}},
    ],
)
def test_children_may_be_written_in_many_ways(tree):
    assert rows(tree) == [["b", "a", "Any"], ["c", "a", "Any"], ["d", "d", "Any"]]


def test_a_single_child_needs_no_list():
    assert rows({"Any": {"a": "b"}}) == [["b", "a", "Any"]]


def test_several_roots_are_joined_under_a_star():
    assert rows({"a": ["b"], "c": ["d"]}) == [["b", "a", "*"], ["d", "c", "*"]]


def test_numbers_are_taken_as_text():
    assert rows({"Any": {1: [10, 11]}}) == [["10", "1", "Any"], ["11", "1", "Any"]]


def test_a_leaf_may_be_called_like_its_parent():
    assert rows({"Any": {"Student": ["Student", "Pupil"]}}) == [
        ["Student", "Student", "Any"],
        ["Pupil", "Student", "Any"],
    ]


def test_a_lonely_root_is_a_constant_column():
    assert rows({"Greece": None}) == [["Greece"]]


def test_values_that_are_not_in_the_tree_are_listed():
    with pytest.raises(HierarchyError, match=r"hierarchy of 'job' lacks 2 value.*: 'Pilot', 'Student'"):
        Taxonomy(tree={"Any": {"Student": ["Pupil"]}}).build(["Pilot", "Pupil", "Student"], "job")


def test_a_missing_value_becomes_the_root_at_the_top():
    assert Taxonomy(tree={"Any": {"a": ["b"]}}).build([None, "b"], "x").rows()[-1] == [None, None, "Any"]


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ({}, "at least 1 item"),
        ({"Any": {"a": ["x"], "b": ["x"]}}, "'x' stands twice"),
        ({"Any": {"a": ["x"], "b": ["a"]}}, "'a' is a value and also has values below it"),
        ({"Any": {"a": {"c": ["x"]}, "b": {"c": ["y"]}}}, "'c' has values below it in two places"),
        ({"Any": [["a"]]}, "expected names and mappings"),
        ({"Any": ["a", None]}, "expected names and mappings"),
        ({"Any": {"a": True}}, "True (bool)"),
        ({"Any": {"": ["a"]}}, "a node is named by a text"),
        ({"Any": {"a": object}}, "(type)"),
    ],
)
def test_trees_that_make_no_sense_are_refused_with_the_place(tree, words):
    with pytest.raises(ValidationError) as caught:
        Taxonomy(tree=tree)
    assert words in str(caught.value)


def test_a_bottomless_tree_is_refused():
    tree = {"x": "leaf"}
    for depth in range(500):
        tree = {f"n{depth}": tree}
    with pytest.raises(ValidationError, match="deeper than 64"):
        Taxonomy(tree=tree)


def test_a_tree_that_contains_itself_is_refused():
    tree = {}
    tree["a"] = tree
    with pytest.raises((ValidationError, HierarchyError)):
        Taxonomy(tree={"Any": tree})
