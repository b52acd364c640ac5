import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import krypsis
from krypsis import registry
from krypsis.checker import Given
from krypsis.checker.table import check_table
from krypsis.data.groups import Groups
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import HierarchyError, UsageError
from krypsis.models.t_closeness import TCloseness
from models import references
from strategies import VALUES, hierarchies

MANY = [str(number) for number in range(120)]
DISTANCES = ["equal", "ordered", "hierarchical"]

every_distance = pytest.mark.parametrize("distance", DISTANCES)


def measure(group, whole, distance="equal", hierarchy=None):
    sample = Groups.of_histograms([group], "salary", hierarchy, whole)
    return TCloseness(t=0, distance=distance).measure(sample)


def test_the_skewed_group_of_the_paper_is_0_45_from_the_whole():
    whole = {"flu": 95, "cancer": 5}
    assert measure({"flu": 1, "cancer": 1}, whole) == pytest.approx(0.45)
    sample = Groups.of_histograms([{"flu": 1, "cancer": 1}], whole=whole)
    assert TCloseness(t=0.45).accepts(sample).tolist() == [True]
    assert TCloseness(t=0.4499).accepts(sample).tolist() == [False]


def test_the_salaries_of_the_paper():
    # Li et al., section 4.2: {3k..5k} is 0.375 and {6k, 8k, 11k} is 0.167 from {3k..11k}
    whole = {f"{number}000": 1 for number in range(3, 12)}
    assert measure({"3000": 1, "4000": 1, "5000": 1}, whole, "ordered") == pytest.approx(0.375)
    assert measure({"6000": 1, "8000": 1, "11000": 1}, whole, "ordered") == pytest.approx(1 / 6)


def test_numbers_are_ordered_by_size_and_not_as_text():
    whole = {"9": 1, "10": 1, "100": 1}
    assert measure({"9": 1}, whole, "ordered") == pytest.approx(0.5)
    assert measure({"10": 1}, whole, "ordered") == pytest.approx(1 / 3)


def test_dates_are_ordered_by_time():
    whole = {"2020-12-31": 1, "2021-01-01": 1, "2021-01-02": 1}
    assert measure({"2021-01-01": 1}, whole, "ordered") == pytest.approx(1 / 3)


def test_words_are_ordered_as_their_hierarchy_lists_them():
    sizes = Hierarchy.from_rows([["small", "*"], ["medium", "*"], ["large", "*"]])
    whole = {"small": 1, "medium": 1, "large": 1}
    assert measure({"medium": 1}, whole, "ordered", sizes) == pytest.approx(1 / 3)
    assert measure({"large": 1}, whole, "ordered", sizes) == pytest.approx(0.5)


def test_words_without_a_hierarchy_have_no_order():
    with pytest.raises(UsageError, match=r"salary has no order.*lists its values from lowest to highest"):
        measure({"low": 1}, {"low": 1, "high": 1}, "ordered")


def test_hierarchical_distance_asks_for_a_hierarchy():
    with pytest.raises(UsageError, match=r"salary has no hierarchy.*use distance=equal"):
        measure({"flu": 1}, {"flu": 1, "cancer": 1}, "hierarchical")


def test_a_hierarchy_that_lacks_values_is_refused_by_name():
    sizes = Hierarchy.from_rows([["small", "*"], ["medium", "*"]])
    with pytest.raises(HierarchyError, match=r"hierarchy of 'salary' lacks 1 value.*large"):
        measure({"large": 1}, {"small": 1, "large": 1}, "hierarchical", sizes)


def test_values_under_one_parent_are_nearer_than_values_under_two():
    disease = Hierarchy.from_rows(
        [["ulcer", "stomach", "*"], ["gastritis", "stomach", "*"], ["flu", "lung", "*"], ["asthma", "lung", "*"]]
    )
    whole = dict.fromkeys(["ulcer", "gastritis", "flu", "asthma"], 1)
    # half of each half moves to its sibling: 1/2 · 1/2; from one side to the other costs twice as much
    assert measure({"ulcer": 1, "flu": 1}, whole, "hierarchical", disease) == pytest.approx(0.25)
    assert measure({"ulcer": 1, "gastritis": 1}, whole, "hierarchical", disease) == pytest.approx(0.5)


@every_distance
def test_a_missing_value_is_a_value_of_its_own(distance):
    flat = Hierarchy.from_rows([["1", "*"]])
    assert measure({"1": 1}, {"1": 1, None: 1}, distance, flat) == pytest.approx(0.5)


