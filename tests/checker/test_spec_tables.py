"""Verdicts on the tables of the specification, sections 8.4 and 8.5, and on tables anonymized by another tool."""

import io
import json
from pathlib import Path

import polars as pl
import pytest

from krypsis.checker import Given, check, check_table
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.l_diversity import DistinctLDiversity, EntropyLDiversity
from krypsis.models.t_closeness import TCloseness


def table(text: str) -> pl.DataFrame:
    return pl.read_csv(io.StringIO("\n".join(line.strip() for line in text.strip().splitlines())), infer_schema=False)


TABLE_5_2 = table(
    """age,sex,disease
    [30-35),Male,Hepatitis
    [30-35),Male,Hepatitis
    [30-35),Male,AIDS
    [30-35),Male,Hepatitis
    [30-35),Male,AIDS
    [30-35),Male,AIDS
    [35-40),Female,Flu
    [35-40),Female,Flu
    [35-40),Female,Heart
    [35-40),Female,Heart"""
)
TABLE_5_6 = table(
    """job,sex,age,disease
    Engineer,Male,35,Dehydration
    Engineer,Male,38,Dehydration
    Lawyer,Male,38,Fever
    Writer,Female,30,Flu
    Writer,Female,30,Fever
    Dancer,Female,30,Fever
    Dancer,Female,30,Fever"""
)
TABLE_5_8 = table(
    """job,sex,age,disease
    Professional,Male,[35-40),Dehydration
    Professional,Male,[35-40),Dehydration
    Professional,Male,[35-40),Fever
    Artist,Female,[30-35),Flu
    Artist,Female,[30-35),Fever
    Artist,Female,[30-35),Fever
    Artist,Female,[30-35),Fever"""
)
TABLE_5_9 = table(
    """name,job,sex,age
    Alice,Artist,Female,[30-35)
    Vasilis,Professional,Male,[35-40)
    Georgia,Artist,Female,[30-35)
    Dimitris,Professional,Male,[35-40)
    Eleftheria,Artist,Female,[30-35)
    Zisis,Professional,Male,[35-40)
    Ivi,Artist,Female,[30-35)
    Thalis,Professional,Male,[35-40)
    Ioanna,Artist,Female,[30-35)"""
)
JOB = ["job", "sex", "age"]


@pytest.mark.parametrize(
    ("published", "quasi_identifiers", "k"),
    [
        (TABLE_5_2, ["age", "sex"], 4),
        (TABLE_5_6, JOB, 1),
        (TABLE_5_8, JOB, 3),
        (TABLE_5_9, JOB, 4),
    ],
    ids=["5.2", "5.6", "5.8", "5.9"],
)
def test_k_of_the_tables_of_the_specification(published, quasi_identifiers, k):
    kept, broken = check_table(published, [KAnonymity(k=k), KAnonymity(k=k + 1)], Given(quasi_identifiers))
    assert (kept.holds, kept.required, kept.achieved) == (True, k, k)
    assert (broken.holds, broken.required, broken.achieved) == (False, k + 1, k)


def test_the_verdict_on_the_raw_medical_table_shows_its_three_unique_records():
    (verdict,) = check_table(TABLE_5_6, [KAnonymity(k=2)], Given(JOB))
    assert [group["size"] for group in verdict.offending] == [1, 1, 1]
    # Spec 8.5: linking the raw table, Vasilis, Zisis and Dimitris are unique.
    assert {tuple(group["values"].values()) for group in verdict.offending} == {
        ("Engineer", "Male", "35"),
        ("Engineer", "Male", "38"),
        ("Lawyer", "Male", "38"),
    }
    assert "3 of 5 groups" in verdict.sentence


def test_diversity_and_closeness_of_table_5_8():
    distinct, entropy, too_diverse, close, too_close = check_table(
        TABLE_5_8,
        [
            DistinctLDiversity(l=2),
            EntropyLDiversity(l=1.75),
            EntropyLDiversity(l=1.8),
            TCloseness(t=0.39),
            TCloseness(t=0.38),
        ],
        Given(JOB, ["disease"]),
    )
    assert (distinct.holds, distinct.achieved) == (True, 2)
    assert entropy.holds
    assert entropy.achieved == pytest.approx(1.7548, abs=5e-5)
    assert not too_diverse.holds
    assert close.holds
    assert close.achieved == pytest.approx(0.3810, abs=5e-5)
    assert not too_close.holds
    assert [group["values"]["job"] for group in too_close.offending] == ["Professional"]


def test_diversity_of_table_5_2():
    distinct, entropy = check_table(
        TABLE_5_2, [DistinctLDiversity(l=2), EntropyLDiversity(l=2)], Given(["age", "sex"], "disease")
    )
    assert (distinct.holds, distinct.achieved) == (True, 2)
    assert entropy.holds
    assert entropy.achieved == pytest.approx(2.0)


@pytest.mark.data
@pytest.mark.parametrize("case", range(4))
def test_tables_made_by_another_tool_get_the_levels_two_other_implementations_found(data_folder: Path, case: int):
    known = json.loads((data_folder / "relational" / "oracle" / "verify_metrics.json").read_text())[case]
    path, found = data_folder / "relational" / known["file"], known["own_numpy"]
    models = [KAnonymity(k=found["k"]), DistinctLDiversity(l=1), EntropyLDiversity(l=1), TCloseness(t=1)]
    verdicts = check(path, models, Given(known["qi"], known["sensitive"]))
    expected = [found["k"], found["l"], found["entropy_l"], found["t_equal"]]
    assert [verdict.achieved for verdict in verdicts] == pytest.approx(expected, rel=1e-9)
    assert all(verdicts)
