"""Confidence bounding beyond what every model has to keep: attributes of their own, searches, bad input."""

from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis import registry
from krypsis.checker import Given, check_table
from krypsis.errors import ColumnError, PrivacyWarning, UsageError
from krypsis.models.confidence_bounding import ConfidenceBounding
from strategies import PRESENT, tables

PEOPLE = pl.DataFrame(
    {
        "job": ["cook", "cook", "cook", "nurse", "nurse", "nurse"],
        "sex": ["f", "m", "f", "m", "f", "m"],
        "disease": ["flu", "hiv", "hiv", "flu", "flu", "cold"],
    }
)
ROLES = {"job": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}


@given(table=tables(max_sensitive=1), value=st.sampled_from(PRESENT), h=st.sampled_from([0.25, 0.5, 1.0]))
def test_a_template_looks_at_its_own_attributes(table, value, h):
    if "s0" not in table.columns:
        return
    known = [name for name in table.columns if name.startswith("q")]
    for name in known:
        (verdict,) = check_table(table, [ConfidenceBounding(value=value, h=h, attributes=(name,))], Given(known, "s0"))
        groups = [group["s0"].to_list() for _, group in table.group_by(name)]
        assert verdict.holds == all(Fraction(group.count(value), len(group)) <= Fraction(h) for group in groups)


def test_several_templates_are_several_promises_each_with_its_own_bound():
    release = krypsis.anonymize(
        PEOPLE,
        ROLES,
        models=[
            {"name": "confidence-bounding", "value": "hiv", "h": "0.34", "attributes": ["job"]},
            "confidence-bounding:value=flu,h=0.5",
        ],
        algorithm="optimal",
    )
    assert release.levels["job"] == 1  # 2 of 3 cooks have hiv
    assert [verdict.promise for verdict in release.verdicts] == [
        "confidence-bounding:value=hiv,h=0.34,attributes=job",
        "confidence-bounding:value=flu,h=0.5",
    ]
    assert all(release.verdicts)


@given(
    names=st.lists(st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1), min_size=1),
    value=st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"))),
)
def test_any_names_and_values_survive_the_spec(names, value):
    promise = ConfidenceBounding(value=value, h=0.5, attributes=tuple(dict.fromkeys(names)))
    assert registry.create("model", promise.spec) == promise


def test_attributes_in_one_text_are_a_list():
    promise = registry.create("model", 'confidence-bounding:value=hiv,h=0.1,attributes="job,sex"')
    assert promise.attributes == ("job", "sex")


def test_an_attribute_that_is_no_quasi_identifier_is_named():
    with pytest.raises(ColumnError, match="Did you mean 'job'"):
        krypsis.anonymize(PEOPLE, ROLES, models="confidence-bounding:value=hiv,h=0.1,attributes=jobb")


def test_a_value_that_no_record_has_is_warned_of():
    with pytest.warns(PrivacyWarning, match="'hivv', which no record has as disease. Did you mean 'hiv'"):
        krypsis.anonymize(PEOPLE, ROLES, models="confidence-bounding:value=hivv,h=0.5")


@pytest.mark.parametrize("h", ["0", "1.1", "nan", "-1"])
def test_a_bound_is_a_share(h):
    with pytest.raises(UsageError, match="h of confidence-bounding must be"):
        registry.create("model", f"confidence-bounding:value=hiv,h={h}")


def test_an_empty_list_of_attributes_is_refused():
    with pytest.raises(UsageError, match="attributes of confidence-bounding"):
        registry.create("model", {"name": "confidence-bounding", "value": "hiv", "h": 0.5, "attributes": []})


@pytest.mark.parametrize(
    "promise",
    [
        "confidence-bounding:value=HIV,h=0.5",
        "alpha-k-anonymity:alpha=0.5,k=1,value=HIV",
        "ff-anonymity:theta=0.9,lmax=1,observable=job,sensitive=disease=HIV",
    ],
)
def test_a_protected_value_that_nobody_has_is_told(promise):
    table = pl.DataFrame({"job": ["cook", "cook"], "disease": ["h.i.v", "flu"]})
    (verdict,) = krypsis.check(table, promise, quasi_identifiers=["job"], sensitive="disease")
    assert verdict.sentence.endswith("No record has 'HIV'; look how it is spelt in the data.")
    spelt = promise.replace("HIV", "h.i.v")
    (verdict,) = krypsis.check(table, spelt, quasi_identifiers=["job"], sensitive="disease")
    assert "No record has" not in verdict.sentence
