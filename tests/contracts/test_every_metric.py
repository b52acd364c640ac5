"""Every metric computes its definition, within its range, and bounds what lies above."""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis import registry
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.data.recoding import FrequencySet, Outcome, as_cells, outcome_of
from krypsis.metrics.base import Metric
from krypsis.models.k_anonymity import KAnonymity
from oracles.brute_force import METRICS, BruteForce
from strategies import frequency_sets

TABLE_METRICS = {name: cls for name, cls in registry.classes("metric").items() if issubclass(cls, Metric)}
FACTORS = {name: [f"{name}:generalization=0.3,suppression=0.6"] for name in ("loss", "ncp", "precision")}
every_metric = pytest.mark.parametrize("name", TABLE_METRICS)


def outcome_at(frequency: FrequencySet, levels: tuple[int, ...], k: int) -> Outcome:
    judge = Judge(frequency, [KAnonymity(k=k)])
    node, _ = judge.rollup.coarsen(judge.rollup.bottom(), levels)
    return judge.outcome(node, judge.refused(node, judge.models))


def lattice(frequency: FrequencySet) -> Iterator[tuple[int, ...]]:
    return product(*(range(height + 1) for height in frequency.heights))


@every_metric
@given(frequency=frequency_sets(max_attributes=3, sensitive=1), k=st.integers(1, 4))
def test_it_computes_its_definition_and_stays_in_its_range(name, frequency, k):
    metric = registry.create("metric", name)
    force = BruteForce(frequency)
    for levels in lattice(frequency):
        outcome = outcome_at(frequency, levels, k)
        value = metric.compute(outcome)
        assert value == pytest.approx(METRICS[name](force, force.node(levels, [KAnonymity(k=k)])), rel=1e-9, abs=1e-9)
        assert metric.best(outcome) - 1e-9 <= value <= metric.worst(outcome) + 1e-9


@every_metric
@given(frequency=frequency_sets(sensitive=1))
def test_it_is_best_for_the_unchanged_table(name, frequency):
    metric = registry.create("metric", name)
    outcome = outcome_at(frequency, (0,) * len(frequency.attributes), k=1)
    assert metric.compute(outcome) == pytest.approx(metric.best(outcome), abs=1e-9)


@every_metric
@given(frequency=frequency_sets(max_attributes=3, sensitive=1), k=st.integers(1, 4), data=st.data())
def test_its_lower_bound_holds_for_every_node_of_the_range(name, frequency, k, data):
    metric = registry.create("metric", name)
    lowest = tuple(data.draw(st.integers(0, height)) for height in frequency.heights)
    highest = tuple(data.draw(st.integers(low, high)) for low, high in zip(lowest, frequency.heights, strict=True))
    judge = Judge(frequency, [KAnonymity(k=k)])
    low, _ = judge.rollup.coarsen(judge.rollup.bottom(), lowest)
    top, numbers = judge.rollup.coarsen(low, highest)
    bound = metric.lower_bound(judge.outcome(low, judge.refused(top, judge.models)[numbers]), highest)
    for levels in product(*(range(low, high + 1) for low, high in zip(lowest, highest, strict=True))):
        outcome = outcome_at(frequency, levels, k)
        if outcome.suppressed < outcome.rows:
            assert bound <= metric.compute(outcome) * (1 + 1e-12) + 1e-9


@every_metric
@given(frequency=frequency_sets(max_attributes=3, sensitive=1), data=st.data())
def test_what_it_is_at_least_holds_whichever_records_are_suppressed(name, frequency, data):
    metric = data.draw(st.sampled_from([registry.create("metric", spec) for spec in (name, *FACTORS.get(name, ()))]))
    judge = Judge(frequency, [])
    outcomes = []
    for levels in lattice(frequency):
        node, _ = judge.rollup.coarsen(judge.rollup.bottom(), levels)
        refused = data.draw(st.lists(st.booleans(), min_size=len(node.sizes), max_size=len(node.sizes)))
        outcomes.append(judge.outcome(node, np.array(refused)))
    levels, suppressed = np.array([one.levels for one in outcomes]), np.array([one.suppressed for one in outcomes])
    least = metric.least(frequency, levels, suppressed)
    if least is not None:
        assert len(least) == len(outcomes)
        for bound, outcome in zip(least.tolist(), outcomes, strict=True):
            assert bound <= metric.compute(outcome) + 1e-12


