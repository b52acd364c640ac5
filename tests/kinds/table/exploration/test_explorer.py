"""The explorer as a page."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree as ET

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.kinds.table.exploration.page import MOST_ROWS, explorer_sections, render_exploration, write_exploration
from krypsis.report.blocks import ChartAxis, Point
from krypsis.report.charts import MOST_POINTS, scatter
from report.test_page import HOSTILE, charts_in, outline

PEOPLE = pl.DataFrame({"age": ["31", "34", "47", "48", "90"], "sex": ["F", "F", "M", "M", "M"]})
ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier"}
OPTIONS = {"hierarchies": {"age": {"kind": "intervals", "width": 10}}, "suppression": 1}


def people(k=2, **more):
    return krypsis.explore(PEOPLE, ROLES, models=f"k-anonymity:k={k}", **{**OPTIONS, **more})


def hostile():
    table = pl.DataFrame({HOSTILE[0]: ["a", "a", "b"], HOSTILE[1]: ["x", "y", "x"]})
    return krypsis.explore(table, dict.fromkeys(table.columns, "quasi-identifier"), models="k-anonymity:k=2")


SPACES = {
    "people": people,
    "nothing feasible": lambda: people(k=6),
    "nothing left anywhere": lambda: people(k=6, most_nodes=1, algorithm="datafly", max_levels={"age": 0, "sex": 0}),
    "part of the lattice": lambda: people(most_nodes=3),
    "one node": lambda: people(k=1, max_levels={"age": 0, "sex": 0}),
    "kept": lambda: people(suppressed="keep", suppression=3),
    "hostile": hostile,
}


@pytest.fixture(params=SPACES)
def space(request):
    return SPACES[request.param]()


@pytest.fixture(params=["average", "highest", "suppressed"])
def html(request, space):
    return render_exploration(space, "my plan.yaml", risk=request.param)


def test_the_page_is_well_formed_and_asks_nothing_of_the_network(html):
    parsed = outline(html)
    assert not {"script", "link", "img", "iframe", "object"} & set(parsed.tags)
    names = {name for name, _ in parsed.attributes}
    assert not {"src", "href", "srcset", "action", "onerror", "onload"} & names
    assert not re.search(r"https?://|//cdn|@import|url\(", html)
    assert "default-src 'none'" in html


def test_the_page_says_that_it_is_private(html):
    assert "For the publisher only." in html


def test_the_chart_is_xml_with_a_name_and_every_point_in_it_can_be_read(html):
    for chart in charts_in(html):
        assert chart.get("role") == "img"
        assert chart.get("aria-label")
        for point in chart.iter("circle"):
            assert 0 <= float(point.get("cx")) <= 940
            assert 0 <= float(point.get("cy")) <= 460
            assert "average risk" in point.find("title").text


def test_headings_are_names_of_their_sections(html):
    parsed = outline(html)
    identifiers = [value for name, value in parsed.attributes if name == "id"]
    assert len(identifiers) == len(set(identifiers))
    assert {value for name, value in parsed.attributes if name == "aria-labelledby"} == set(identifiers)


def test_every_node_of_the_frontier_is_in_the_table_with_its_command():
    space = people()
    words = " ".join(outline(render_exploration(space, "my plan.yaml")).words)
    front = space.frontier()
    assert front.height > 1
    for node in front.rows(named=True):
        assert f"krypsis run 'my plan.yaml' --levels {node['level:age']},{node['level:sex']}" in words
    assert words.count("krypsis run") == front.height


def test_the_chart_has_one_point_per_node_that_publishes_something_and_marks_the_best():
    space = people()
    (chart,) = charts_in(render_exploration(space, "plan.yaml"))
    kinds = [point.get("class") for point in chart.iter() if point.find("title") is not None]
    assert kinds.count("best") == 1
    assert kinds.count("frontier") == space.frontier().height - 1
    assert kinds.count("refused") == space.nodes.filter(~pl.col("feasible"), pl.col("groups") > 0).height
    assert len(kinds) == space.nodes.filter(pl.col("groups") > 0).height


def test_less_risk_is_lower_and_less_loss_further_left():
    points = [Point(x, y, "node", f"{x} {y}") for x in (0.1, 0.9) for y in (0.01, 0.5)]
    for logarithmic in (True, False):
        chart = ET.fromstring(scatter(points, ChartAxis("x"), ChartAxis("y", logarithmic=logarithmic), "t"))
        places = {dot.find("title").text: (float(dot.get("cx")), float(dot.get("cy"))) for dot in chart.iter("circle")}
        assert places["0.1 0.01"][0] == places["0.1 0.5"][0] < places["0.9 0.01"][0]
        assert places["0.1 0.01"][1] == places["0.9 0.01"][1] > places["0.1 0.5"][1]


def test_the_line_of_the_frontier_goes_down_in_stairs():
    points = [Point(1, 0.9, "best", "a"), Point(2, 0.5, "frontier", "b"), Point(3, 0.1, "frontier", "c")]
    chart = ET.fromstring(scatter(points, ChartAxis("x"), ChartAxis("y"), "t"))
    (stairs,) = [path for path in chart.iter("path") if path.get("class") == "stairs"]
    assert re.fullmatch(r"M[\d.]+ [\d.]+(H[\d.]+V[\d.]+){2}", stairs.get("d"))


def test_very_many_points_are_drawn_as_fewer_that_tell_how_many_they_stand_for():
    points = [Point(place % 317, place // 317, "node", "n") for place in range(60_000)]
    front = [Point(1, 2, "frontier", f"f{number}") for number in range(20)]
    chart = ET.fromstring(scatter([*points, *front], ChartAxis("x"), ChartAxis("y"), "t"))
    dots = [dot for dot in chart.iter("circle") if dot.get("class") == "node"]
    assert len(dots) <= MOST_POINTS
    hidden = sum(int(found.group(1)) for dot in dots if (found := re.search(r"and (\d+) more", dot.find("title").text)))
    assert len(dots) + hidden == 60_000
    assert sum(dot.get("class") == "frontier" for dot in chart.iter("circle")) == 20


FIGURE = st.floats(1e-9, 1.0) | st.sampled_from([1.0, 0.5])


@given(st.lists(st.tuples(st.floats(0, 1e12) | FIGURE, FIGURE), max_size=6), st.text(max_size=30), st.booleans())
def test_any_figures_and_any_text_make_a_chart_whose_points_lie_inside(places, text, logarithmic):
    points = [Point(x, y, "node", text) for x, y in places]
    drawn = scatter(points, ChartAxis(text), ChartAxis(text, "count", 1.0, logarithmic=logarithmic), text)
    for dot in ET.fromstring(drawn).iter("circle"):
        assert math.isfinite(float(dot.get("cx")))
        assert 0 <= float(dot.get("cx")) <= 940
        assert 0 <= float(dot.get("cy")) <= 460


def test_no_axis_of_risk_goes_beyond_everything():
    (chart,) = charts_in(render_exploration(people(k=1, max_levels={"age": 0, "sex": 0}), "plan.yaml"))
    percents = [float(text.text.removesuffix(" %")) for text in chart.iter("text") if text.text.endswith(" %")]
    assert percents
    assert max(percents) <= 100


def test_hostile_names_are_shown_as_text():
    html = render_exploration(hostile(), '<b>"x; rm -rf ~')
    words = " ".join(outline(html).words)
    for text in HOSTILE[:2]:
        assert text in words
    assert "<b>" not in html
    assert "krypsis run '<b>\"x; rm -rf ~' --levels" in words


def test_a_long_frontier_is_shown_evenly_with_both_ends():
    figures = {"feasible": True, "suppressed": 0, "suppressed_share": 0.0, "groups": 1, "smallest_group": 2}
    rows = [{"level:q": n, **figures, "average_risk": 1 / (n + 1), "metric:loss": n / 300} for n in range(300)]
    space = krypsis.Exploration(pl.DataFrame(rows), ("q",), (299,), ("k-anonymity:k=2",), ("loss",), 600, 0, 300)
    assert space.frontier().height == 300
    *_, nodes, _ = explorer_sections(space, "plan.yaml", "loss", "average")
    (table,) = nodes.blocks[1].blocks
    assert len(table.rows) == MOST_ROWS
    assert [table.rows[place].cells[0].words for place in (0, -1)] == [("0",), ("299",)]
    assert "60 of 300 nodes are shown" in render_exploration(space, "plan.yaml")


def test_the_file_is_for_its_owner_and_replaces_an_older_one(tmp_path):
    path = tmp_path / "explore.html"
    path.write_text("older")
    assert write_exploration(people(), path, "plan.yaml") == path
    assert path.stat().st_mode & 0o777 == 0o600
    assert "Solution space" in path.read_text("utf-8")
    assert [entry.name for entry in tmp_path.iterdir()] == ["explore.html"]
