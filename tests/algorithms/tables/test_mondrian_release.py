"""Mondrian's parameters, what it refuses, and odd tables."""

from datetime import date
from typing import ClassVar, Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from algorithms.tables.small_tables import frequency_of
from krypsis import registry
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.mondrian.mondrian import Mondrian, RelaxedMondrian
from krypsis.errors import Infeasible, InternalError, UsageError
from krypsis.kinds.table.utility import CountQuery, estimated_count
from krypsis.models.base import GroupModel, TableModel
from krypsis.progress import Progress

BOTH = ("mondrian", "mondrian-relaxed")
both_algorithms = pytest.mark.parametrize("algorithm", BOTH)


def publish(columns, algorithm="mondrian", models="k-anonymity:k=2", sensitive=(), **options):
    table = pl.DataFrame(columns)
    roles = {name: "sensitive" if name in sensitive else "quasi-identifier" for name in table.columns}
    options = {"metric": "generalized-loss"} | options
    return krypsis.anonymize(table, roles, models=models, algorithm=algorithm, **options)


def test_the_axis_that_lowers_the_loss_most_is_cut_where_that_is_asked():
    columns = {"a": [0, 0, 9, 9, 1, 1, 10, 10], "b": [0, 0, 10, 10, 0, 0, 10, 10]}
    widest, best = publish(columns, "mondrian"), publish(columns, "mondrian:choose=ncp")
    assert best.score <= widest.score
    assert best.score == 0


def test_classes_that_differ_by_one_attribute_are_told_apart_by_it():
    columns = {
        "noise": [0, 90, 10, 80, 20, 70, 30, 100],
        "signal": ["1", "1", "1", "1", "2", "2", "2", "2"],
        "pay": ["low"] * 4 + ["high"] * 4,
        "name": list("abcdefgh"),
    }
    release = publish(
        columns, "mondrian:choose=classification,target=pay", "k-anonymity:k=4", sensitive=("pay", "name")
    )
    assert release.table.group_by("signal").agg(pl.col("pay").n_unique())["pay"].to_list() == [1, 1]
    blind = publish(columns, "mondrian:dimension_order=noise", "k-anonymity:k=4", sensitive=("pay", "name"))
    assert blind.table["signal"].unique().to_list() == ["[1-2]"]


def test_a_target_that_is_not_sensitive_is_refused_with_those_that_are():
    columns = {"a": [1, 2], "pay": ["x", "y"]}
    with pytest.raises(UsageError, match=r"target names 'pya'.*sensitive attributes: pay\. Did you mean 'pay'"):
        publish(columns, "mondrian:choose=classification,target=pya", sensitive=["pay"])
    with pytest.raises(UsageError, match="none is declared"):
        publish({"a": [1, 2]}, "mondrian:choose=classification")
    with pytest.raises(UsageError, match="target belongs to choose=classification"):
        publish(columns, "mondrian:target=pay", sensitive=["pay"])


def test_regions_reach_up_to_the_next_cut_and_tight_ranges_do_not():
    columns = {"age": [20, 21, 22, 38, 39, 40]}
    tight = publish(columns, "mondrian", "k-anonymity:k=3")
    region = publish(columns, "mondrian:summary=region", "k-anonymity:k=3")
    assert set(tight.table["age"]) == {"[20-22]", "[38-40]"}
    assert set(region.table["age"]) == {"[20-22]", "(22-40]"}


def test_regions_that_overlap_say_so():
    columns = {"age": [20, 21, 21, 21, 21, 22]}
    region = publish(columns, "mondrian-relaxed:summary=region", "k-anonymity:k=3")
    assert set(region.table["age"]) == {"[20-21]", "[21-22]"}


@pytest.mark.parametrize("ages", [[1, 2, None, None], [1, 1, 2, 2, 3, 3, None, None]])
def test_a_region_without_missing_values_does_not_stand_for_them(ages):
    release = publish({"age": ages}, "mondrian:summary=region")
    missing = release.table.filter(pl.col("age").is_null())
    assert missing.height == 2
    assert "*" not in release.table["age"]


