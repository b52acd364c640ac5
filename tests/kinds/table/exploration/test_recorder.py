"""A recorder remembers what a search has judged."""

import polars as pl
import pytest

import krypsis
from krypsis import registry
from krypsis.algorithms.tables.base import Algorithm
from krypsis.kinds.table.exploration.explore import Recorder
from krypsis.progress import JudgedNode, Progress

PEOPLE = pl.DataFrame({"age": ["31", "34", "47", "48", "90"], "sex": ["F", "F", "M", "M", "M"]})
ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier"}
OPTIONS = {"models": "k-anonymity:k=2", "hierarchies": {"age": {"kind": "intervals", "width": 10}}, "suppression": 1}


def node(*levels, feasible=True, score=0.5, suppressed=0):
    return JudgedNode(levels, feasible, score if feasible else None, suppressed, 1)


@pytest.mark.parametrize("algorithm", ["optimal", "datafly", 'fixed:levels="1,0"'])
def test_any_search_can_return_the_nodes_it_judged(algorithm):
    recorder = Recorder()
    release = krypsis.anonymize(PEOPLE, ROLES, **OPTIONS, algorithm=algorithm, progress=recorder)
    table = recorder.table(list(ROLES))
    assert table.columns == ["level:age", "level:sex", "feasible", "score", "suppressed", "groups"]
    chosen = [pl.col(f"level:{name}") == level for name, level in release.levels.items()]
    (found,) = table.filter(*chosen).unique().rows(named=True)
    assert found["feasible"]
    assert found["score"] == release.score
    assert found["suppressed"] == release.suppressed
    whole = krypsis.explore(PEOPLE, ROLES, **OPTIONS).nodes
    for row in table.rows(named=True):
        same = whole.filter(pl.col("level:age") == row["level:age"], pl.col("level:sex") == row["level:sex"])
        expected = same.row(0, named=True)
        assert (row["feasible"], row["suppressed"]) == (expected["feasible"], expected["suppressed"])
        assert row["score"] == (expected["metric:loss"] if expected["feasible"] else None)


def test_when_there_are_too_many_the_best_feasible_ones_stay_in_their_order():
    recorder = Recorder(most=2)
    judged = [node(0, feasible=False, suppressed=9), node(1, score=0.9), node(2, score=0.1), node(3, score=0.4)]
    for one in [*judged, node(4, feasible=False, suppressed=1)]:
        recorder.judged(one)
    assert [one.levels for one in recorder.nodes] == [(2,), (3,)]
    assert recorder.seen == 5


def test_infeasible_nodes_stay_while_there_is_room_the_least_suppressed_first():
    recorder = Recorder(most=2)
    for one in (node(0, feasible=False, suppressed=9), node(1, feasible=False, suppressed=2), node(2)):
        recorder.judged(one)
    assert [one.levels for one in recorder.nodes] == [(1,), (2,)]


def test_nodes_over_fewer_attributes_are_not_in_the_table():
    recorder = Recorder()
    recorder.judged(node(0))
    recorder.judged(node(0, 1))
    assert recorder.table(["age", "sex"]).select("level:age", "level:sex").rows() == [(0, 1)]


def test_nothing_recorded_is_an_empty_table():
    assert Recorder().table(["age"]).schema == {
        "level:age": pl.Int64,
        "feasible": pl.Boolean,
        "score": pl.Float64,
        "suppressed": pl.Int64,
        "groups": pl.Int64,
    }


def test_another_watch_hears_the_same_and_can_still_stop_the_search():
    class Listener(Progress):
        def __init__(self):
            self.heard = []

        def phase(self, name):
            self.heard.append(name)

        def judged(self, node):
            self.heard.append(node.levels)

        def wants_stop(self):
            return True

    listener = Listener()
    recorder = Recorder(also=listener)
    recorder.phase("search")
    recorder.judged(node(7))
    assert listener.heard == ["search", (7,)]
    assert recorder.wants_stop()


def test_the_nodes_of_every_algorithm_can_be_asked_for():
    for name, cls in registry.classes("algorithm").items():
        if not issubclass(cls, Algorithm):
            continue  # only recodings have nodes
        recorder = Recorder()
        links = {"models": "kk-anonymity:k=1", "suppression": 0}  # who could be who is about all records
        options = {**OPTIONS, **(links if cls.promises_about == "links" else {"models": "k-anonymity:k=1"})}
        krypsis.anonymize(PEOPLE, ROLES, **options, algorithm=name, progress=recorder)
        assert recorder.table(list(ROLES)).height <= recorder.seen
