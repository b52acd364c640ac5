"""What every registered method that publishes a table that changes must do, with any promise that it keeps."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from effort import either
from krypsis import registry
from krypsis.algorithms.histories.base import HistoryMethod
from krypsis.errors import Infeasible, UsageError
from krypsis.kinds.history.history import History
from krypsis.progress import NO_PROGRESS, Trace

METHODS = [name for name, cls in registry.classes("algorithm").items() if issubclass(cls, HistoryMethod)]
every_method = pytest.mark.parametrize("name", METHODS)

DISEASES = {"any": {"lungs": ["flu", "cough", "asthma"], "stomach": ["ulcer", "gastritis", "cramp"]}}
LEAVES = [leaf for leaves in DISEASES["any"].values() for leaf in leaves]
TABLES = either(2000, 5)
"""Random sequences for each method: every publication writes and checks whole folders."""
ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}
PROMISES = {"m-invariance": "m-invariance:m=2", "em-correlation": "em-correlation:e=1,m=2"}
"""A promise of each kind, for methods that keep several the first that is known here."""


def promise_of(name):
    kept = [model.name for model in registry.find("algorithm", name).keeps]
    return next(PROMISES[model] for model in kept if model in PROMISES)


@st.composite
def versions(draw):
    """Two tables: of the second, some people stay, some move, some are new."""
    person = st.tuples(st.integers(20, 29).map(str), st.sampled_from(["f", "m"]), st.sampled_from(LEAVES))
    first = draw(st.lists(person, min_size=4, max_size=12))
    stay = draw(st.lists(st.booleans(), min_size=len(first), max_size=len(first)))
    new = draw(st.lists(person, min_size=0 if any(stay) else 4, max_size=6))
    rows = [(f"p{number}", *one) for number, one in enumerate(first)]
    kept = [row for row, there in zip(rows, stay, strict=True) if there]
    more = [(f"n{number}", *one) for number, one in enumerate(new)]
    schema = ["name", "age", "sex", "disease"]
    return [pl.DataFrame(one, schema=schema, orient="row") for one in (rows, [*kept, *more])]


def history_of(folder, name, **options):
    method = {"name": name, "on_ineligible": "counterfeits", "on_changed": "withhold", **options}
    return History.init(
        folder, id="name", roles=ROLES, models=promise_of(name), hierarchies={"disease": DISEASES}, algorithm=method
    )


@every_method
@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
@settings(max_examples=TABLES)
@given(tables=versions(), form=st.sampled_from(["anatomy", "generalization"]))
def test_the_checker_accepts_all_its_releases_together_and_nothing_is_lost(name, tables, form, tmp_path_factory):
    history = history_of(tmp_path_factory.mktemp("contract") / "history", name, publish=form)
    published = 0
    for table in tables:
        try:
            one = history.publish(table, version=published + 1)  # nobody need be known from before
        except Infeasible:
            return
        published += 1
        assert one.change.published + len(one.left_out) == table.height
        assert one.release.table.height == one.change.published + one.change.counterfeits
        assert all(history.check())
    assert len(history.log()) == published


@every_method
@settings(max_examples=TABLES)
@given(tables=versions())
def test_the_same_seed_makes_the_same_release_of_an_input_that_stays_unchanged(name, tables, tmp_path_factory):
    before = tables[0].clone()
    found = []
    for _ in range(2):
        history = history_of(tmp_path_factory.mktemp("contract") / "history", name, seed=271828182845904)
        try:
            found.append(history.publish(tables[0]))
        except Infeasible:
            return
        manifest = json.loads((found[-1].folder / "manifest.json").read_text("utf-8"))
        assert "271828182845904" not in json.dumps(manifest)
    assert_frame_equal(tables[0], before)
    assert_frame_equal(found[0].release.table, found[1].release.table)


@every_method
def test_promises_of_another_kind_are_refused(name, tmp_path):
    with pytest.raises(UsageError, match=f"{name} keeps "):
        History.init(tmp_path / "h", id="name", roles=ROLES, models="distinct-l-diversity:l=2", algorithm=name)
    with pytest.raises(UsageError, match="no promise about the sensitive values is given"):
        History.init(tmp_path / "h", id="name", roles=ROLES, models="k-anonymity:k=2", algorithm=name)


@every_method
def test_it_says_what_it_is(name):
    cls = registry.find("algorithm", name)
    assert cls.kind == cls.scheme == "history"
    assert cls.keeps
    assert "References" in (cls.__doc__ or "")


@every_method
@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
@settings(max_examples=TABLES)
@given(tables=versions())
def test_a_trace_changes_nothing_and_has_steps_where_the_method_says_so(name, tables, tmp_path_factory):
    found = []
    for progress in (NO_PROGRESS, Trace()):
        history = history_of(tmp_path_factory.mktemp("contract") / "history", name, seed=1)
        try:
            found.append(history.publish(tables[0], progress=progress).release)
        except Infeasible:
            return
    plain, traced = found
    assert_frame_equal(plain.table.sort(plain.table.columns), traced.table.sort(plain.table.columns))
    assert plain.steps == ()
    assert bool(traced.steps) == registry.find("algorithm", name).describes_steps