def test_missing_values_are_taken_away_from_the_others_first():
    columns = {"a": [1, 2, 3, 4, None, None], "b": [1, 9, 1, 9, 1, 9]}
    release = publish(columns, models="k-anonymity:k=2")
    assert release.table["a"].null_count() == 2


def test_times_are_published_as_ranges_with_the_mean_between():
    seen = pl.datetime_range(pl.datetime(2024, 2, 1, 12), pl.datetime(2024, 2, 9, 12), eager=True)
    release = publish({"seen": seen[[0, 1, 7, 8]]}, "mondrian:means=true", models="kk-anonymity:k=2")
    assert set(release.table["seen"]) == {
        "[2024-02-01T12:00:00 to 2024-02-02T12:00:00] (mean 2024-02-02T00:00:00)",
        "[2024-02-08T12:00:00 to 2024-02-09T12:00:00] (mean 2024-02-09T00:00:00)",
    }


def test_numbers_that_differ_in_the_last_of_many_digits_are_two_numbers():
    release = publish({"id": ["9007199254740992", "9007199254740993"]}, models="kk-anonymity:k=2")
    assert set(release.table["id"]) == {"[9007199254740992-9007199254740993]"}


def test_the_mean_of_large_numbers_lies_in_the_range_and_gives_back_the_sum():
    release = publish({"pay": [1234561, 1234562, 2000003, 2000008]}, "mondrian:means=true")
    assert set(release.table["pay"]) == {"[1234561-1234562] (mean 1234561.5)", "[2000003-2000008] (mean 2000005.5)"}


def test_a_table_with_means_can_be_asked_who_could_be_who_and_for_counts():
    people = pl.DataFrame({"age": [20, 21, 23, 24, 30, 33], "pay": [1, 2, 3, 4, 5, 6]})
    roles = {"age": "quasi-identifier", "pay": "sensitive"}
    release = krypsis.anonymize(people, roles, models="kk-anonymity:k=3", algorithm="mondrian:means=true")
    assert min(release.table["age"]) == "[20-23] (mean 21.3333333333)"
    assert all(release.verdicts)
    assert estimated_count(release, CountQuery({"age": (20, 23)})) == pytest.approx(3)


@pytest.mark.parametrize("algorithm", ["mondrian:publish=sets", "clustering:publish=sets", "bottom-up"])
def test_a_set_tells_its_values_apart_whatever_they_hold(algorithm):
    values = ["a, b", "a", "b", "{a, b}", 'a" b', "c"]
    people = pl.DataFrame({"job": values * 2})
    release = krypsis.anonymize(
        people, {"job": "quasi-identifier"}, models="kk-anonymity:k=4", algorithm=algorithm, metric="ncp"
    )
    assert all(release.verdicts)  # the checker reads every value out of the labels


def test_means_are_told_beside_ranges_of_numbers_and_dates_alike_for_all_of_a_group():
    columns = {"age": [20, 23, 28, 30], "born": [date(2000, 1, day) for day in (1, 3, 5, 9)], "sex": list("mmff")}
    release = publish(columns, "mondrian:means=true")
    assert set(release.table.rows()) == {
        ("[20-23] (mean 21.5)", "[2000-01-01 to 2000-01-03] (mean 2000-01-02)", "m"),
        ("[28-30] (mean 29)", "[2000-01-05 to 2000-01-09] (mean 2000-01-07)", "f"),
    }
    assert release.score == publish(columns).score


def test_parameters_about_attributes_may_be_mappings_or_text():
    columns = {"zip": ["01", "02", "11", "12"], "age": [1, 2, 3, 4]}
    text = publish(columns, 'mondrian:kinds="zip=numeric",publish="age=sets",dimension_order="zip,age"')
    mapping = publish(
        columns,
        {"name": "mondrian", "kinds": {"zip": "numeric"}, "publish": {"age": "sets"}, "dimension_order": ["zip"]},
    )
    assert text.table.sort(pl.all()).equals(mapping.table.sort(pl.all()))
    assert set(text.table.rows()) == {("[01-02]", "{1, 2}"), ("[11-12]", "{3, 4}")}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mondrian:dimension_order=agee", r"dimension_order names 'agee'.*Did you mean 'age'"),
        ('mondrian:kinds="age=number"', r"kinds of mondrian"),
        ('mondrian:publish="ages=sets"', r"publish names 'ages'.*Did you mean 'age'"),
        ("mondrian:choose=best", r"choose of mondrian"),
        ("mondrian:threads=0", r"threads of mondrian must be at least 1"),
    ],
)
def test_a_wrong_parameter_is_an_error_that_names_it(spec, message):
    with pytest.raises(UsageError, match=message):
        publish({"age": [1, 2]}, spec)


