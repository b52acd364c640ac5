"""The solution space against brute force over all nodes."""

from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from kinds.table.exploration.reference import risk
from krypsis import registry
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Lattice, Limits
from krypsis.errors import Infeasible, UsageError
from krypsis.kinds.table.exploration.explore import judge_all, minimal_nodes, walk
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.l_diversity import DistinctLDiversity
from krypsis.progress import Progress
from oracles.brute_force import METRICS, BruteForce
from strategies import frequency_sets, tables

pytestmark = pytest.mark.exposed

MEASURED = {name: registry.create("metric", name) for name in ("loss", "discernibility", "average-class-size", "ncp")}
PEOPLE = pl.DataFrame(
    {"age": ["31", "34", "47", "48", "90"], "sex": ["F", "F", "M", "M", "M"], "disease": ["flu", "flu", "a", "b", "a"]}
)
ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}
OPTIONS = {"models": "k-anonymity:k=2", "hierarchies": {"age": {"kind": "intervals", "width": 10}}, "suppression": 1}


@st.composite
def settings(draw):
    """A frequency set, perhaps with several attackers, its models and limits."""
    frequency = draw(frequency_sets(max_attributes=3, max_rows=10, sensitive=1))
    if len(frequency.attributes) > 1 and draw(st.booleans()):
        frequency = replace(frequency, sets=((0,), tuple(range(1, len(frequency.attributes)))))
    models = [KAnonymity(k=draw(st.integers(1, 4)))]
    models += draw(st.sampled_from([[], [DistinctLDiversity(l=2)]]))
    return frequency, models, Limits(suppressed=draw(st.integers(0, 10)), keep=draw(st.booleans()))


@given(settings())
def test_every_node_has_the_figures_of_brute_force(setting):
    frequency, models, limits = setting
    judge = Judge(frequency, models, limits)
    table = judge_all(judge, Lattice.of(frequency, limits), MEASURED, limits, Progress())
    force = BruteForce(frequency)
    nodes = force.nodes(models, keep=limits.keep)
    assert [row[: len(frequency.attributes)] for row in table.rows()] == [node.levels for node in nodes]
    for node, found in zip(nodes, table.rows(named=True), strict=True):
        residue = force._residue_is_good(node, models if limits.keep else None)
        kept = {label for label, hidden in zip(node.released, node.suppressed, strict=True) if not hidden}
        assert found["feasible"] == (node.lost <= limits.suppressed and node.lost < len(force.rows) and residue)
        assert found["suppressed"] == node.lost
        assert found["suppressed_share"] == node.lost / len(force.rows)
        assert found["groups"] == len(kept)
        expected = risk(force, node, keep=limits.keep)
        assert {name: found[name] for name in expected} == pytest.approx(expected)
        assert found["achieved:" + models[0].spec] == expected["smallest_group"]
        for name in MEASURED:
            assert found["metric:" + name] == pytest.approx(METRICS[name](force, node))


def test_the_promises_are_asked_once_about_a_node_that_keeps_them(monkeypatch):
    asked, ask = [], Judge.refused
    monkeypatch.setattr(
        Judge, "refused", lambda self, node, models: asked.append(node.levels) or ask(self, node, models)
    )
    nodes = krypsis.explore(PEOPLE, ROLES, **OPTIONS | {"models": "k-anonymity:k=1"}).nodes
    assert len(asked) == len(nodes)


@given(frequency_sets(max_rows=12), st.data())
def test_a_walk_meets_every_node_once_with_the_groups_counted_from_the_bottom(frequency, data):
    rollup = Judge(frequency, []).rollup
    lattice = list(Lattice.of(frequency, Limits()))
    chosen = data.draw(st.sets(st.sampled_from(lattice)) | st.just(set(lattice)))
    met = []
    for node in walk(rollup, chosen):
        met.append(node.levels)
        straight, _ = rollup.coarsen(rollup.bottom(), node.levels)
        assert np.array_equal(np.sort(node.sizes), np.sort(straight.sizes))
    assert sorted(met) == sorted(chosen)


def test_a_walk_over_a_whole_lattice_rolls_up_from_direct_predecessors_only():
    frequency = krypsis.anonymize(PEOPLE, ROLES, **OPTIONS).evidence.frequency
    rollup = Judge(frequency, []).rollup
    steps, kept = [], rollup.coarsen
    rollup.coarsen = lambda finer, levels: steps.append((finer.levels, levels)) or kept(finer, levels)
    list(walk(rollup, Lattice.of(frequency, Limits())))
    assert len(steps) == 10
    assert [sum(after) - sum(before) for before, after in steps] == [0] + [1] * 9


