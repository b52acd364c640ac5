"""What every registered method for sets of items must do, on any small sets, with any promises that it keeps."""

import json
import math
from contextlib import nullcontext, suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import krypsis
from effort import examples
from krypsis import registry
from krypsis.algorithms.sets.base import SetTask
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Transactions
from krypsis.errors import DataError, Infeasible, UsageError
from krypsis.metrics.transactions.base import SetMetric
from transactions.set_tasks import ITEMS, METHODS, SEED, alike, counted, items_of, published_by, release_of, tasks

METRICS = {name: cls for name, cls in registry.classes("metric").items() if issubclass(cls, SetMetric)}
every_method = pytest.mark.parametrize("name", sorted(METHODS))
quietly = pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning", "ignore::krypsis.errors.SearchWarning")

FLAT = Hierarchy.from_rows([[item, "any"] for item in ITEMS])


@every_method
@quietly
@given(data=st.data())
def test_its_release_is_accepted_by_the_checker_and_has_every_record(name, data):
    task = data.draw(tasks(name))
    release = release_of(task)
    if release is None:
        return
    assert [verdict.promise for verdict in release.verdicts] == [model.spec for model in task["models"]]
    assert all(release.verdicts)
    assert len(published_by(release)) == len(task["data"])


@every_method
@quietly
@given(data=st.data())
def test_what_it_tells_of_original_items_was_there(name, data):
    task = data.draw(tasks(name))
    release = release_of(task)
    if release is None:
        return
    before = counted(task["data"])
    told = items_of(published_by(release))
    assert all(told[item] <= before[item] for item in ITEMS)
    if not METHODS[name].needs_hierarchy:
        assert set(told) <= set(ITEMS)


@every_method
@quietly
@given(data=st.data())
def test_the_same_seed_makes_the_same_release_of_an_input_that_stays_unchanged(name, data):
    task = data.draw(tasks(name))
    codes, starts = task["data"].codes.copy(), task["data"].starts.copy()
    first, second = release_of(task), release_of(task)
    assert (task["data"].codes == codes).all()
    assert (task["data"].starts == starts).all()
    if first is None or second is None:
        assert first is second
        return
    assert_frame_equal(first.table, second.table)
    assert (first.sensitive_table is None) == (second.sensitive_table is None)
    if first.sensitive_table is not None and second.sensitive_table is not None:
        assert_frame_equal(first.sensitive_table, second.sensitive_table)
    assert first.metrics == second.metrics


@every_method
@quietly
@given(data=st.data())
def test_the_order_of_the_records_decides_nothing_about_the_promises(name, data):
    task = data.draw(tasks(name))
    order = np.array(data.draw(st.permutations(range(len(task["data"])))), dtype=np.int64)
    first, second = release_of(task), release_of({**task, "data": task["data"].taken(order)})
    if task["algorithm"].get("variant") == "printed":  # whose promises depend on which equal records stand together
        return
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert [one.holds for one in first.verdicts] == [one.holds for one in second.verdicts]


@every_method
@quietly
@given(data=st.data())
def test_its_release_survives_save_and_load_and_publishes_no_seed(name, data, tmp_path_factory):
    release = release_of(data.draw(tasks(name)))
    if release is None:
        return
    folder = tmp_path_factory.mktemp("contract") / "release"
    saved = release.save(folder)
    loaded = krypsis.Release.load(folder)
    assert alike(published_by(loaded)) == alike(published_by(release))
    assert [verdict.holds for verdict in krypsis.check(folder)] == [True] * len(release.promises)
    assert json.loads((folder / "manifest.json").read_text("utf-8"))["algorithm"].startswith(name)
    assert not [path for path in folder.iterdir() if str(SEED).encode() in path.read_bytes()]
    assert str(SEED) in saved.private.read_text("utf-8")


@every_method
@quietly
@given(data=st.data())
def test_every_metric_that_applies_measures_what_it_makes(name, data):
    task = data.draw(tasks(name))
    release = release_of(task)
    if release is None:
        return
    hierarchy = (task["hierarchies"] or {}).get("item")
    wanted = SetTask(task["data"], task["models"], hierarchy, frozenset(task["sensitive_items"]))
    made = registry.create("algorithm", task["algorithm"]).publish(wanted, np.random.default_rng(1)).published
    metrics = [cls.usual(task["models"]) for cls in METRICS.values()]
    applying = [metric for metric in metrics if metric.applies_to(made, hierarchy)]
    told = {metric.name for metric in applying if metric.reported and metric.published}
    assert set(release.metrics) == told
    assert set(release.private["metrics"]) == {metric.name for metric in applying if metric.reported} - told
    for metric in applying:
        # Some refuse by their name what tells them nothing, such as sets of which none has a pair of items.
        with suppress(UsageError) if not metric.reported else nullcontext():
            value = metric.measure(task["data"], made, hierarchy, np.random.default_rng(1))
            assert math.isfinite(value)
            assert value >= 0


