"""Risk before and after."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.kinds.table.group_risk import CodedColumn, group_sizes, size_distribution
from krypsis.kinds.table.report_figures import table_figures
from report.releases import flat, make_release, medical


def figures(release, when, position=0):
    return {figure.name: getattr(figure, when) for figure in table_figures(release).risk[position].figures}


def test_the_patients_of_the_specification_go_from_groups_of_one_to_groups_of_three_and_four():
    risk = table_figures(medical()).risk[0]
    assert (risk.groups_before, risk.records_before) == (5, 7)
    assert (risk.groups_after, risk.records_after) == (2, 7)
    assert risk.figure("smallest-group").before == 1
    assert risk.figure("smallest-group").after == 3
    assert [(b.label, b.groups_after, b.records_after) for b in risk.sizes if b.groups_after] == [("3–4", 2, 7)]


def test_the_risks_of_the_patients_are_those_of_their_group_sizes():
    before, after = figures(medical(), "before"), figures(medical(), "after")
    assert before["highest-prosecutor-risk"] == 1
    assert before["average-prosecutor-risk"] == pytest.approx(5 / 7)
    assert before["records-alone"] == 3
    assert after["highest-prosecutor-risk"] == pytest.approx(1 / 3)
    assert after["average-prosecutor-risk"] == pytest.approx(2 / 7)
    assert after["records-alone"] == 0


def test_marketer_and_journalist_fall_back_on_the_prosecutor_and_say_so():
    risk = table_figures(medical()).risk[0]
    assert risk.figure("marketer-risk").after == risk.figure("average-prosecutor-risk").after
    assert risk.figure("highest-journalist-risk").after == risk.figure("highest-prosecutor-risk").after
    assert "population" in risk.figure("highest-journalist-risk").formula


def test_the_share_above_a_limit_counts_the_customary_limit_and_the_promised_one():
    after = figures(medical(), "after")
    assert after["records-above-1-in-5"] == 1  # groups of 3 and 4 are both smaller than 5
    assert after["records-above-1-in-3"] == 0


def test_the_customary_limit_is_shown_once_if_it_is_also_promised():
    names = [figure.name for figure in table_figures(medical(k=5)).risk[0].figures]
    assert names.count("records-above-1-in-5") == 1


def test_suppressed_records_carry_no_risk():
    release = medical(levels={"job": 0, "sex": 0, "age": 0}, k=2)
    after = figures(release, "after")
    assert release.suppressed == 3
    assert after["records-alone"] == 0
    assert after["highest-prosecutor-risk"] == 0.5
    assert after["average-prosecutor-risk"] == pytest.approx(2 / 4)


def test_suppressed_records_that_stay_are_a_group_of_their_own():
    release = medical(levels={"job": 0, "sex": 0, "age": 0}, k=2, suppression="keep")
    risk = table_figures(release).risk[0]
    assert (risk.groups_after, risk.records_after) == (3, 7)
    assert risk.figure("highest-prosecutor-risk").after == 0.5


def test_suppressed_records_that_stay_join_those_that_already_show_the_top():
    rows = [{"zip": "1"}, {"zip": "2"}, {"zip": "2"}]
    zips = Hierarchy.from_rows([["1", "1*", "*"], ["2", "*", "*"]])
    release = make_release(rows, {"zip": zips}, {"zip": 1}, k=2, suppression="keep")
    risk = table_figures(release).risk[0]
    assert release.suppressed == 1
    assert (risk.groups_after, risk.records_after) == (1, 3)


def test_a_table_with_nothing_published_puts_nobody_at_risk():
    release = make_release([{"sex": "m"}, {"sex": "f"}], {"sex": flat("m", "f")}, {"sex": 0}, k=2)
    after = figures(release, "after")
    assert after["smallest-group"] is None
    assert after["highest-prosecutor-risk"] == after["average-prosecutor-risk"] == after["records-alone"] == 0


def test_each_quasi_identifier_set_has_its_own_risk():
    release = medical(levels={"job": 0, "sex": 0, "age": 0}, k=1, sets=(("job", "sex"), ("sex", "age")))
    content = table_figures(release)
    assert [risk.attributes for risk in content.risk] == [("job", "sex"), ("sex", "age")]
    assert [risk.groups_before for risk in content.risk] == [4, 3]  # (Lawyer, Male) is alone; so is (Male, 35)
    assert [risk.figure("records-alone").before for risk in content.risk] == [1, 1]


def test_the_main_risk_is_that_of_the_weakest_set():
    levels = {"job": 0, "sex": 1, "age": 1}
    release = medical(levels=levels, k=1, sets=(("sex", "age"), ("job", "sex")))
    assert table_figures(release).main_risk.attributes == ("job", "sex")  # one lawyer, but three people of 35 to 40


def test_every_figure_explains_itself():
    for figure in table_figures(medical()).risk[0].figures:
        assert figure.formula
        assert figure.sentence.endswith(".")
        assert figure.direction in {"lower is better", "higher is better"}
        assert figure.low <= figure.after <= figure.high
        assert figure.low <= figure.before <= figure.high


cells = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.sampled_from("12")), min_size=1, max_size=30
)


@given(cells, st.tuples(*[st.integers(0, 1)] * 3), st.integers(1, 4), st.sampled_from(["remove", "keep"]))
def test_risk_agrees_with_counting_the_rows_of_both_tables(records, levels, k, suppression):
    rows = [dict(zip("pqr", record, strict=True)) for record in records]
    hierarchies = {"p": flat(*"abc"), "q": flat(*"xyz"), "r": flat(*"12")}
    release = make_release(rows, hierarchies, dict(zip("pqr", levels, strict=True)), k=k, suppression=suppression)
    risk = table_figures(release).risk[0]
    for when, counted in (("before", Counter(records)), ("after", Counter(release.table.rows()))):
        sizes = list(counted.values())
        assert getattr(risk, f"groups_{when}") == len(sizes)
        assert getattr(risk, f"records_{when}") == sum(sizes)
        shown = {figure.name: getattr(figure, when) for figure in risk.figures}
        assert shown["records-alone"] == sizes.count(1)
        assert shown["highest-prosecutor-risk"] == pytest.approx(1 / min(sizes) if sizes else 0)
        assert shown["records-above-1-in-5"] == pytest.approx(
            sum(size for size in sizes if size < 5) / max(sum(sizes), 1)
        )
        assert sum(getattr(bucket, f"records_{when}") for bucket in risk.sizes) == sum(sizes)


@given(st.lists(st.integers(1, 300), max_size=40))
def test_every_group_falls_into_exactly_one_range_of_sizes(sizes):
    buckets = size_distribution(np.array(sizes, dtype=np.int64), np.array([], dtype=np.int64))
    assert sum(bucket.groups_before for bucket in buckets) == len(sizes)
    for bucket in buckets:
        inside = [s for s in sizes if bucket.smallest <= s and (bucket.largest is None or s <= bucket.largest)]
        assert (bucket.groups_before, bucket.records_before) == (len(inside), sum(inside))


def test_groups_are_right_when_the_key_of_all_columns_would_overflow():
    """With 2^16 labels each, five columns need 80 bits: in 64 bits nothing would be left of the first column."""
    labels = tuple(map(str, range(2**16)))
    first = CodedColumn(np.array([0, 1, 2, 1], dtype=np.int32), labels)
    others = [CodedColumn(np.full(4, 7, dtype=np.int32), labels)] * 4
    assert sorted(group_sizes([first, *others], np.array([10, 20, 30, 40]))) == [10, 30, 60]