@given(tables(max_rows=10, max_sensitive=0), st.integers(1, 3), st.sampled_from([0, 0.25, 1.0]))
def test_the_optimum_is_that_of_the_optimal_search(table, k, suppression):
    roles = dict.fromkeys(table.columns, "quasi-identifier")
    options = {"models": KAnonymity(k=k), "suppression": suppression}
    best = krypsis.explore(table, roles, **options).optimum()
    try:
        release = krypsis.anonymize(table, roles, algorithm="optimal", **options)
    except Infeasible:
        assert best is None
        return
    assert best["metric:loss"] == pytest.approx(release.score)
    assert sum(best[f"level:{name}"] for name in table.columns) == sum(release.levels.values())


def test_a_node_of_the_table_is_published_with_exactly_its_figures():
    space = krypsis.explore(PEOPLE, ROLES, metrics=["discernibility"], **OPTIONS)
    for node in space.nodes.filter("feasible").rows(named=True):
        release = krypsis.anonymize(PEOPLE, ROLES, algorithm={"name": "fixed", "levels": space.levels(node)}, **OPTIONS)
        assert release.score == node["metric:loss"]
        assert release.metrics["discernibility"] == node["metric:discernibility"]
        assert release.suppressed == node["suppressed"]
        assert release.verdicts[0].achieved == node["achieved:k-anonymity:k=2"] == node["smallest_group"]


def test_limits_of_levels_are_limits_of_the_space():
    space = krypsis.explore(PEOPLE, ROLES, **OPTIONS, min_levels={"age": 1}, max_levels={"age": 2})
    assert space.complete
    assert set(space.nodes["level:age"]) == {1, 2}


def test_nodes_beyond_the_limit_show_what_more_suppression_would_give():
    space = krypsis.explore(PEOPLE, ROLES, **{**OPTIONS, "suppression": 0})
    node = space.nodes.filter(pl.col("level:age") == 1, pl.col("level:sex") == 0).row(0, named=True)
    assert not node["feasible"]
    assert (node["suppressed"], node["groups"], node["smallest_group"], node["average_risk"]) == (1, 2, 2, 0.5)


def test_where_nothing_would_be_left_there_is_no_risk_to_speak_of():
    node = krypsis.explore(PEOPLE, ROLES, **OPTIONS).nodes.row(0, named=True)
    assert (node["suppressed"], node["groups"]) == (5, 0)
    assert node["average_risk"] is None
    assert node["achieved:k-anonymity:k=2"] is None


def test_a_lattice_that_is_too_large_is_explored_by_the_search():
    space = krypsis.explore(PEOPLE, ROLES, **OPTIONS, most_nodes=4)
    whole = krypsis.explore(PEOPLE, ROLES, **OPTIONS)
    assert not space.complete
    assert 0 < space.nodes.height <= 4 < space.size == 10
    assert set(space.nodes.drop("minimal").rows()) <= set(whole.nodes.drop("minimal").rows())
    assert space.nodes["minimal"].null_count() == space.nodes.height  # nobody knows what lies below
    assert {**space.optimum(), "minimal": True} == whole.optimum()


@given(st.data())
def test_a_minimal_node_is_feasible_and_nothing_below_it_is(data):
    highest = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple))
    lattice = Lattice((0,) * len(highest), highest)
    feasible = dict(
        zip(lattice, data.draw(st.lists(st.booleans(), min_size=lattice.size, max_size=lattice.size)), strict=True)
    )
    found = minimal_nodes(lattice, np.array(list(feasible.values())))
    for node, is_minimal in zip(lattice, found.tolist(), strict=True):
        below = product(*(range(level + 1) for level in node))
        assert is_minimal == (feasible[node] and not any(feasible[other] for other in below if other != node))


def test_both_k_minimal_tables_of_samarati_are_found():
    """The lecture notes' example: k = 2, at most two records suppressed."""
    race = ["asian"] * 5 + ["black"] * 2 + ["white"] * 2
    code = ["94142", "94141", "94139", "94139", "94139", "94138", "94139", "94139", "94141"]
    space = krypsis.explore(
        pl.DataFrame({"race": race, "zip": code}),
        {"race": "quasi-identifier", "zip": "quasi-identifier"},
        models="k-anonymity:k=2",
        hierarchies={"zip": {"kind": "masking", "side": "right", "levels": 2}},
        suppression=2,
    )
    minimal = space.nodes.filter("minimal")
    assert minimal.select("level:race", "level:zip", "suppressed").rows() == [(0, 1, 2), (1, 0, 2)]