@every_metric
@given(frequency=frequency_sets(max_attributes=3, sensitive=1), k=st.integers(1, 4), data=st.data())
def test_it_is_the_same_whether_a_recoding_is_said_by_levels_or_cell_by_cell(name, frequency, k, data):
    metric = registry.create("metric", name)
    levels = tuple(data.draw(st.integers(0, height)) for height in frequency.heights)
    recoding = Judge(frequency, [KAnonymity(k=k)]).recoding(levels)
    by_levels = metric.compute(outcome_at(frequency, levels, k))
    assert metric.compute(outcome_of(recoding, frequency)) == pytest.approx(by_levels, abs=1e-9)
    cells = as_cells(recoding, frequency)
    assert metric.compute(outcome_of(cells, frequency)) == pytest.approx(by_levels, abs=1e-9)


@every_metric
def test_it_explains_itself(name):
    metric = registry.find("metric", name)
    assert metric.formula
    assert metric.range
    assert metric.sentence
    assert metric.reference
    assert metric.goal == "minimize"


@every_metric
def test_its_spec_is_its_name_and_reads_back(name):
    assert registry.create("metric", name).spec == name


@pytest.mark.parametrize(
    "spec",
    [
        "loss:suppression=0.5",
        "kl-divergence:per=tuple",
        "lexicographic:order=height+loss",
        "weighted:parts=loss*3.0+ncp",
        "classification:target=dia gnosis",
        'classification:target="a,b=""c"""',
    ],
)
def test_a_spec_has_the_parameters_that_are_not_as_usual(spec):
    metric = registry.create("metric", spec)
    assert metric.spec == spec
    assert registry.create("metric", metric.spec) == metric


def test_a_release_tells_the_parameters_of_its_metric(tmp_path):
    table = pl.DataFrame({"age": ["31", "31", "33"]})
    options = {"models": "k-anonymity:k=2", "suppression": 1}
    release = krypsis.anonymize(table, {"age": "quasi-identifier"}, metric="loss:suppression=0.123456789", **options)
    assert release.metric == "loss:suppression=0.123456789"
    assert "loss:suppression=0.123456789: " in release.summary()
    saved = release.save(tmp_path / "release").folder
    assert krypsis.Release.load(saved).metric == release.metric
    told = json.loads((saved / "manifest.json").read_text())["score"]
    assert told == (None if release.suppressed else float(f"{release.score:.3e}"))


def published_metrics(ages, folder: Path):
    """Publish twenty records whose ages become intervals, and return the table with the figures of its manifest."""
    table = pl.DataFrame({"age": ages})
    options = {"hierarchies": {"age": {"kind": "intervals", "width": 5}}, "min_levels": {"age": 1}}
    release = krypsis.anonymize(table, {"age": "quasi-identifier"}, models="k-anonymity:k=5", **options)
    manifest = json.loads((release.save(folder, force=True).folder / "manifest.json").read_text())
    return sorted(release.table["age"]), manifest["metrics"], release.metrics


def test_a_figure_that_differs_for_tables_published_alike_is_rounded(tmp_path):
    one, figures, _ = published_metrics([31, 31, 33, 38, 38] * 4, tmp_path / "one")
    other, other_figures, exact = published_metrics([31, 32, 33, 38, 39] * 4, tmp_path / "other")
    assert one == other
    assert {name for name in figures if figures[name] != other_figures[name]} <= {
        name for name, cls in TABLE_METRICS.items() if cls.needs_original
    }
    for name, cls in TABLE_METRICS.items():
        if name in figures:
            digits = float(f"{exact[name]:.3e}") if cls.needs_original else exact[name]
            assert other_figures[name] == digits, name
