"""Spellings of one sensitive value count as one: for the checker, and for the search that must please it."""

from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import krypsis
from krypsis.checker.disclosure import disclosures
from krypsis.checker.published_tables import PublishedTables
from krypsis.cli.main import app
from krypsis.errors import Infeasible
from krypsis.texts.spelling import alike, key_of

SAME = [
    ["Flu", "flu ", " FLU", "fl\u00adu", "ﬂu", "flu\u00a0", "\u200bflu"],
    ["caf\u00e9", "cafe\u0301", "CAFÉ"],
    ["γρίπη", "ΓΡΙΠΗ", "Γρίπη"],
    ["heart attack", "heart  attack", "Heart\tAttack"],
    ["5", "5.0", "5.00", "+5", " 5 "],
    ["0", "-0", "0.0"],
    ["2020-01-31", "2020/1/31", "31.01.2020", "31.1.2020", "2020-01-31T00:00:00", "2020-01-31 00:00"],
    [None, "", "NA", "n/a", "*", "null", " ", "None", "NaN", "?"],
]
DIFFERENT = ["flu", "flu 2", "fever", "01", "1", "10", "1.5", "-1", "2020-01-31", "2020-01-13", "01/02/2020", None]


@pytest.mark.parametrize("spellings", SAME)
def test_spellings_of_one_value_have_one_key(spellings):
    assert len({key_of(one) for one in spellings}) == 1


def test_different_values_have_different_keys():
    assert len({key_of(one) for one in DIFFERENT}) == len(DIFFERENT)


@given(st.lists(st.none() | st.sampled_from([one for some in SAME for one in some]) | st.text(max_size=3), unique=True))
def test_every_value_is_counted_once_and_the_first_spelling_stands_for_all(values):
    values = sorted(values, key=lambda value: (value is None, value or ""))
    found = alike(values)
    assert len(found.values) == len({key_of(value) for value in values})
    assert list(found.values) == sorted(found.values, key=lambda value: (value is None, value or ""))
    assert set(found.values) <= set(values)
    for value, place in zip(values, found.place, strict=True):
        assert key_of(found.values[place]) == key_of(value)


@pytest.mark.parametrize("spellings", SAME)
def test_diversity_is_not_overstated(spellings):
    table = pl.DataFrame({"age": ["*"] * len(spellings), "disease": spellings})
    options = {"quasi_identifiers": ["age"], "sensitive": "disease"}
    (verdict,) = krypsis.check(table, "distinct-l-diversity:l=2", **options)
    assert (verdict.holds, verdict.achieved) == (False, 1)
    assert "occur in several spellings and count as one" in verdict.sentence
    (literal,) = krypsis.check(table, "distinct-l-diversity:l=2", literal=True, **options)
    assert (literal.holds, literal.achieved) == (True, len(spellings))


def test_the_search_counts_as_the_checker_does():
    ages = [20, 20, 21, 21, 30, 30, 31, 31]
    diseases = ["Flu", "flu ", "asthma", "FLU", "Flu", "asthma", "flu", "fever"]
    table = pl.DataFrame({"age": ages, "disease": diseases})
    options = {
        "hierarchies": {"age": {"kind": "intervals", "width": 10}},
        "models": "distinct-l-diversity:l=2",
        "roles": {"age": "QI", "disease": "sensitive"},
    }
    for algorithm in ("optimal", "mondrian", "anatomize"):
        try:
            release = krypsis.anonymize(table, algorithm=algorithm, **options)
        except Infeasible:
            continue
        assert all(release.verdicts)
    with pytest.raises(Infeasible):
        krypsis.anonymize(table.with_columns(disease=pl.Series(SAME[0] + ["FLU"])), **options)


@pytest.mark.parametrize("asked", ["hiv", "HIV", " Hiv "])
def test_a_value_is_found_in_whichever_spelling_it_is_asked_for(asked):
    table = pl.DataFrame({"age": ["*"] * 4, "disease": ["HIV", "hiv", "Hiv ", "flu"]})
    options = {"quasi_identifiers": ["age"], "sensitive": "disease"}
    (verdict,) = krypsis.check(table, [f'alpha-k-anonymity:alpha=0.5,k=2,value="{asked}"'], **options)
    assert (verdict.holds, verdict.achieved) == (False, 0.75)
    assert "No record has" not in verdict.sentence


def test_quasi_identifiers_stay_literal_since_an_attacker_sees_the_difference():
    table = pl.DataFrame({"town": ["Athens", "athens"], "disease": ["flu", "fever"]})
    (verdict,) = krypsis.check(table, "k-anonymity:k=2", quasi_identifiers=["town"])
    assert not verdict


def test_typed_dates_and_numbers_are_counted_as_before():
    table = pl.DataFrame({"age": ["*"] * 2, "day": [date(2020, 1, 2), date(2020, 2, 1)], "pay": [1.5, 1.25]})
    for name in ("day", "pay"):
        (verdict,) = krypsis.check(table, "distinct-l-diversity:l=2", quasi_identifiers=["age"], sensitive=name)
        assert verdict


def test_the_command_line_counts_literally_where_that_is_wanted(tmp_path):
    file = tmp_path / "published.csv"
    file.write_text("age,disease\n*,Flu\n*,flu\n")
    words = ["check", str(file), "--promise", "distinct-l-diversity:l=2", "--qi", "age", "--sensitive", "disease"]
    assert CliRunner().invoke(app, words).exit_code == 1
    assert CliRunner().invoke(app, [*words, "--literal"]).exit_code == 0


def test_a_group_of_several_spellings_of_one_value_discloses_it():
    ages = ["3*"] * 3 + ["4*"] * 3
    table = pl.DataFrame({"age": ages, "disease": ["Flu", "flu ", "FLU", "flu", "hiv", "cold"]})
    (found,) = disclosures(PublishedTables(table), [["age"]], ["disease"])
    assert found.certain == 3