def test_the_same_metric_with_other_parameters_is_another_metric():
    space = krypsis.explore(PEOPLE, ROLES, **OPTIONS, metrics=["loss:suppression=0", "classification:target=disease"])
    assert space.metrics == ("loss", "loss:suppression=0.0", "classification:target=disease")
    node = space.optimum("loss:suppression=0.0")
    assert node["suppressed"] == 1
    assert node["metric:loss"] > node["metric:loss:suppression=0.0"]


def test_a_search_that_finds_nothing_still_shows_what_it_met():
    options = {**OPTIONS, "models": "k-anonymity:k=6"}
    space = krypsis.explore(PEOPLE, ROLES, **options, most_nodes=1, algorithm="datafly")
    assert space.nodes["feasible"].to_list() == [False]
    assert space.optimum() is None
    assert space.frontier().is_empty()


def test_a_watch_hears_of_every_node_and_may_stop():
    class Impatient(Progress):
        heard = 0

        def judged(self, node):  # noqa: ARG002
            self.heard += 1

        def wants_stop(self):
            return self.heard == 3

    progress = Impatient()
    space = krypsis.explore(PEOPLE, ROLES, **OPTIONS, progress=progress)
    assert progress.heard == space.nodes.height == 3
    assert not space.complete


def test_lexicographic_preferences_decide_which_node_is_best():
    options = {**OPTIONS, "metric": "lexicographic:order=suppressed-share+loss"}
    space = krypsis.explore(PEOPLE, ROLES, **options)
    assert space.criteria == ("suppressed-share", "loss")
    best = space.optimum()
    assert best["suppressed"] == 0
    others = space.nodes.filter(pl.col("feasible"), pl.col("suppressed") == 0)
    assert best["metric:loss"] == others["metric:loss"].min()


def test_attributes_named_like_figures_are_kept_apart():
    table = PEOPLE.rename({"age": "groups", "sex": "feasible"})
    roles = {"groups": "quasi-identifier", "feasible": "quasi-identifier"}
    space = krypsis.explore(table, roles, models="k-anonymity:k=2")
    assert {"level:groups", "groups", "level:feasible", "feasible"} <= set(space.nodes.columns)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "CSV"])
def test_the_table_can_be_saved_for_its_owner_alone(tmp_path, suffix):
    space = krypsis.explore(PEOPLE, ROLES, **OPTIONS)
    path = space.save(tmp_path / f"nodes.{suffix}")
    assert path.stat().st_mode & 0o777 == 0o600
    read = pl.read_parquet(path) if suffix == "parquet" else pl.read_csv(path)
    assert read.columns == space.nodes.columns
    assert read["suppressed"].to_list() == space.nodes["suppressed"].to_list()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda space: space.save("nodes.xlsx"), "a .csv or .parquet file, got 'nodes.xlsx'"),
        (lambda space: space.save("nowhere/nodes.csv"), "nowhere/nodes.csv cannot be written"),
        (lambda space: space.frontier("los"), "not measured by 'los'.*Did you mean 'loss'"),
        (lambda space: space.frontier(risk="avarage"), "one of average, highest, suppressed.*Did you mean 'average'"),
        (lambda space: space.optimum("dm"), "not measured by 'dm'"),
    ],
)
def test_a_question_that_has_no_answer_is_told_why(call, message):
    space = krypsis.explore(PEOPLE, ROLES, **OPTIONS)
    with pytest.raises(krypsis.errors.KrypsisError, match=message):
        call(space)


def test_less_than_one_node_cannot_be_explored():
    with pytest.raises(UsageError, match="most_nodes must be at least 1, got 0"):
        krypsis.explore(PEOPLE, ROLES, **OPTIONS, most_nodes=0)


def test_an_unknown_option_or_metric_is_refused():
    with pytest.raises(TypeError, match="supression"):
        krypsis.explore(PEOPLE, ROLES, models="k-anonymity:k=2", supression=1)
    with pytest.raises(UsageError, match="metric 'lost' is not known"):
        krypsis.explore(PEOPLE, ROLES, **OPTIONS, metrics=["lost"])


def test_kept_records_stand_with_those_that_show_the_same():
    letters = krypsis.Hierarchy.from_rows([["a", "*", "*"], ["b", "x", "*"]])
    space = krypsis.explore(
        pl.DataFrame({"letter": ["a", "a", "a", "b"]}),
        {"letter": "quasi-identifier"},
        models="k-anonymity:k=2",
        hierarchies={"letter": letters},
        suppression=1.0,
        suppressed="keep",
    )
    node = space.nodes.row(1, named=True)
    assert node["suppressed"] == 1
    assert (node["smallest_group"], node["average_risk"]) == (4, 0.25)
    assert node["achieved:k-anonymity:k=2"] == 4
