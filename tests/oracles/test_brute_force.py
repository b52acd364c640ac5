"""``optimal`` agrees with trying every node, for every model, metric and suppression limit."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import IS_THOROUGH, either, examples
from krypsis import registry
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.optimal.optimal import Optimal
from krypsis.data.recoding import FrequencySet
from krypsis.errors import Infeasible
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from oracles.brute_force import METRICS, BruteForce
from strategies import SENSITIVE, frequency_sets, group_models, models_of, some_group_model

TABLES = either(300, 6)
"""Random tables for each combination of model, metric and suppression limit."""

SOME = examples(100)
"""Random tables where several things come together."""

TOGETHER = {"multi-attribute-l-diversity": SENSITIVE, "personalized-privacy": ("disease", "guard")} | dict.fromkeys(
    ("xy-anonymity", "xy-linkability", "xy-privacy"), SENSITIVE
)
"""Model → the columns that it counts together."""

some_model = some_group_model()
some_metrics = st.sets(st.sampled_from(sorted(METRICS)), min_size=5, max_size=5).map(sorted)
"""Where all kinds of promises are tried, each table is measured in a few ways; of the many tables each gets others."""

usual_metrics = st.just(sorted(METRICS)) if IS_THOROUGH else some_metrics
"""The metrics of one table: a thorough run takes them all, every other run a few."""


def test_every_metric_has_a_slow_twin() -> None:
    of_tables = {name for name, cls in registry.classes("metric").items() if issubclass(cls, Metric)}
    assert set(METRICS) == of_tables


def test_every_promise_about_several_columns_is_among_those_that_are_tried() -> None:
    counting = {name for name, cls in group_models().items() if cls.combinations is not GroupModel.combinations}
    assert counting == set(TOGETHER)


@pytest.mark.parametrize("name", group_models())
@given(data=st.data())
@settings(max_examples=TABLES)
def test_no_node_beats_the_optimum(name: str, data: st.DataObject) -> None:
    together = TOGETHER.get(name, ())
    sensitive = 2 if together == SENSITIVE else 1
    # Most of the time goes into the searches, one for each metric and limit; taller lattices come further below.
    attributes = 2 if together else 3
    tables = frequency_sets(
        max_attributes=attributes, max_rows=12, max_height=2, sensitive=sensitive, together=together
    )
    frequency = data.draw(tables)
    model = data.draw(models_of(group_models()[name], SENSITIVE[:sensitive]))
    metrics = data.draw(usual_metrics)
    assert_optimal(frequency, [model], limits=(0, frequency.rows // 4, frequency.rows), metrics=metrics)


@given(
    frequency_sets(max_attributes=3, max_rows=12, sensitive=2),
    st.lists(some_model, min_size=2, max_size=3),
    some_metrics,
)
@settings(max_examples=SOME)
def test_several_models_hold_together(frequency: FrequencySet, models: list[Any], metrics: list[str]) -> None:
    assert_optimal(frequency, models, limits=(0, frequency.rows // 2), metrics=metrics)


@given(
    frequency_sets(max_attributes=3, sensitive=1),
    st.lists(some_model, min_size=1, max_size=2),
    some_metrics,
    st.data(),
)
@settings(max_examples=SOME)
def test_several_quasi_identifier_sets_hold_each(
    frequency: FrequencySet, models: list[Any], metrics: list[str], data: st.DataObject
) -> None:
    columns = st.integers(0, len(frequency.attributes) - 1)
    sets = data.draw(
        st.lists(
            st.sets(columns, min_size=1).map(lambda chosen: tuple(sorted(chosen))), min_size=2, max_size=3, unique=True
        )
    )
    limits = (0, frequency.rows // 2, frequency.rows)
    assert_optimal(replace(frequency, sets=tuple(sets)), models, limits=limits, metrics=metrics)


@given(frequency_sets(max_attributes=3, sensitive=1), st.lists(some_model, min_size=1, max_size=2), some_metrics)
@settings(max_examples=SOME)
def test_records_that_stay_keep_the_promises_too(
    frequency: FrequencySet, models: list[Any], metrics: list[str]
) -> None:
    assert_optimal(frequency, models, limits=(frequency.rows // 2, frequency.rows), metrics=metrics, keep=True)


@given(frequency_sets(max_attributes=3, sensitive=1), some_model, some_metrics, st.data())
@settings(max_examples=SOME)
def test_weights_shift_the_optimum(
    frequency: FrequencySet, model: Any, metrics: list[str], data: st.DataObject
) -> None:
    weights = st.sampled_from([0.0, 0.5, 1.0, 3.0])
    drawn = data.draw(st.tuples(*[weights] * len(frequency.attributes)).filter(any))
    assert_optimal(replace(frequency, weights=drawn), [model], limits=(0, frequency.rows // 2), metrics=metrics)


@given(frequency_sets(max_attributes=3, sensitive=1), some_model, st.data())
def test_levels_stay_within_their_limits(frequency: FrequencySet, model: Any, data: st.DataObject) -> None:
    bounds = [sorted(data.draw(st.tuples(*[st.integers(0, height)] * 2))) for height in frequency.heights]
    lowest, highest = (tuple(side) for side in zip(*bounds, strict=True))
    force = BruteForce(frequency)
    inside = [
        node
        for node in force.nodes([model])
        if all(low <= level <= high for low, level, high in zip(lowest, node.levels, highest, strict=True))
    ]
    limits = Limits(frequency.rows // 2, lowest=lowest, highest=highest)
    expected = force.best_score("loss", inside, frequency.rows // 2)
    assert score_of(Judge(frequency, [model]), "loss", limits) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def assert_optimal(
    frequency: FrequencySet,
    models: list[Any],
    limits: tuple[int, ...],
    *,
    metrics: Iterable[str],
    keep: bool = False,
) -> None:
    force, judge = BruteForce(frequency), Judge(frequency, models, Limits(keep=keep))
    nodes = force.nodes(models, keep=keep)
    for metric in metrics:
        for limit in sorted(set(limits)):
            expected = force.best_score(metric, nodes, limit, keep=models if keep else None)
            found = score_of(judge, metric, Limits(limit, keep=keep))
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-9), (metric, limit)


@given(frequency_sets(max_attributes=3, sensitive=1), some_model, some_metrics)
@settings(max_examples=SOME)
def test_of_equal_optima_one_with_the_lowest_levels_is_taken(
    frequency: FrequencySet, model: Any, metrics: list[str]
) -> None:
    force = BruteForce(frequency)
    nodes = [node for node in force.nodes([model]) if node.lost < frequency.rows]
    for metric in metrics:
        best = force.best_score(metric, nodes, frequency.rows)
        if best is None or len(registry.create("metric", metric).criteria) > 1:  # further criteria break the tie there
            continue
        scores = [(force.score(metric, node), sum(node.levels)) for node in nodes]
        tied = [height for score, height in scores if score == pytest.approx(best, rel=1e-9, abs=1e-12)]
        found = Optimal().search(frequency, [model], registry.create("metric", metric), Limits(frequency.rows))
        assert sum(found.levels) == min(tied)


def score_of(judge: Judge, metric: str, limits: Limits) -> float | None:
    objective, models = registry.create("metric", metric), list(judge.models)
    try:
        recoding = Optimal().search(judge.frequency, models, objective, limits)
    except Infeasible:
        return None
    node, numbers = judge.rollup.coarsen(judge.rollup.bottom(), recoding.levels)
    refused = judge.left_out(node)
    assert (refused[numbers] == recoding.suppressed).all()
    return objective.compute(judge.outcome(node, refused))
