"""What tables made by hand say about the questions."""

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.advisor import advise, evidence_of
from krypsis.advisor.texts import LANGUAGES, load_texts
from krypsis.data.schema import Schema
from krypsis.errors import ColumnError
from krypsis.kinds.table.findings import Spread


def found(columns, roles, **more):
    return evidence_of(pl.DataFrame(columns), Schema.of(roles), **more).findings


def answers(columns, roles, **more):
    return {page: finding.answer for page, finding in found(columns, roles, **more).items()}


def sensitive(values):
    return {"s": values}, {"s": "sensitive"}


def test_ten_values_none_over_a_fifth_are_many():
    assert answers(*sensitive([f"d{number}" for number in range(10)]))["page02b"] == "yes"
    assert answers(*sensitive([f"d{number}" for number in range(9)]))["page02b"] == "no"


def test_one_value_that_dominates_makes_many_values_few():
    spread = [f"d{number}" for number in range(16)]
    assert answers(*sensitive(spread + ["d0"] * 3))["page02b"] == "no"  # 4 of 19 records are more than a fifth
    assert answers(*sensitive(spread + ["d0"] * 3 + ["e"]))["page02b"] == "yes"  # 4 of 20 are not


def test_every_sensitive_attribute_must_have_many_values():
    many = [f"d{number}" for number in range(20)]
    columns, roles = {"s": many, "hiv": ["yes", "no"] * 10}, {"s": "sensitive", "hiv": "sensitive"}
    finding = found(columns, roles)["page02b"]
    assert finding.answer == "no"
    assert (finding.figures["column"], finding.figures["distinct"], finding.figures["share"]) == ("hiv", 2, 0.5)


def test_a_missing_sensitive_value_is_a_value():
    finding = found(*sensitive([None, None, "flu", "cold"]))["page02b"]
    assert (finding.figures["distinct"], finding.figures["share"]) == (3, 0.5)


@pytest.mark.parametrize(
    ("counts", "answer"),
    [
        ([5, 1], "yes"),  # five times as frequent
        ([4, 1], "yes"),  # as uncertain as 1.6 values: no group of all records has entropy 2-diversity
        ([3, 2], "yes"),  # as uncertain as 1.96
        ([4, 3, 3], "no"),
        ([4, 4, 4], "no"),
        ([4, *[1] * 19], "no"),
        ([100, 50, *[25] * 2], "no"),
        ([95, 5], "yes"),
    ],
)
def test_frequencies_deviate_strongly_by_their_ratio(counts, answer):
    values = [f"d{number}" for number, count in enumerate(counts) for _ in range(count)]
    assert answers(*sensitive(values))["page14"] == answer


@given(st.lists(st.integers(1, 40), min_size=1, max_size=8))
def test_the_spread_of_values_agrees_with_its_definition(counts):
    values = [f"d{number}" for number, count in enumerate(counts) for _ in range(count)]
    spread = Spread.of("s", pl.Series(values))
    shares = [count / sum(counts) for count in counts]
    assert spread.distinct == len(counts)
    assert spread.largest_share == pytest.approx(max(shares))
    assert spread.ratio == pytest.approx(max(counts) / min(counts))
    assert spread.effective == pytest.approx(math.exp(-sum(share * math.log(share) for share in shares)))


def test_an_identifier_that_repeats_means_several_records_per_person():
    roles = {"patient": "identifier", "age": "quasi-identifier"}
    assert answers({"patient": [1, 2, 3], "age": [3, 4, 5]}, roles)["page03a"] == "yes"
    finding = found({"patient": [1, 1, 2], "age": [3, 4, 5]}, roles)["page03a"]
    assert finding.answer == "no"
    assert dict(finding.figures) == {"column": "patient", "distinct": 2, "rows": 3}


def test_the_number_of_the_visit_does_not_hide_that_a_patient_comes_twice():
    columns = {"visit": [1, 2, 3], "patient": ["a", "a", "b"]}
    assert answers(columns, dict.fromkeys(columns, "identifier"))["page03a"] == "no"