@both_algorithms
def test_levels_and_several_sets_are_refused_with_the_algorithm_that_knows_them(algorithm):
    with pytest.raises(UsageError, match=r"minimum or maximum levels.*algorithm 'optimal'"):
        publish({"a": ["x", "y"]}, algorithm, min_levels={"a": 1})
    with pytest.raises(UsageError, match=r"one set of quasi-identifiers, got 2.*algorithm 'optimal'"):
        krypsis.anonymize(
            pl.DataFrame({"a": [1, 2], "b": [1, 2]}),
            dict.fromkeys("ab", "quasi-identifier"),
            quasi_identifier_sets=[["a"], ["b"]],
            models="k-anonymity:k=2",
            algorithm=algorithm,
        )


@both_algorithms
def test_more_than_there_are_records_is_infeasible_and_says_what_is_possible(algorithm):
    with pytest.raises(Infeasible, match=r"keeps k-anonymity:k=7.*the best is k-anonymity 6"):
        publish({"a": [1, 1, 2, 3, 4, 5]}, algorithm, "k-anonymity:k=7")


@both_algorithms
@pytest.mark.parametrize("odd", [float("inf"), float("-inf")])
def test_infinite_numbers_are_refused_by_name(algorithm, odd):
    with pytest.raises(UsageError, match=r"'a' holds '-?inf' among its numbers"):
        publish({"a": [1.5, 2.5, odd]}, algorithm)


@both_algorithms
def test_a_word_in_a_numeric_attribute_is_refused_by_name(algorithm):
    with pytest.raises(UsageError, match=r"'a' is called numeric and holds values that are no numbers: 'old'"):
        publish({"a": ["1", "2", "old"]}, {"name": algorithm, "kinds": {"a": "numeric"}})


@both_algorithms
def test_not_a_number_is_a_missing_value(algorithm):
    release = publish({"a": [1.0, 2.0, float("nan"), float("nan")]}, algorithm)
    assert release.table["a"].null_count() == 2


@both_algorithms
def test_constant_attributes_stay_as_they_are(algorithm):
    assert publish({"a": [7] * 5, "b": ["x"] * 5}, algorithm).score == 0


@both_algorithms
def test_nothing_but_duplicates_is_published_as_it_is(algorithm):
    release = publish({"a": [1, 2] * 10, "b": ["x", "y"] * 10}, algorithm, "k-anonymity:k=10")
    assert release.score == 0


@both_algorithms
def test_dates_are_cut_as_dates(algorithm):
    days = [date(2024, 2, 28), date(2024, 2, 29), date(2025, 1, 1), date(2025, 1, 2)]
    release = publish({"born": days}, algorithm)
    assert set(release.table["born"]) == {"[2024-02-28 to 2024-02-29]", "[2025-01-01 to 2025-01-02]"}


@both_algorithms
def test_one_record_is_a_group_of_one(algorithm):
    assert publish({"a": [1]}, algorithm, "k-anonymity:k=1").table.rows() == [(1,)]
    with pytest.raises(Infeasible):
        publish({"a": [1]}, algorithm, "k-anonymity:k=2")


@both_algorithms
def test_a_hundred_attributes_are_no_trouble(algorithm):
    draw = np.random.default_rng(3)
    release = publish({f"q{number}": draw.integers(0, 50, 200) for number in range(100)}, algorithm, "k-anonymity:k=5")
    assert all(release.verdicts)


@both_algorithms
def test_an_empty_table_is_refused_as_everywhere(algorithm):
    empty = {"a": pl.Series([], dtype=pl.String)}
    with pytest.raises(UsageError) as refused:
        publish(empty, "optimal")
    with pytest.raises(type(refused.value)):
        publish(empty, algorithm)


