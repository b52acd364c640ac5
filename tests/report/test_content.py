"""What a report says."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import UsageError
from krypsis.kinds.table.distributions import MOST_BARS, arrange_values
from krypsis.kinds.table.report_figures import table_figures
from krypsis.report import build_report, render_json
from report.releases import flat, make_release, medical


def distribution(content, attribute):
    return next(one for one in content.distributions if one.attribute == attribute)


def bars(series):
    return [(bar.label, bar.records) for bar in series]


def test_the_promise_is_told_with_what_it_does_not_protect_from():
    (promise,) = table_figures(medical()).promises
    assert promise.promise == "k-anonymity:k=3"
    assert (promise.holds, promise.required, promise.achieved) == (True, 3, 3)
    assert "at least 2 others" in promise.sentence
    assert "homogeneity" in promise.does_not_protect_from


@pytest.mark.parametrize(
    ("promise", "checked_on"),
    [
        ("k-anonymity:k=2", "the published data alone"),
        ("k-map:k=2", "the published table and the population"),
        ("kk-anonymity:k=2", "the published table and the original one"),
        ("xy-anonymity:y=who,k=2", "the published table and columns that are not published: who"),
    ],
)
def test_what_a_promise_was_checked_on_is_told(promise, checked_on):
    people = pl.DataFrame({"who": ["a", "b", "c", "d"], "age": ["30", "30", "40", "40"]})
    release = krypsis.anonymize(
        people, {"who": "identifier", "age": "quasi-identifier"}, models=promise, population=people
    )
    assert table_figures(release).promises[0].checked_on == checked_on


def test_a_broken_promise_is_said_first():
    (verdict,) = medical().verdicts
    content = table_figures(replace(medical(), verdicts=(verdict.model_copy(update={"holds": False}),)))
    assert content.promises[0].state == "broken"
    assert content.summary[0].startswith("Do not publish")


def test_a_promise_nobody_checked_does_not_count_as_kept():
    content = table_figures(replace(medical(), verdicts=()))
    assert content.promises[0].holds is None
    assert "not checked" in content.summary[0]


def test_a_release_without_evidence_says_how_to_get_a_report():
    with pytest.raises(UsageError, match=r"krypsis\.anonymize"):
        table_figures(replace(medical(), before=None))


def test_loss_of_each_attribute_follows_its_formula():
    losses = {one.attribute: one.loss for one in table_figures(medical()).attributes}
    assert losses["job"] == pytest.approx(1 / 3)  # one other job of three: (2 − 1) / (4 − 1)
    assert losses["sex"] == 0
    assert losses["age"] == pytest.approx(4 / 9)  # five of ten ages look alike: (5 − 1) / (10 − 1)


def test_a_suppressed_record_counts_as_total_loss():
    content = table_figures(medical(levels={"job": 0, "sex": 0, "age": 0}, k=2))
    assert [one.loss for one in content.attributes] == pytest.approx([3 / 7] * 3)
    assert content.suppressed == 3
    assert content.suppressed_share == pytest.approx(3 / 7)
    assert content.records_published == 4


def test_level_height_and_numbers_of_values_are_shown_per_attribute():
    job, sex, age = table_figures(medical()).attributes
    assert (job.level, job.height, job.values_before, job.values_after) == (1, 2, 4, 2)
    assert (sex.level, sex.height, sex.values_before, sex.values_after) == (0, 1, 2, 2)
    assert (age.level, age.height, age.values_before, age.values_after) == (1, 2, 3, 2)


def test_metrics_are_those_of_the_release_with_their_range():
    release = medical()
    content = table_figures(release)
    assert {one.name: one.value for one in content.metrics} == dict(release.metrics)
    for one in content.metrics:
        assert 0 <= one.position <= 1
        assert one.formula
        assert one.sentence
    discernibility = next(one for one in content.metrics if one.name == "discernibility")
    assert (discernibility.value, discernibility.best) == (25, 11)  # specification 8.5


def test_the_attribute_losses_make_up_the_loss_metric():
    release = medical(levels={"job": 1, "sex": 0, "age": 0}, k=2)
    content = table_figures(release)
    losses = np.array([one.loss for one in content.attributes])
    assert np.prod((1 + losses) ** (1 / 3)) - 1 == pytest.approx(release.metrics["loss"])


def test_values_before_and_labels_after_are_counted():
    content = table_figures(medical())
    job = distribution(content, "job")
    assert not job.aligned
    assert dict(bars(job.before)) == {"Engineer": 2, "Lawyer": 1, "Writer": 2, "Dancer": 2}
    assert bars(job.after) == [("Artist", 4), ("Professional", 3)]
    age = distribution(content, "age")
    assert bars(age.before) == [("30", 4), ("35", 1), ("38", 2)]
    assert bars(age.after) == [("[30-35)", 4), ("[35-40)", 3)]


def test_sensitive_values_are_compared_before_and_after_suppression():
    disease = distribution(table_figures(medical(levels={"job": 0, "sex": 0, "age": 0}, k=2)), "disease")
    assert disease.role == "sensitive"
    assert disease.aligned
    assert dict(bars(disease.before)) == {"Fever": 4, "Dehydration": 2, "Flu": 1}
    assert dict(bars(disease.after)) == {"Fever": 3, "Dehydration": 0, "Flu": 1}


def test_suppressed_records_that_stay_show_the_top_as_a_bar_of_its_own():
    content = table_figures(medical(levels={"job": 0, "sex": 0, "age": 0}, k=2, suppression="keep"))
    job = distribution(content, "job")
    assert job.aligned
    assert dict(bars(job.after)) == {"Writer": 2, "Dancer": 2, "Engineer": 0, "Lawyer": 0, "*": 3}
    assert dict(bars(job.before))["*"] == 0
    assert sum(records for _, records in bars(distribution(content, "disease").after)) == 7


def test_numbers_are_in_numeric_order_and_missing_values_come_last():
    rows = [{"age": value} for value in ("9", "10", None, "100", "10")]
    content = table_figures(make_release(rows, {"age": flat("9", "10", None, "100")}, {"age": 0}, k=1))
    assert bars(distribution(content, "age").before) == [("9", 1), ("10", 2), ("100", 1), ("(missing)", 1)]


def test_published_ranges_are_in_the_order_of_their_numbers():
    rows = [{"age": value} for value in ("5", "15", "16", "100", "101", "102")]
    age = Hierarchy.from_rows([row["age"], f"[{int(row['age']) // 10}0s)", "*"] for row in rows)
    shown = distribution(table_figures(make_release(rows, {"age": age}, {"age": 1}, k=1)), "age")
    assert bars(shown.after) == [("[00s)", 1), ("[10s)", 2), ("[100s)", 3)]


def test_many_numbers_are_shown_in_round_steps():
    rows = [{"age": str(age)} for age in range(17, 91)]
    hierarchy = flat(*(row["age"] for row in rows))
    age = distribution(table_figures(make_release(rows, {"age": hierarchy}, {"age": 1}, k=1)), "age")
    assert bars(age.before)[0] == ("[15-20)", 3)
    assert bars(age.before)[-1] == ("[90-95)", 1)
    assert sum(bar.records for bar in age.before) == 74
    assert "steps of 5" in age.note


@pytest.mark.parametrize("first", [100, 71000])
def test_postal_codes_are_no_amounts(first):
    codes = [f"{number:05}" for number in range(first, first + 60)]
    arrangement = arrange_values(tuple(codes), np.ones(60, dtype=np.int64))
    assert arrangement.titles[-1] == "31 other values"
    assert arrangement.titles[0] == codes[0]


def test_incomes_of_any_length_are_amounts():
    arrangement = arrange_values(tuple(str(number) for number in range(9000, 12000, 50)), np.ones(60, dtype=np.int64))
    assert arrangement.titles[0] == "[9000-9200)"


def test_many_dates_are_shown_by_a_longer_period():
    dates = [f"{1950 + number}-03-0{1 + number % 9}" for number in range(60)]
    arrangement = arrange_values((*dates, None), np.ones(61, dtype=np.int64))
    assert arrangement.titles == ("1950s", "1960s", "1970s", "1980s", "1990s", "2000s", "(missing)")
    assert [bar.records for bar in arrangement.bars(np.ones(61, dtype=np.int64))] == [10] * 6 + [1]


@pytest.mark.parametrize(
    "values",
    [
        [f"1.{'0' * zeros}" for zeros in range(1, 40)],
        [f"{number}e307" for number in range(1, 40)],
        [f"-{number}.5" for number in range(1, 40)],
        [f"1e-{number}" for number in range(300, 340)],
        ["inf", "-inf", "nan", *map(str, range(40))],
        [str(10**18 + number) for number in range(40)],
        ["²", "٣", *map(str, range(40))],
        ["", " ", *map(str, range(40))],
    ],
)
def test_odd_numbers_are_all_counted(values):
    counts = np.arange(1, len(values) + 1)
    arrangement = arrange_values(tuple(values), counts)
    assert len(arrangement.titles) <= MOST_BARS
    assert sum(bar.records for bar in arrangement.bars(counts)) == counts.sum()


@given(
    st.lists(st.none() | st.text(max_size=3) | st.integers(-999, 999).map(str), min_size=1, max_size=80, unique=True),
    st.data(),
)
def test_no_record_is_lost_in_a_chart(values, data):
    counts = np.array(data.draw(st.lists(st.integers(0, 5), min_size=len(values), max_size=len(values))))
    if counts.any():
        arrangement = arrange_values(tuple(values), counts)
        assert len(arrangement.titles) <= MOST_BARS
        assert sum(bar.records for bar in arrangement.bars(counts)) == counts.sum()


cells = st.lists(st.tuples(st.sampled_from(["1", "2", "10", None]), st.sampled_from("xy")), min_size=1, max_size=25)


@given(cells, st.integers(0, 2), st.integers(1, 3), st.sampled_from(["remove", "keep"]))
def test_bars_agree_with_counting_the_columns_of_both_tables(records, level, k, suppression):
    rows = [{"age": age, "disease": disease} for age, disease in records]
    age = Hierarchy.from_rows([["1", "low", "*"], ["2", "low", "*"], ["10", "high", "*"], [None, None, "*"]])
    release = make_release(rows, {"age": age}, {"age": level}, sensitive=["disease"], k=k, suppression=suppression)
    content = table_figures(release)
    for attribute in ("age", "disease"):
        shown = distribution(content, attribute)
        before = Counter("(missing)" if row[attribute] is None else row[attribute] for row in rows)
        after = Counter("(missing)" if label is None else label for label in release.table[attribute])
        assert {label: records for label, records in bars(shown.before) if records} == before
        assert {label: records for label, records in bars(shown.after) if records} == after


def test_labels_that_do_things_are_made_harmless():
    values = ("a\x00b", "x\u202eevil", "line\nbreak", "", "w" * 100_000)
    rows = [{"note": value} for value in values]
    content = table_figures(make_release(rows, {"note": flat(*values)}, {"note": 0}, k=1))
    labels = {bar.label for bar in distribution(content, "note").before}
    assert {"a\ufffdb", "x\ufffdevil", "line break", "(empty)"} <= labels
    assert max(map(len, labels)) <= 200


def test_one_row_and_no_sensitive_attribute_make_a_report():
    content = table_figures(make_release([{"sex": "m"}], {"sex": flat("m")}, {"sex": 0}, k=1))
    assert content.records_published == 1
    assert [one.role for one in content.distributions] == ["quasi-identifier"]
    assert "at least 0 others" in content.summary[1]


def test_an_attribute_with_one_value_has_nothing_to_lose():
    rows = [{"country": "GR", "sex": sex} for sex in "mmff"]
    hierarchies = {"country": flat("GR"), "sex": flat("m", "f")}
    country, _ = table_figures(make_release(rows, hierarchies, {"country": 1, "sex": 0}, k=2)).attributes
    assert (country.loss, country.values_before, country.values_after) == (0, 1, 1)


def test_nothing_of_the_rows_is_in_a_report():
    """Values stand with their counts alone: no combination of them, no row number."""
    text = render_json(build_report(medical()))
    assert "Engineer" in text
    assert "offending" not in text
    assert '["Engineer"' not in text