def plain_task(name: str, sets: list[list[str]], **numbers: int) -> dict[str, Any]:
    """A task with the usual parameters; c is sensitive where something must be."""
    cls, numbers = METHODS[name], {"k": 2, "m": 2, "p": 2, "l": 2, **numbers}
    return {
        "data": Transactions.of_sets(sets),
        "models": [model(**{each: numbers[each] for each in model.model_fields}) for model in cls.keeps],
        "sensitive_items": ["c"] if any(model.needs_sensitive for model in cls.keeps) else (),
        "hierarchies": {"item": FLAT} if cls.needs_hierarchy else None,
        "algorithm": name,
    }


BASKETS = [["a", "b"], ["a", "b"], ["a"], ["a", "b", "c"], ["b"], ["a"]]


@every_method
def test_promises_that_it_does_not_keep_are_refused_with_those_that_it_keeps(name):
    others = [cls for cls in registry.classes("model").values() if cls.kind == "transactions"]
    for cls in (cls for cls in others if cls not in METHODS[name].keeps):
        stranger = cls(**dict.fromkeys(cls.model_fields, 2))
        task = plain_task(name, BASKETS)
        with pytest.raises(
            UsageError, match=f"{name} cannot keep {stranger.spec}; it keeps: .*{task['models'][0].name}"
        ):
            krypsis.anonymize(**{**task, "models": [*task["models"], stranger]})
    with pytest.raises(UsageError, match="is about a table, and these are sets of items"):
        krypsis.anonymize(**{**plain_task(name, BASKETS), "models": "k-anonymity:k=2"})


@every_method
def test_what_it_needs_and_is_not_given_is_asked_for(name):
    task = plain_task(name, BASKETS)
    krypsis.anonymize(**task)
    if METHODS[name].needs_hierarchy:
        with pytest.raises(UsageError, match=f"{name} .* needs their hierarchy"):
            krypsis.anonymize(**{**task, "hierarchies": None})
    if any(model.needs_sensitive for model in task["models"]):
        with pytest.raises(UsageError, match="name at least one sensitive item"):
            krypsis.anonymize(**{**task, "sensitive_items": ()})
        with pytest.raises(UsageError, match=r"no record holds the sensitive item.*'z'"):
            krypsis.anonymize(**{**task, "sensitive_items": ["z"]})


@every_method
def test_a_promise_that_nothing_can_keep_is_refused_with_the_nearest_that_can_be_kept(name):
    with pytest.raises(Infeasible) as refusal:
        krypsis.anonymize(**plain_task(name, BASKETS, k=7, p=7, l=7))
    assert refusal.value.closest in ({"k": 6}, {"k": 6, "records": 6}, {"item": "c", "count": 1, "records": 6, "p": 6})
    assert "6" in str(refusal.value)


@every_method
def test_no_records_at_all_are_refused(name):
    with pytest.raises(DataError, match="no records"):
        krypsis.anonymize(**{**plain_task(name, []), "sensitive_items": ()})


@every_method
def test_it_says_what_it_is(name):
    cls = METHODS[name]
    assert cls.kind == "transactions"
    assert cls.keeps
    assert set(cls.needs) <= set(cls.keeps)
    assert cls.reference
    assert "References" in (cls.__doc__ or "")
    assert "Examples" in (cls.__doc__ or "")


@every_method
@quietly
@settings(max_examples=examples(40))
@given(data=st.data())
def test_a_trace_changes_nothing_and_has_steps_where_the_method_says_so(name, data):
    task = data.draw(tasks(name))
    trace = krypsis.Trace()
    release, traced = release_of(task), release_of({**task, "progress": trace})
    assert (release is None) == (traced is None)
    if release is None or traced is None:
        return
    assert_frame_equal(release.table, traced.table)
    assert release.steps == ()
    assert bool(traced.steps) == METHODS[name].describes_steps
