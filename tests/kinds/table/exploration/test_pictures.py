"""What is drawn of a solution space: points, the Hasse diagram and examples; and storing all of it."""

from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.errors import DataError
from krypsis.kinds.table.exploration import Exploration, load_exploration
from krypsis.kinds.table.exploration.diagrams import KINDS, Hasse, cloud, hasse

PEOPLE = pl.DataFrame(
    {"age": ["31", "34", "47", "48", "90", None], "sex": ["F", "F", "M", "M", "M", "F"], "job": [*"aabbca"]}
)
ROLES = dict.fromkeys(PEOPLE.columns, "quasi-identifier")
OPTIONS = {"models": "k-anonymity:k=2", "hierarchies": {"age": {"kind": "intervals", "width": 10}}, "suppression": 2}


@pytest.fixture(scope="module")
def space() -> Exploration:
    return krypsis.explore(PEOPLE, ROLES, metrics=["precision"], **OPTIONS)


def test_an_exploration_that_was_saved_is_loaded_as_it_was(space, tmp_path):
    found = load_exploration(space.save(tmp_path / "nodes.parquet"))
    assert found.nodes.equals(space.nodes)
    for name in ("attributes", "heights", "promises", "criteria", "rows", "limit", "size", "examples"):
        assert getattr(found, name) == getattr(space, name), name


@pytest.mark.parametrize("content", [b"", b"PAR1 no table", b"a,b\n1,2\n"])
def test_a_file_that_is_no_exploration_is_told(tmp_path, content):
    (tmp_path / "nodes.parquet").write_bytes(content)
    with pytest.raises(DataError, match="explore again"):
        load_exploration(tmp_path / "nodes.parquet")


def test_a_table_that_is_no_exploration_is_told(tmp_path):
    PEOPLE.write_parquet(tmp_path / "nodes.parquet")
    with pytest.raises(DataError, match="explore again"):
        load_exploration(tmp_path / "nodes.parquet")


@pytest.mark.parametrize("facts", ["", "[]", "{}", '{"attributes": 5}', "no JSON"])
def test_a_table_with_odd_facts_is_told(tmp_path, facts):
    PEOPLE.write_parquet(tmp_path / "nodes.parquet", metadata={"krypsis.exploration": facts})
    with pytest.raises(DataError, match="is not an exploration that was saved"):
        load_exploration(tmp_path / "nodes.parquet")


def test_an_exploration_that_is_not_there_is_told(tmp_path):
    with pytest.raises(DataError, match="cannot be read: No such file"):
        load_exploration(tmp_path / "nodes.parquet")


def test_examples_show_records_of_the_table_at_every_level(space):
    first = zip(*(space.examples[name] for name in space.attributes), strict=True)
    shown = [tuple(labels[0] for labels in record) for record in first]
    assert shown
    assert set(shown) <= set(PEOPLE.rows())
    for name, height in zip(space.attributes, space.heights, strict=True):
        assert {len(labels) for labels in space.examples[name]} == {height + 1}
        assert {labels[-1] for labels in space.examples[name]} == {"*"}


def test_every_node_that_publishes_something_is_a_point(space):
    points = cloud(space)
    nodes = space.nodes.with_row_index("place").filter(pl.col("groups") > 0)
    assert points["place"].to_list() == nodes["place"].to_list()
    assert points["loss"].to_list() == nodes["metric:loss"].to_list()
    assert points["risk"].to_list() == nodes["average_risk"].to_list()
    refused = points.filter(kind="refused")["place"]
    assert not space.nodes[refused]["feasible"].any()


@pytest.mark.parametrize("risk", ["average", "highest", "suppressed"])
@pytest.mark.parametrize("metric", ["loss", "precision"])
def test_few_points_still_hold_the_whole_frontier(space, metric, risk):
    points = cloud(space, metric, risk, most=4)
    front = points.filter(pl.col("kind").is_in(["frontier", "best"]))
    assert set(points["kind"]) <= set(KINDS)
    assert points.height < cloud(space, metric, risk).height
    wanted = space.frontier(metric, risk)["metric:" + metric].to_list()
    assert set(wanted) <= set(front["loss"].to_list())


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)), min_size=1))
def test_lines_join_nodes_that_differ_by_one_step(nodes):
    drawn = Hasse.of(nodes)
    expected = {
        (low, high)
        for low, high in combinations(sorted(set(nodes)), 2)
        if sum(abs(one - other) for one, other in zip(low, high, strict=True)) == 1
    }
    assert {(drawn.nodes[low], drawn.nodes[high]) for low, high in drawn.lines} == expected
    assert len(set(drawn.places)) == len(drawn.nodes)
    assert all(0 < across < 1 and height == sum(node) for node, (across, height) in zip(*_both(drawn), strict=True))


def _both(drawn):
    return drawn.nodes, drawn.places


def test_of_a_large_lattice_the_best_node_and_the_one_asked_for_are_shown_with_their_neighbors(space):
    best, top = space.levels(space.optimum()), space.heights
    drawn = hasse(space, center=top, most=12)
    assert len(drawn.nodes) == 12
    assert {best, top} <= set(drawn.nodes)
    below = {tuple(level - (place == one) for place, level in enumerate(top)) for one in range(len(top))}
    assert below <= set(drawn.nodes)


def test_a_small_lattice_is_shown_as_a_whole(space):
    assert len(hasse(space).nodes) == space.size
