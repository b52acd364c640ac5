"""What every registered method that puts records into groups must do, on any small table with any models."""

from collections import Counter
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import krypsis
from krypsis import registry
from krypsis.algorithms.tables.base import Bucketing
from krypsis.errors import Infeasible, UsageError
from krypsis.release.order import in_input_order
from strategies import VALUES, hierarchies, models_of, models_of_tuples, tables

BUCKETING = [name for name, cls in registry.classes("algorithm").items() if issubclass(cls, Bucketing)]
every_bucketing = pytest.mark.parametrize("name", BUCKETING)


@st.composite
def tasks(draw: st.DrawFn) -> dict[str, Any]:
    """A small table with one sensitive attribute, a hierarchy for it, and one or two models about it."""
    table = draw(tables(max_sensitive=0))
    secret = draw(st.lists(st.sampled_from(VALUES), min_size=table.height, max_size=table.height))
    table = table.with_columns(s0=pl.Series(secret, dtype=pl.String))
    about = {name: cls for name, cls in models_of_tuples().items() if cls.needs_sensitive}
    chosen = draw(st.lists(st.sampled_from(sorted(about)), min_size=1, max_size=2, unique=True))
    return {
        "data": table,
        "roles": {name: "sensitive" if name == "s0" else "quasi-identifier" for name in table.columns},
        "hierarchies": {"s0": draw(hierarchies(VALUES))},
        "models": [draw(models_of(about[name], ["s0"])) for name in chosen],
    }


def release_of(name: str, task: dict[str, Any], seed: int | None = 7) -> krypsis.Release | None:
    try:
        return krypsis.anonymize(**task, algorithm={"name": name, "seed": seed})
    except Infeasible:
        return None
    except UsageError as refusal:  # a method may refuse promises that say too little, if it names what says more
        if "promise '" not in str(refusal):
            raise
        return None


def values_by_group(release: krypsis.Release) -> dict[Any, Counter[Any]]:
    """The sensitive values that are told of each group."""
    found: dict[Any, Counter[Any]] = {}
    if release.sensitive_table is None:
        for group, value in release.table.select("group", "s0").rows():
            found.setdefault(group, Counter())[value] += 1
    else:
        for group, value, count in release.sensitive_table.rows():
            found.setdefault(group, Counter())[value] += count
    return found


@every_bucketing
@given(task=tasks())
@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
def test_its_release_is_accepted_by_the_checker_and_tells_the_quasi_identifiers_as_they_are(name, task):
    release = release_of(name, task)
    if release is None:
        return
    assert len(release.verdicts) == len(task["models"])
    assert all(release.verdicts)
    public = [column for column in task["data"].columns if column != "s0"]
    assert_frame_equal(in_input_order(release).select(public), task["data"].select(public))


@every_bucketing
@given(task=tasks())
@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
def test_the_values_of_a_group_are_those_of_its_records(name, task):
    tagged = task["data"].with_columns(tag=pl.int_range(pl.len()))
    release = release_of(name, {**task, "data": tagged, "roles": {**task["roles"], "tag": "insensitive"}})
    if release is None:
        return
    original: dict[Any, Counter[Any]] = {}
    for tag, group in release.table.select("tag", "group").rows():
        original.setdefault(group, Counter())[task["data"]["s0"][tag]] += 1
    assert values_by_group(release) == original


@every_bucketing
@given(task=tasks(), data=st.data())
@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
def test_the_order_of_rows_and_columns_changes_nothing_but_order(name, task, data):
    table = task["data"]
    rows = data.draw(st.permutations(range(table.height)))
    columns = data.draw(st.permutations(table.columns))
    first, second = release_of(name, task), release_of(name, {**task, "data": table[rows].select(columns)})
    if first is None or second is None:
        assert first is second
        return
    assert second.verdicts == first.verdicts
    assert Counter(second.table.select(first.table.columns).rows()) == Counter(first.table.rows())
    assert values_by_group(second) == values_by_group(first)


@every_bucketing
@given(task=tasks())
@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
def test_the_input_is_unchanged_and_the_same_seed_gives_the_same_release(name, task):
    before = task["data"].clone()
    first, second = release_of(name, task), release_of(name, task)
    assert_frame_equal(task["data"], before)
    if first is not None and second is not None:
        assert_frame_equal(first.table, second.table)
        assert (first.sensitive_table is None) == (second.sensitive_table is None)
        if first.sensitive_table is not None:
            assert_frame_equal(first.sensitive_table, second.sensitive_table)


@every_bucketing
@given(task=tasks(), formats=st.sampled_from([("csv",), ("parquet",), ("csv", "parquet")]))
@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
def test_its_release_survives_save_and_load_and_publishes_no_seed(name, task, formats, tmp_path_factory):
    release = release_of(name, task, seed=271828182845904)
    if release is None:
        return
    folder = tmp_path_factory.mktemp("contract") / "release"
    saved = release.save(folder, formats)
    loaded = krypsis.Release.load(folder)
    assert_frame_equal(loaded.table, release.table, check_row_order=False)
    assert values_by_group(loaded) == values_by_group(release)
    assert loaded.guarantee == release.guarantee
    assert [verdict.holds for verdict in krypsis.check(folder)] == [True] * len(release.promises)
    assert not [path for path in folder.iterdir() if b"271828182845904" in path.read_bytes()]
    assert "271828182845904" in saved.private.read_text("utf-8")


@every_bucketing
def test_promises_about_quasi_identifiers_are_refused(name):
    table = pl.DataFrame({"age": [1, 2], "pay": [3, 4]})
    roles = {"age": "quasi-identifier", "pay": "sensitive"}
    models = ["ke-anonymity:k=2,e=1", "frequency-l-diversity:l=2", "em-anonymity:epsilon=0.5,m=2"]
    assert release_of(name, {"data": table, "roles": roles, "models": models})
    with pytest.raises(UsageError, match="publishes the quasi-identifiers as they are, so it cannot promise k-anonym"):
        krypsis.anonymize(table, roles, models=[*models, "k-anonymity:k=2"], algorithm=name)


@every_bucketing
def test_several_sensitive_attributes_are_refused_by_name(name):
    table = pl.DataFrame({"age": [1, 2], "pay": [3, 4], "debt": [5, 6]})
    roles = {"age": "quasi-identifier", "pay": "sensitive", "debt": "sensitive"}
    with pytest.raises(UsageError, match="works with one sensitive attribute, got 2: pay, debt"):
        krypsis.anonymize(table, roles, models="ke-anonymity:k=2,e=1", algorithm=name)


@every_bucketing
def test_generalization_that_is_asked_for_is_refused(name):
    table = pl.DataFrame({"age": [1, 2], "pay": [3, 4]})
    roles = {"age": "quasi-identifier", "pay": "sensitive"}
    with pytest.raises(UsageError, match="does not generalize, and age must be generalized as min_levels says"):
        krypsis.anonymize(table, roles, models="ke-anonymity:k=2,e=1", algorithm=name, min_levels={"age": 1})


@every_bucketing
def test_it_says_what_it_is(name):
    cls = registry.find("algorithm", name)
    assert cls.scheme == "bucketization"
    assert cls.reference
    assert "References" in (cls.__doc__ or "")
