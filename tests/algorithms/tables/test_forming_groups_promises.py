"""Bottom-up, top-down and clustering with any promise, and on odd tables."""

from collections import Counter
from datetime import date
from typing import ClassVar, Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from algorithms.tables.record_tables import publish, records_of
from algorithms.tables.small_tables import frequency_of
from krypsis import registry
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.errors import Infeasible, InternalError, UsageError
from krypsis.models.base import GroupModel, TableModel

NAMES = ("bottom-up", "top-down", "clustering")
every_algorithm = pytest.mark.parametrize("name", NAMES)


@every_algorithm
@given(data=st.data())
@pytest.mark.parametrize("promise", ["distinct-l-diversity:l=2", "entropy-l-diversity:l=2", "t-closeness:t=0.3"])
def test_promises_about_sensitive_values_are_kept_with_small_blocks_too(name, promise, data):
    rows = data.draw(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("xyz")), min_size=4, max_size=60))
    columns = {"a": [row[0] for row in rows], "s": [row[1] for row in rows]}
    models = [promise, "k-anonymity:k=2"]
    if len(set(columns["s"])) < 2 and "t-closeness" not in promise:
        with pytest.raises(Infeasible, match="Nearest feasible setting"):
            publish(columns, name, models, sensitive=["s"])
    else:
        try:
            release = publish(columns, f"{name}:block=16", models, sensitive=["s"])
        except Infeasible:  # the table itself has too little variety
            assert "entropy" in promise
            return
        assert all(release.verdicts)


@every_algorithm
def test_groups_stay_small_where_the_promise_is_kept_nearby(name):
    columns = {"a": [value for value in range(20) for _ in range(2)], "s": ["x", "y"] * 20}
    release = publish(columns, name, ["distinct-l-diversity:l=2", "k-anonymity:k=2"], sensitive=["s"])
    assert release.score <= 2 / 19


@every_algorithm
def test_a_promise_without_k_is_enough(name):
    columns = {"a": [0, 0, 1, 5, 5, 6], "s": list("xyzxyz")}
    release = publish(columns, name, "distinct-l-diversity:l=3", sensitive=["s"])
    assert set(release.table["a"]) == {"[0-1]", "[5-6]"}


class SizeIsOneOf(GroupModel):
    """A promise that two groups may keep and break together."""

    monotone: ClassVar[bool] = False
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    sizes: tuple[int, ...]

    @property
    def required(self):
        return 0.0

    def promise(self):
        return "sizes are fine"

    def accepts(self, groups):
        return np.isin(groups.sizes, self.sizes)

    def measure(self, groups):
        return float(len(groups))


class MeanSize(TableModel):
    """A promise about all groups together."""

    @property
    def required(self):
        return 2.0

    @property
    def spec(self):
        return "mean-size"

    def promise(self):
        return "groups have two records on average"

    def level(self, sizes):
        return float(sizes.mean())

    def suffices(self, level):
        return level >= 2


@every_algorithm
@given(values=st.lists(st.integers(0, 4), min_size=6, max_size=30), sizes=st.sets(st.integers(1, 8)))
def test_a_promise_that_is_not_monotone_is_kept_by_the_groups_as_they_look(name, values, sizes):
    allowed = (*sizes, len(values))
    model = SizeIsOneOf(sizes=allowed)
    metric = registry.create("metric", "generalized-loss")
    recoding = registry.create("algorithm", f"{name}:block=16").search(
        records_of({"a": values}), [model], metric, Limits()
    )
    looks = Counter(recoding.released[:, 0].tolist())
    assert set(looks.values()) <= set(allowed)


@every_algorithm
def test_a_promise_about_all_groups_together_is_refused(name):
    search = (records_of({"a": [1, 2]}), [MeanSize()], registry.create("metric", "loss"), Limits())
    with pytest.raises(UsageError, match=r"mean-size is about.*algorithm 'optimal'"):
        registry.create("algorithm", name).search(*search)


@every_algorithm
def test_levels_and_several_sets_are_refused_with_the_algorithm_that_knows_them(name):
    with pytest.raises(UsageError, match=r"minimum or maximum levels.*algorithm 'optimal'"):
        publish({"a": ["x", "y"]}, name, min_levels={"a": 1})
    with pytest.raises(UsageError, match=r"one set of quasi-identifiers, got 2.*algorithm 'optimal'"):
        publish({"a": [1, 2], "b": [1, 2]}, name, quasi_identifier_sets=[["a"], ["b"]])