@every_distance
def test_a_table_of_one_value_is_close_to_itself(distance):
    assert measure({"7": 3}, {"7": 9}, distance, Hierarchy.from_rows([["7"]])) == 0


@every_distance
def test_a_value_nobody_has_changes_nothing(distance):
    hierarchy = Hierarchy.from_rows([[value, "*"] for value in MANY])
    whole = {"1": 2, "5": 1, "9": 1}
    without = measure({"1": 1, "9": 1}, whole, distance, hierarchy)
    assert measure({"1": 1, "9": 1}, whole | {"3": 0, "4": 0}, distance, hierarchy) == pytest.approx(without)


def test_a_value_the_whole_table_lacks_takes_its_place_in_the_order():
    # cumulated shares 0, 0, 1 against 1/2, 1, 1
    assert measure({"3": 1}, {"1": 1, "2": 1}, "ordered") == pytest.approx(0.75)
    assert measure({"3": 1}, {"1": 1, "2": 1}, "equal") == pytest.approx(1)


@every_distance
@given(data=st.data())
def test_the_distance_is_the_least_work_of_moving_records(distance, data):
    counts = st.dictionaries(st.sampled_from(VALUES[:5]), st.integers(1, 5), min_size=1)
    group, rest, hierarchy = data.draw(counts), data.draw(counts), data.draw(hierarchies(VALUES[:5]))
    whole = {value: group.get(value, 0) + rest.get(value, 0) for value in {*group, *rest}}
    expected = _least_work(group, whole, _ground(distance, sorted(whole, key=float), hierarchy))
    assert measure(group, whole, distance, hierarchy) == pytest.approx(expected, abs=1e-7)