def test_two_persons_may_have_the_same_name():
    columns = {"patient": [1, 2, 3], "name": ["Ann Li", "Ann Li", "Bo Lee"]}
    assert answers(columns, dict.fromkeys(columns, "identifier"))["page03a"] == "yes"


def test_without_an_identifier_nothing_is_said_about_persons():
    assert "page03a" not in answers({"age": [1, 2]}, {"age": "quasi-identifier"})


def test_missing_identifiers_are_nobody():
    roles = {"patient": "identifier"}
    assert answers({"patient": [1, None, None, 2]}, roles)["page03a"] == "yes"


def test_tables_and_earlier_releases_are_counted():
    columns, roles = {"age": [1, 2]}, {"age": "quasi-identifier"}
    assert answers(columns, roles)["page04"] == "no"
    assert "page05" not in answers(columns, roles)  # that it was never published says nothing about the future
    several = answers(columns, roles, tables=2, earlier_releases=1)
    assert (several["page04"], several["page05"]) == ("yes", "yes")


def test_a_quasi_identifier_about_health_is_both():
    columns = {"age": [1, 2], "diagnosis": ["a", "b"]}
    finding = found(columns, dict.fromkeys(columns, "quasi-identifier"))["page06"]
    assert (finding.answer, finding.figures["columns"]) == ("yes", "diagnosis")
    assert answers(columns, {"age": "quasi-identifier", "diagnosis": "sensitive"})["page06"] == "no"


def test_half_of_the_attributes_are_most():
    columns = {"id": ["a", "b"], "age": [1, 2], "job": ["x", "y"]}
    roles = {"id": "identifier", "age": "quasi-identifier", "job": "sensitive"}
    assert answers(columns, roles)["page09"] == "yes"
    assert answers({**columns, "city": ["u", "v"]}, {**roles, "city": "quasi-identifier"})["page09"] == "no"


def test_sensitive_numbers_answer_one_half_of_the_question_for_numbers():
    numbers = answers(*sensitive(["1", "2.5"]))
    assert numbers["page10a"] == "yes"
    assert "page10" not in numbers  # whether a probability is wanted, no table knows
    texts = answers(*sensitive(["1", "b"]))
    assert (texts["page10a"], texts["page10"]) == ("no", "no")