@every_algorithm
def test_more_than_there_are_records_is_infeasible_and_says_what_is_possible(name):
    with pytest.raises(Infeasible, match=r"keeps k-anonymity:k=7.*the best is k-anonymity 6"):
        publish({"a": [1, 1, 2, 3, 4, 5]}, name, "k-anonymity:k=7")


@every_algorithm
def test_one_record_is_a_group_of_one(name):
    assert publish({"a": [1]}, name, "k-anonymity:k=1").table.rows() == [(1,)]
    with pytest.raises(Infeasible):
        publish({"a": [1]}, name, "k-anonymity:k=2")


@every_algorithm
def test_an_empty_table_is_refused_as_everywhere(name):
    empty = {"a": pl.Series([], dtype=pl.String)}
    with pytest.raises(UsageError) as refused:
        publish(empty, "optimal")
    with pytest.raises(type(refused.value)):
        publish(empty, name)


@every_algorithm
def test_constant_attributes_and_duplicates_stay_as_they_are(name):
    assert publish({"a": [7] * 50, "b": ["x"] * 50}, f"{name}:block=16", "k-anonymity:k=3").score == 0
    assert publish({"a": [1, 2] * 10, "b": ["x", "y"] * 10}, name, "k-anonymity:k=10").score == 0


@every_algorithm
def test_nothing_has_to_be_hidden_where_every_group_may_have_one_record(name):
    assert publish({"a": [3, 1, 2], "b": ["x", "y", "z"]}, name, "k-anonymity:k=1").score == 0


@every_algorithm
def test_a_hundred_attributes_are_no_trouble(name):
    draw = np.random.default_rng(3)
    release = publish({f"q{number}": draw.integers(0, 50, 200) for number in range(100)}, name, "k-anonymity:k=5")
    assert all(release.verdicts)


@every_algorithm
def test_missing_values_keep_to_themselves_and_dates_to_their_order(name):
    days = [date(2024, 2, 28), date(2024, 2, 29), None, None, date(2025, 1, 1), date(2025, 1, 2)]
    release = publish({"born": days}, name)
    assert set(release.table["born"]) == {"[2024-02-28 to 2024-02-29]", "[2025-01-01 to 2025-01-02]", None}


@every_algorithm
def test_an_attribute_of_many_values_is_no_trouble(name):
    """More values than there is a table of all runs for: a line of numbers and a tree."""
    draw = np.random.default_rng(4)
    columns = {"income": draw.permutation(1000), "zip": [f"{number:05}" for number in draw.permutation(1000)]}
    trees = {"zip": {"kind": "masking", "side": "right"}}
    release = publish(columns, f"{name}:block=128", "k-anonymity:k=4", hierarchies=trees)
    assert all(release.verdicts)
    assert release.score < 0.25


@every_algorithm
def test_single_records_are_needed(name):
    search = ([registry.create("model", "k-anonymity:k=1")], registry.create("metric", "loss"), Limits())
    with pytest.raises(InternalError, match="every record as a tuple of its own"):
        registry.create("algorithm", name).search(frequency_of({"a": [1, 1, 2, 2]}), *search)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("bottom-up:block=3", r"block of bottom-up must be at least 16, got 3"),
        ("top-down:assign=best", r"assign of top-down"),
        ("clustering:rounds=-1", r"rounds of clustering must be at least 0"),
        ("clustering:threads=0", r"threads of clustering must be at least 1"),
        ('clustering:publish="ages=sets"', r"publish names 'ages'.*Did you mean 'age'"),
    ],
)
def test_a_wrong_parameter_is_an_error_that_names_it(spec, message):
    with pytest.raises(UsageError, match=message):
        publish({"age": [1, 2]}, spec)


def test_the_seed_is_not_published(tmp_path):
    release = publish({"a": list(range(20))}, "clustering:seed=987654321")
    folder = release.save(tmp_path / "release").folder
    assert "987654321" not in "".join(path.read_text() for path in folder.glob("*.json"))
    assert all(krypsis.check(folder))
