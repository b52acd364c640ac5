"""A walk over a box finds what trying every node finds, and a search that walks finds the same optimum."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis import registry
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Levels, Limits
from krypsis.algorithms.tables.optimal import box_walk, branch_and_bound
from krypsis.algorithms.tables.optimal import branch_and_bound as lattice_boxes
from krypsis.algorithms.tables.optimal.box_walk import BoxWalk
from krypsis.algorithms.tables.optimal.optimal import Optimal
from krypsis.data.groups import Domain, Histogram
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet, outcome_of
from krypsis.errors import Infeasible, Unfinished
from krypsis.metrics.base import Metric
from krypsis.models.average_risk import AverageRisk
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.recursive_l_diversity import RecursiveLDiversity
from krypsis.models.t_closeness import TCloseness
from krypsis.progress import NO_PROGRESS, JudgedNode, Progress
from oracles.brute_force import METRICS, BruteForce
from strategies import frequency_sets, models_of, models_of_tuples, some_group_model

LOSS = registry.create("metric", "loss")
BOUNDED = [
    name
    for name in METRICS
    if all(type(criterion).least is not Metric.least for criterion in registry.create("metric", name).criteria)
]
"""The metrics with which a search walks."""
OF_ALL_ATTRIBUTES = [name for name, cls in models_of_tuples().items() if cls.sets_of is KAnonymity.sets_of]
some_model = some_group_model()


@contextmanager
def walking(least_nodes: int = 0) -> Iterator[list[int]]:
    """Have every box walked that can be; says how many nodes each visit had."""
    visits: list[int] = []
    visit = BoxWalk.visit

    def counted(walk: BoxWalk, most: int) -> Any:
        visited = visit(walk, most)
        visits.append(len(visited.suppressed))
        return visited

    with (
        patch.object(lattice_boxes, "WALK_SAMPLE", least_nodes),
        patch.object(lattice_boxes, "WALK_SHARE", 10**9),
        patch.object(BoxWalk, "visit", counted),
    ):
        yield visits


def corners(frequency: FrequencySet, data: st.DataObject) -> tuple[Levels, Levels]:
    lowest = tuple(data.draw(st.integers(0, height)) for height in frequency.heights)
    highest = tuple(data.draw(st.integers(low, high)) for low, high in zip(lowest, frequency.heights, strict=True))
    return lowest, highest


def all_visited(judge: Judge, lowest: Levels, highest: Levels, most: int) -> dict[Levels, int]:
    groups, _ = judge.rollup.coarsen(judge.rollup.bottom(), lowest)
    assert BoxWalk.is_possible(judge, groups, highest)
    walk = BoxWalk(judge, groups, highest)
    found: list[tuple[Levels, int]] = []
    while walk.left:
        visited = walk.visit(most)
        assert 1 <= len(visited.suppressed) <= most
        found += zip(map(tuple, visited.levels.tolist()), visited.suppressed.tolist(), strict=True)
    assert len(dict(found)) == len(found)
    return dict(found)


@pytest.mark.parametrize("name", OF_ALL_ATTRIBUTES)
@given(data=st.data())
def test_every_node_between_the_corners_is_visited_once_and_suppresses_what_brute_force_does(name, data):
    frequency = data.draw(frequency_sets(max_attributes=3, sensitive=data.draw(st.integers(1, 2))))
    models = [KAnonymity(k=data.draw(st.integers(1, 3))), data.draw(models_of(models_of_tuples()[name]))]
    lowest, highest = corners(frequency, data)
    if sum(highest) - sum(lowest) < 2:  # nothing lies between
        return
    force = BruteForce(frequency)
    between = product(*(range(low, high + 1) for low, high in zip(lowest, highest, strict=True)))
    expected = {levels: force.node(levels, models).lost for levels in between if levels not in {lowest, highest}}
    assert all_visited(Judge(frequency, models), lowest, highest, data.draw(st.integers(1, 9))) == expected


@given(frequency_sets(max_attributes=3, sensitive=1), st.data())
def test_room_for_the_groups_of_one_node_is_enough(frequency, data):
    models = [KAnonymity(k=2), data.draw(some_model)]
    judge, (lowest, highest) = Judge(frequency, models), corners(frequency, data)
    if not judge.judges_groups or sum(highest) - sum(lowest) < 2:
        return
    usual = all_visited(judge, lowest, highest, 1000)
    with patch.object(box_walk, "GROUPS", 1):
        assert all_visited(judge, lowest, highest, 1000) == usual


@pytest.mark.parametrize("name", models_of_tuples())
@given(data=st.data())
def test_no_node_beats_the_optimum_of_a_search_that_walks(name, data):
    frequency = data.draw(frequency_sets(max_attributes=3, max_rows=12, sensitive=1))
    models = [KAnonymity(k=2), data.draw(models_of(models_of_tuples()[name]))]
    force = BruteForce(frequency)
    nodes = force.nodes(models)
    limit, keep = data.draw(st.integers(0, frequency.rows)), data.draw(st.booleans())
    for metric in BOUNDED:
        expected = force.best_score(metric, nodes, limit, keep=models if keep else None)
        with walking():
            found = score_of(frequency, models, metric, Limits(limit, keep=keep))
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9), metric


def score_of(frequency: FrequencySet, models: list[Any], metric: str, limits: Limits) -> float | None:
    objective = registry.create("metric", metric)
    try:
        recoding = Optimal().search(frequency, models, objective, limits)
    except Infeasible:
        return None
    return objective.compute(outcome_of(recoding, frequency))


@given(frequency_sets(max_attributes=3, sensitive=1), some_model, st.integers(1, 3))
def test_a_walk_changes_neither_the_score_nor_how_low_the_levels_are(frequency, model, k):
    models, limits = [KAnonymity(k=k), model], Limits(frequency.rows)
    try:
        usual = Optimal().search(frequency, models, LOSS, limits)
    except Infeasible:
        with walking(), pytest.raises(Infeasible):
            Optimal().search(frequency, models, LOSS, limits)
        return
    with walking(), patch.object(branch_and_bound, "NODES_AT_ONCE", 3):
        walked = Optimal().search(frequency, models, LOSS, limits)
    assert walked.lower_bound == pytest.approx(usual.lower_bound, abs=1e-12)
    assert sum(walked.levels) == sum(usual.levels)


@given(frequency_sets(max_attributes=3, sensitive=1), some_model, st.integers(1, 9))
def test_a_walk_that_has_to_stop_is_honest_about_what_it_has_proven(frequency, model, nodes):
    models, limits = [KAnonymity(k=2), model], Limits(frequency.rows)
    force = BruteForce(frequency)
    best = force.best_score("loss", force.nodes(models), frequency.rows)
    try:
        with walking():
            recoding = Optimal(nodes=nodes).search(frequency, models, LOSS, limits)
    except (Infeasible, Unfinished):
        return
    assert best is not None
    assert recoding.lower_bound <= best + 1e-9
    assert best <= LOSS.compute(outcome_of(recoding, frequency)) + 1e-9


def people(records: int, values: int = 9, seed: int = 1) -> FrequencySet:
    """Four attributes of 8 values below two levels each, 81 nodes, and a sensitive value that goes with the first."""
    draw = np.random.default_rng(seed)
    tree = Hierarchy.from_rows([[f"{value}", f"a{value // 3}", "*"] for value in range(8)])
    rows = np.minimum(draw.geometric(0.4, (records, 4)) - 1, 7).astype(np.int32)
    secret = (2 * rows[:, 0] + draw.geometric(0.4, records)) % values
    codes, number, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    cells, count = np.unique(np.stack([number.ravel(), secret]), axis=1, return_counts=True)
    whole = np.bincount(secret, minlength=values).astype(np.int64)
    domain = Domain(tuple(map(str, range(values))))
    histogram = Histogram(cells[0], cells[1], count.astype(np.int64), whole, domain)
    return FrequencySet(("a", "b", "c", "d"), (tree,) * 4, codes, counts.astype(np.int64), {"disease": histogram})


def test_where_bounds_spare_few_nodes_a_search_walks_and_judges_few():
    class Listener(Progress):
        heard = 0

        def judged(self, node: JudgedNode) -> None:  # noqa: ARG002
            self.heard += 1

    frequency, listener = people(400), Listener()
    models, limits = [KAnonymity(k=2), TCloseness(t=0.3)], Limits(400)
    force = BruteForce(frequency)
    best = force.best_score("loss", force.nodes(models), 400)
    with walking(least_nodes=5) as visits:
        walked = Optimal().search(frequency, models, LOSS, limits, listener)
    assert sum(visits) > 50
    assert listener.heard < 30
    assert LOSS.compute(outcome_of(walked, frequency)) == pytest.approx(best, rel=1e-9)


def test_what_is_visited_counts_as_nodes():
    with walking() as visits:
        Optimal(nodes=30).search(people(400), [KAnonymity(k=2), TCloseness(t=0.3)], LOSS, Limits(400))
    assert 20 <= sum(visits) <= 30


@pytest.mark.parametrize("model", [TCloseness(t=0.3), RecursiveLDiversity(c=2, l=3)])
def test_counts_beyond_16_bits_are_added_too(model):
    """Each record stands for 5,000, so that the commonest value occurs more often than 16 bits can say."""
    once = people(400)
    disease = once.sensitive["disease"]
    more = replace(disease, count=disease.count * 5000, whole=disease.whole * 5000)
    often = replace(once, counts=once.counts * 5000, sensitive={"disease": more})
    few = all_visited(Judge(once, [KAnonymity(k=2), model]), (0, 0, 0, 0), once.heights, 1000)
    many = all_visited(Judge(often, [KAnonymity(k=10_000), model]), (0, 0, 0, 0), once.heights, 1000)
    assert many == {levels: 5000 * suppressed for levels, suppressed in few.items()}
    assert len(set(few.values())) > 10


IMPOSSIBLE = {
    "several sets of attributes": (lambda table: replace(table, sets=((0, 1), (2, 3))), []),
    "a population": (lambda table: replace(table, population=table.counts), []),
    "a promise about the whole table": (lambda table: table, [AverageRisk(threshold=0.5)]),
}


@pytest.mark.parametrize("reason", IMPOSSIBLE)
def test_there_is_no_walk_where_groups_are_not_judged_one_by_one(reason):
    change, promises = IMPOSSIBLE[reason]
    judge = Judge(change(people(60)), [TCloseness(t=0.3), *promises])
    assert not BoxWalk.is_possible(judge, judge.rollup.bottom(), judge.frequency.heights)


@pytest.mark.parametrize(("limit", "value"), [("MOST_NODES", 80), ("MEMORY", 1000), ("KEY_BITS", 11)])
def test_there_is_no_walk_over_a_box_that_is_too_large(limit, value):
    judge = Judge(people(60), [TCloseness(t=0.3)])
    assert BoxWalk.is_possible(judge, judge.rollup.bottom(), judge.frequency.heights)
    with patch.object(box_walk, limit, value):
        assert not BoxWalk.is_possible(judge, judge.rollup.bottom(), judge.frequency.heights)


def test_the_keyboard_stops_a_walk():
    class Impatient(Progress):
        def wants_stop(self) -> bool:
            return bool(visits)

    frequency = people(400)
    with walking() as visits, patch.object(branch_and_bound, "NODES_AT_ONCE", 7):
        stopped = Optimal().search(frequency, [KAnonymity(k=2), TCloseness(t=0.3)], LOSS, Limits(400), Impatient())
    assert visits == [7]
    done = Optimal().search(frequency, [KAnonymity(k=2), TCloseness(t=0.3)], LOSS, Limits(400), NO_PROGRESS)
    assert stopped.lower_bound < done.lower_bound