@pytest.mark.parametrize(
    ("quasi_identifiers", "rows", "answer"), [(10, 5000, "yes"), (9, 5000, "no"), (3, 8, "no"), (4, 8, "yes")]
)
def test_dimensions_are_many_from_ten_or_from_the_logarithm_of_the_records(quasi_identifiers, rows, answer):
    columns = {f"q{number}": ["a", "b"] * (rows // 2) for number in range(quasi_identifiers)}
    assert answers(columns, dict.fromkeys(columns, "quasi-identifier"))["page03b"] == answer


def test_few_records_among_many_possible_ones_are_improbable():
    rows = list(range(20))
    columns = {"a": rows, "b": rows}  # 20 of 400 possible records
    finding = found(columns, dict.fromkeys(columns, "quasi-identifier"))["page15"]
    assert finding.answer == "yes"
    assert finding.figures["prior"] == pytest.approx(0.05)
    assert answers({"a": rows}, {"a": "quasi-identifier"})["page15"] == "no"


def test_a_list_of_connections_or_items_is_not_taken_for_a_plain_table():
    few = {"from": ["a", "b"], "to": ["b", "a"]}
    assert not {"graph", "set_valued"} & answers(few, dict.fromkeys(few, "quasi-identifier")).keys()
    more = {**few, "age": [1, 2]}
    assert answers(more, dict.fromkeys(more, "quasi-identifier"))["graph"] == "no"


def test_very_many_combinations_are_no_overflow():
    columns = {f"q{number}": [f"{row}" for row in range(50)] for number in range(300)}
    assert answers(columns, dict.fromkeys(columns, "quasi-identifier"))["page15"] == "yes"


def test_sensitive_columns_are_named():
    assert answers(*sensitive(["a"]))["sensitive"] == "yes"
    assert answers({"age": [1]}, {"age": "quasi-identifier"})["sensitive"] == "no"


def test_roles_are_guessed_unless_given():
    frame = pl.DataFrame({"patient_id": [1, 2, 3], "age": [30, 40, 50], "diagnosis": ["flu", "flu", "cold"]})
    evidence = evidence_of(frame)
    assert evidence.findings["sensitive"].figures["columns"] == "diagnosis"
    assert evidence.findings["page03a"].answer == "yes"
    assert evidence.values["person"] == "patient_id"


def test_numbers_get_a_tenth_of_their_range_as_the_difference_that_counts():
    salaries = {"salary": list(range(0, 1010, 10)), "job": ["x"] * 101}
    mixed = evidence_of(pl.DataFrame(salaries), Schema.of({"salary": "sensitive", "job": "sensitive"}))
    assert (mixed.values["spread"], mixed.values["nearness"]) == ("100", "20")  # 98 and 25, to one digit
    assert mixed.values["number"] == "salary"
    alone = evidence_of(pl.DataFrame(salaries), Schema.of({"salary": "sensitive", "job": "quasi-identifier"}))
    assert "number" not in alone.values
    assert alone.values["distance"] == "ordered"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_finding_can_be_said(language):
    columns = {
        "id": [1, 2, 2],
        "age": [30, 40, 50],
        "diagnosis": ["a", "b", "c"],
        "s": ["x", "y", "y"],
        "pay": [1, 2, 3],
    }
    roles = {"id": "identifier", "age": "QI", "diagnosis": "QI", "s": "sensitive", "pay": "sensitive"}
    texts = load_texts(language)
    for finding in found(columns, roles, tables=2, earlier_releases=1).values():
        assert "{" not in finding.words(texts.evidence)


def test_a_hostile_column_name_stays_on_one_line_and_is_no_template():
    name = "a{0}\n\x1b[31m" + "x" * 500
    finding = found({name: [1, 1]}, {name: "identifier"})["page03a"]
    words = finding.words(load_texts("en").evidence)
    assert "\n" not in words
    assert "\x1b" not in words
    assert "a{0}" in words
    assert len(words) < 200


def test_a_role_for_a_column_that_is_not_there_is_told():
    with pytest.raises(ColumnError, match="column 'aeg' not found"):
        evidence_of(pl.DataFrame({"age": [1]}), Schema.of({"aeg": "QI"}))


def test_one_record_answers_without_a_division_by_zero():
    assert answers({"q": ["a"], "s": ["b"]}, {"q": "QI", "s": "sensitive"})["page03b"] == "yes"  # log2(1) = 0


def test_an_all_missing_sensitive_column_is_one_value():
    finding = found({"s": pl.Series([None, None], dtype=pl.String)}, {"s": "sensitive"})["page14"]
    assert (finding.answer, finding.figures["distinct"]) == ("yes", 1)  # no group can be diverse


def test_the_data_can_answer_part_of_the_questions_of_a_script():
    evidence = evidence_of(pl.DataFrame({"age": [1, 2], "s": ["a", "b"]}), Schema.of({"age": "QI", "s": "sensitive"}))
    advice = advise(["yes", None, "no", "no", "no", "yes"], tree="seed", evidence=evidence)
    assert advice.result == "alpha-k-anonymity"
    assert advice.path[1].evidence.startswith("s has 2 different values")


def test_zip_codes_are_no_numbers_to_compute_with():
    columns = {
        "zip": ["10431", "10445", "11362"],
        "phone": ["2103456789", "2103456780", "2310456789"],
        "weight": [61, 75, 80],
        "pay": [1000, 2000, 3500],
    }
    roles = {"zip": "QI", "phone": "sensitive", "weight": "QI", "pay": "sensitive"}
    findings = found(columns, roles)
    assert (findings["page09"].figures["numeric"], findings["page09"].figures["all"]) == (2, 4)
    assert (findings["page10a"].figures["numeric"], findings["page10a"].answer) == (1, "no")
    assert evidence_of(pl.DataFrame(columns), Schema.of(roles)).values["number"] == "pay"
