"""A hierarchy as a tree, and the tree changed by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.hierarchies import Hierarchy
from krypsis.data.hierarchies.editing import Node, dissolved, grouped, hierarchy_of, moved, renamed, tree_of
from krypsis.errors import HierarchyError

FLAT = tree_of(Hierarchy.from_rows([[value, "*"] for value in ("flu", "cold", "hiv", "asthma")]))
LUNG = grouped(FLAT, [("*", "flu"), ("*", "cold")], "lung")


@st.composite
def hierarchies(draw):
    """Random hierarchies, some with a missing value; level by level values fall together."""
    count, levels = draw(st.integers(1, 8)), draw(st.integers(0, 3))
    columns = [[f"v{number}" for number in range(count)]]
    for level in range(levels):
        below = list(dict.fromkeys(columns[-1]))
        parents = {label: draw(st.sampled_from([label, f"g{level}", f"h{level}"])) for label in below}
        columns.append([parents[label] for label in columns[-1]])
    hierarchy = Hierarchy.from_columns([*columns, ["*"] * count])
    return hierarchy.with_missing() if draw(st.booleans()) else hierarchy


@given(hierarchies())
def test_a_hierarchy_and_its_tree_say_the_same(hierarchy):
    again = hierarchy_of(tree_of(hierarchy))
    rows = {row[0]: row for row in hierarchy.rows()}
    lowest = hierarchy.height - again.height  # a level at which nothing changes is not in the tree
    assert {row[0]: [row[0], *rows[row[0]][lowest + 1 :]] for row in again.rows()} == {
        row[0]: row for row in again.rows()
    }
    assert set(again.values) == set(hierarchy.values)
    assert all(hierarchy.column(level) == hierarchy.column(0) for level in range(lowest + 1))


@given(hierarchies(), st.data())
def test_grouping_keeps_all_values_and_puts_the_chosen_ones_into_the_group(hierarchy, data):
    root = tree_of(hierarchy)
    nodes = [(path, node) for path, node in root.walk() if len(path) > 1 and path[-1] is not None]
    if not nodes:
        return
    chosen = data.draw(st.lists(st.sampled_from([path for path, _ in nodes]), min_size=1, max_size=3))
    after = grouped(root, chosen, "new")
    assert sorted(map(str, hierarchy_of(after).values)) == sorted(map(str, hierarchy.values))
    inside = {
        path[-1] for path, node in root.walk() if not node.is_group and any(path[: len(one)] == one for one in chosen)
    }
    assert {path[-1] for path, node in after.walk() if not node.is_group and "new" in path} == inside


def test_values_are_put_into_a_group_below_what_they_have_in_common():
    lung = LUNG.children[0]
    assert (lung.label, [leaf.label for leaf in lung.children]) == ("lung", ["flu", "cold"])
    inner = grouped(LUNG, [("*", "lung", "flu")], "season")
    assert [path for path, node in inner.walk() if node.label == "season"] == [("*", "lung", "season")]
    assert hierarchy_of(LUNG).rows()[0] == ["flu", "lung", "*"]
    assert ["hiv", "hiv", "*"] in hierarchy_of(LUNG).rows()


def test_a_second_group_of_the_same_name_in_the_same_place_is_the_same_group():
    more = grouped(LUNG, [("*", "asthma")], "lung")
    assert [node.leaves for node in more.children if node.label == "lung"] == [3]


def test_a_group_that_loses_all_its_values_is_gone():
    back = moved(LUNG, [("*", "lung", "flu"), ("*", "lung", "cold")], ("*",))
    assert sorted(child.label for child in back.children) == ["asthma", "cold", "flu", "hiv"]
    assert dissolved(LUNG, ("*", "lung")) == FLAT


def test_a_value_within_a_chosen_group_moves_with_it_once():
    more = grouped(LUNG, [("*", "lung"), ("*", "lung", "flu"), ("*", "hiv")], "illness")
    assert [child.label for child in more.children] == ["illness", "asthma"]
    assert more.children[0].leaves == 3


def test_a_group_can_be_renamed_and_the_top_too():
    assert renamed(LUNG, ("*", "lung"), " breath ").children[0].label == "breath"
    assert hierarchy_of(renamed(LUNG, ("*",), "any")).labels[-1] == ("any",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda: grouped(FLAT, [], "x"), "nothing is chosen"),
        (lambda: grouped(FLAT, [("*", "flu")], "  "), "a group needs a name"),
        (lambda: grouped(FLAT, [("*",)], "x"), r"'\*' is the top"),
        (lambda: grouped(FLAT, [("*", "plague")], "x"), "there is no 'plague'"),
        (lambda: grouped(Node("*", (Node("a"), Node(None))), [("*", None)], "x"), "the missing value stays by itself"),
        (lambda: moved(LUNG, [("*", "hiv")], ("*", "asthma")), "'asthma' is a value"),
        (lambda: moved(LUNG, [("*", "lung")], ("*", "lung")), "part of itself"),
        (lambda: renamed(LUNG, ("*", "hiv"), "x"), "'hiv' is a value of the data"),
        (lambda: dissolved(LUNG, ("*",)), r"'\*' is the top"),
        (lambda: renamed(grouped(LUNG, [("*", "hiv")], "b"), ("*", "b"), "\t"), "a group needs a name"),
    ],
)
def test_what_cannot_be_done_is_told(change, message):
    with pytest.raises(HierarchyError, match=message):
        change()
