"""``optimal`` agrees with trying every node where a population is known or a promise is about all groups together."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import either
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.data.recoding import FrequencySet
from oracles.brute_force import METRICS
from oracles.people import PeopleForce, peopled
from oracles.test_brute_force import score_of
from strategies import frequency_sets, group_models, models_of, population_models, table_models

TABLES = either(200, 6)
"""Random tables for each model."""


def some_of(classes: dict[str, Any]) -> st.SearchStrategy[Any]:
    return st.sampled_from(sorted(classes)).flatmap(lambda name: exactly(classes[name]))


def exactly(cls: type[Any]) -> st.SearchStrategy[Any]:
    """A model with a slow reference."""
    known = {"estimator": "zayatz"} if "estimator" in cls.model_fields else {}
    return models_of(cls).map(lambda model: model.model_copy(update=known))


ABOUT_THE_TABLE = {
    name: group_models()[name]
    for name in ("k-anonymity", "distinct-l-diversity", "recursive-l-diversity", "t-closeness", "alpha-k-anonymity")
}
tables = frequency_sets(max_attributes=3, max_rows=10, sensitive=1)


@pytest.mark.parametrize("name", population_models())
@given(data=st.data())
@settings(max_examples=TABLES)
def test_no_node_beats_the_optimum_with_a_population(name: str, data: st.DataObject) -> None:
    frequency, model = data.draw(peopled(tables)), data.draw(exactly(population_models()[name]))
    assert_optimal(frequency, [model])


@pytest.mark.parametrize("name", table_models())
@given(data=st.data())
@settings(max_examples=TABLES)
def test_no_node_beats_the_optimum_of_promises_about_all_groups(name: str, data: st.DataObject) -> None:
    frequency, model = data.draw(tables), data.draw(exactly(table_models()[name]))
    assert_optimal(frequency, [model])


@given(
    peopled(tables),
    st.lists(some_of(population_models()), min_size=1, max_size=2),
    st.lists(some_of(ABOUT_THE_TABLE), max_size=1),
    st.lists(some_of(table_models()), max_size=2),
)
@settings(max_examples=TABLES)
def test_promises_of_all_kinds_hold_together(
    frequency: FrequencySet, people: list[Any], own: list[Any], together: list[Any]
) -> None:
    assert_optimal(frequency, [*people, *own, *together])


@given(peopled(tables), some_of(population_models()), st.data())
@settings(max_examples=TABLES)
def test_several_quasi_identifier_sets_hold_each(frequency: FrequencySet, model: Any, data: st.DataObject) -> None:
    """People stay in the population when their records are suppressed."""
    if model.judges_absent:
        return  # is about one set only
    columns = st.integers(0, len(frequency.attributes) - 1)
    chosen = st.sets(columns, min_size=1).map(lambda names: tuple(sorted(names)))
    sets = data.draw(st.lists(chosen, min_size=2, max_size=3, unique=True))
    assert_optimal(replace(frequency, sets=tuple(sets)), [model])


def assert_optimal(frequency: FrequencySet, models: list[Any]) -> None:
    force, judge = PeopleForce(frequency), Judge(frequency, models)
    nodes = force.nodes(models)
    chosen = np.random.default_rng(frequency.rows).permutation(sorted(METRICS))[:3]
    for metric in (*chosen.tolist(), "loss"):
        for limit in sorted({0, frequency.rows // 4, frequency.rows}):
            expected = force.best_score(metric, nodes, limit)
            found = score_of(judge, metric, Limits(limit))
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-9), (metric, limit)