def test_a_search_that_is_stopped_returns_the_parts_it_has():
    class Impatient(Progress):
        rounds = 0

        def wants_stop(self):
            self.rounds += 1
            return self.rounds > 2

    frequency = frequency_of({"a": list(range(64))})
    search = (frequency, [registry.create("model", "k-anonymity:k=2")], registry.create("metric", "loss"), Limits())
    assert Mondrian().search(*search, Impatient()).figures[0]["parts"] == 4
    assert Mondrian().search(*search).figures[0]["parts"] == 32


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


class OfPopulation(SizeIsOneOf):
    """A promise about the people that records come from."""

    needs_population: ClassVar[bool] = True
    spec: ClassVar[str] = "of-population"


class InOneAttribute(SizeIsOneOf):
    """A promise about groups in the first attribute."""

    spec: ClassVar[str] = "in-one-attribute"

    def sets_of(self, attributes):
        return (tuple(attributes[:1]),)


@pytest.mark.parametrize(
    "model", [MeanSize(), OfPopulation(sizes=(1,)), InOneAttribute(sizes=(1,))], ids=lambda m: m.spec
)
def test_a_promise_that_no_part_can_be_judged_by_is_refused(model):
    search = (frequency_of({"a": [1, 2], "b": [1, 2]}), [model], registry.create("metric", "loss"), Limits())
    with pytest.raises(UsageError, match=rf"{model.spec} (is about|compares).*algorithm 'optimal'"):
        Mondrian().search(*search)


def test_parts_that_look_alike_are_judged_as_the_group_they_become():
    """Cut on thing, then on z: {a, b} and {c, d} are both published as *, and 4 + 6 records are one group."""
    counts = {("a", 1): 1, ("a", 2): 2, ("b", 1): 3, ("b", 2): 3, ("c", 1): 1, ("c", 2): 1, ("d", 1): 5, ("d", 2): 6}
    rows = [row for row, count in counts.items() for _ in range(count)]
    frequency = frequency_of({"thing": [thing for thing, _ in rows], "z": [z for _, z in rows]})
    mondrian = Mondrian(publish={"thing": "hierarchy"}, kinds={"thing": "ordered"}, dimension_order=("thing",))
    model = SizeIsOneOf(sizes=(22, 9, 13, 4, 5, 6, 7))
    recoding = mondrian.search(frequency, [model], registry.create("metric", "generalized-loss"), Limits())
    labels = [
        [book.labels[code] for code in recoding.released[:, place]] for place, book in enumerate(recoding.codebooks)
    ]
    assert set(zip(*labels, strict=True)) == {("*", "[1-2]")}
    fine = SizeIsOneOf(sizes=(22, 9, 13, 4, 5, 6, 7, 10, 12))
    recoding = mondrian.search(frequency, [fine], registry.create("metric", "generalized-loss"), Limits())
    assert recoding.figures[0]["parts"] == 4


def test_relaxed_cuts_need_single_records():
    frequency = frequency_of({"a": [1, 1, 2, 2]})
    search = (frequency, [registry.create("model", "k-anonymity:k=1")], registry.create("metric", "loss"), Limits())
    with pytest.raises(InternalError, match="every record as a tuple of its own"):
        RelaxedMondrian().search(*search)


def partitions(items):
    """All ways to divide a list into parts."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for parts in partitions(rest):
        yield [[first], *parts]
        for place in range(len(parts)):
            yield [*parts[:place], [first, *parts[place]], *parts[place + 1 :]]


@given(
    rows=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=7),
    algorithm=st.sampled_from([*BOTH, "mondrian:choose=ncp", "mondrian-relaxed:choose=ncp"]),
)
def test_its_loss_is_never_below_that_of_the_best_of_all_partitions(rows, algorithm):
    points = np.array(rows)
    spans = np.maximum(np.ptp(points, axis=0), 1)
    losses = [
        sum(len(part) * (np.ptp(points[part], axis=0) / spans).sum() for part in parts) / points.size
        for parts in partitions(list(range(len(rows))))
        if min(map(len, parts)) >= 2
    ]
    columns = {"a": points[:, 0], "b": points[:, 1]}
    assert publish(columns, algorithm).score >= min(losses) - 1e-9