@every_distance
@given(data=st.data())
def test_few_of_many_values_are_measured_as_the_reference_does(distance, data):
    # a group of a few values out of 120 takes another path than a group of most of 6 values
    group = st.dictionaries(st.sampled_from(MANY), st.integers(1, 5), min_size=1, max_size=4)
    histograms = data.draw(st.lists(group, min_size=1, max_size=5))
    whole = {value: data.draw(st.integers(1, 3)) + sum(g.get(value, 0) for g in histograms) for value in MANY}
    rows = [[value, str(int(value) // 5), str(int(value) // 30), "*"] for value in MANY]
    sample = Groups.of_histograms(histograms, "salary", Hierarchy.from_rows(rows), whole)
    levels = TCloseness(t=0, distance=distance).levels(sample.sensitive["salary"], sample.sizes)
    expected = [getattr(references, distance)(group, whole, rows) for group in histograms]
    assert levels.tolist() == pytest.approx([float(level) for level in expected], abs=1e-12)


@every_distance
@given(data=st.data())
def test_a_distance_of_exactly_t_is_accepted(distance, data):
    group = data.draw(st.dictionaries(st.sampled_from(VALUES), st.integers(1, 50), min_size=1))
    whole = {value: data.draw(st.integers(1, 50)) + group.get(value, 0) for value in VALUES}
    hierarchy = data.draw(hierarchies())
    exact = getattr(references, distance)(group, whole, hierarchy.rows())
    sample = Groups.of_histograms([group], "salary", hierarchy, whole)
    assert TCloseness(t=float(exact), distance=distance).accepts(sample).all()


def test_many_values_and_many_groups_need_little_memory():
    # 20,000 groups × 20,000 values would be 3 GB as a table
    values = tuple(str(number) for number in range(20_000))
    hierarchy = Hierarchy.from_rows([[value, value[:2], "*"] for value in values])
    sample = Groups.of_histograms([{value: 1} for value in values], "salary", hierarchy)
    for distance in DISTANCES:
        assert TCloseness(t=1, distance=distance).accepts(sample).all()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("t-closeness:t=1.5", "t of t-closeness must be at most 1, got 1.5"),
        ("t-closeness:t=-0.1", "t of t-closeness must be at least 0, got -0.1"),
        ("t-closeness:t=nan", "t of t-closeness"),
        ("t-closeness:t=0.2,distance=euclid", "'equal', 'ordered' or 'hierarchical'"),
        ("t-closeness:t=0.2,distanc=equal", "Did you mean 'distance'?"),
    ],
)
def test_a_parameter_out_of_range_is_refused_with_its_range(spec, message):
    with pytest.raises(UsageError) as caught:
        registry.create("model", spec)
    assert message in str(caught.value)


def _ground(distance, values, hierarchy):
    """How far two values are apart, straight from the definition."""
    steps = max(len(values) - 1, 1)

    def apart(one, other):
        if one == other:
            return 0.0
        if distance == "ordered":
            return abs(values.index(one) - values.index(other)) / steps
        if distance == "hierarchical":
            join = next(
                level
                for level in range(hierarchy.height + 1)
                if hierarchy.label(one, level) == hierarchy.label(other, level)
            )
            return join / hierarchy.height
        return 1.0

    return np.array([[apart(one, other) for other in values] for one in values])


def _least_work(group, whole, ground):
    """The earth mover's distance as a linear program."""
    values = sorted(whole, key=float)
    supply = [group.get(value, 0) / sum(group.values()) for value in values]
    demand = [whole[value] / sum(whole.values()) for value in values]
    size = len(values)
    leaves = np.kron(np.eye(size), np.ones(size))
    arrives = np.kron(np.ones(size), np.eye(size))
    answer = linprog(ground.ravel(), A_eq=np.vstack([leaves, arrives]), b_eq=[*supply, *demand])
    return answer.fun


def test_numbers_and_dates_are_compared_by_their_order_unless_told_otherwise():
    # Li et al., section 4.2: {3k..5k} is 0.375 from {3k..11k}; if any two salaries were 1 apart, it would be 2/3
    whole = {f"{number}000": 1 for number in range(3, 12)}
    group = {"3000": 1, "4000": 1, "5000": 1}
    assert measure(group, whole, "by-type") == pytest.approx(0.375)
    assert measure(group, whole, "equal") == pytest.approx(2 / 3)
    days = {"2020-12-31": 1, "2021-01-01": 1, "2021-01-02": 1}
    assert measure({"2021-01-01": 1}, days, "by-type") == pytest.approx(1 / 3)


@pytest.mark.parametrize("values", [("flu", "cancer", "hiv"), ("1", "2", "unknown"), ("011", "012", "113")])
def test_names_and_codes_are_compared_as_equally_far_apart_unless_told_otherwise(values):
    whole = dict.fromkeys(values, 1)
    assert measure({values[1]: 1}, whole, "by-type") == pytest.approx(2 / 3)


PAY = [900, 1000, 1100, 1200, 1300, 1400, 1500, 1600]
STAFF = {"age": [20, 20, 20, 20, 50, 50, 50, 50], "pay": PAY, "job": [*"abcdabcd"]}


def anonymized(*sensitive, models):
    roles = {"age": "QI", **dict.fromkeys(sensitive, "sensitive")}
    return krypsis.anonymize(pl.DataFrame(STAFF).select(*roles), roles=roles, models=models)


def test_a_release_names_the_distance_and_its_files_are_checked_by_the_same(tmp_path):
    # the lower half of eight salaries is 4/8 · 4/7 from the whole: too far for 0.2, near enough for 0.3
    release = anonymized("pay", models=["t-closeness:t=0.3"])
    assert release.promises == ("t-closeness:t=0.3,distance=ordered",)
    assert release.table["age"].n_unique() == 2
    release.save(tmp_path / "release")
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    (claim,) = manifest["promises"]
    assert (claim["promise"], round(claim["achieved"], 6)) == ("t-closeness:t=0.3,distance=ordered", round(2 / 7, 6))
    assert "(ordered)" in claim["sentence"]
    assert all(krypsis.check(tmp_path / "release"))


def test_attributes_of_different_types_get_a_promise_each():
    release = anonymized("pay", "job", models=["t-closeness:t=0.3"])
    assert {*release.promises} == {
        "t-closeness:t=0.3,attribute=pay,distance=ordered",
        "t-closeness:t=0.3,attribute=job,distance=equal",
    }


def test_a_distance_that_is_named_stays():
    release = anonymized("pay", models=["t-closeness:t=0.3,distance=equal"])
    assert release.promises == ("t-closeness:t=0.3,distance=equal",)
    assert release.table["age"].n_unique() == 1


def test_the_verdict_about_a_table_of_another_tool_names_the_distance():
    table = pl.DataFrame(STAFF)
    (pay,) = check_table(table, [TCloseness(t=0.3)], Given(["age"], "pay"))
    (job,) = check_table(table, [TCloseness(t=0.3)], Given(["age"], "job"))
    assert "(ordered)" in pay.sentence
    assert "(equal)" in job.sentence
    (both,) = check_table(table, [TCloseness(t=0.3)], Given(["age"], ["pay", "job"]))
    assert "ordered for numbers and dates, equal for everything else" in both.sentence
    assert both.achieved == pytest.approx(2 / 7)
