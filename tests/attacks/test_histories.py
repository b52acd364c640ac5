"""All attacks at once: what is reported, in words and as a document; naive releases fall, invariant ones stand."""

import json
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.test_family import CONDITIONS, FIGURE_3_6, FIGURE_3_7, FIGURE_3_8, release, tree
from attacks.test_intersection import FIGURE_1_3, FIGURE_1_4, FIGURE_1_5, LONGITUDINAL_1, LONGITUDINAL_2
from history.people import FIRST, SECOND, start
from krypsis.attacks.histories import attack_history
from krypsis.errors import DataError, UsageError
from krypsis.io.history import Version
from models.test_m_invariance import FIGURE_2_18, FIGURE_2_19, FIGURE_2_20, TABLE_5_14, TABLE_5_15, TABLE_5_16, version

NAIVE = [
    (FIGURE_1_3, FIGURE_1_4, {"Ahmed", "27/Female"}),
    (FIGURE_2_18, FIGURE_2_19, {"Bob", "David"}),
    (TABLE_5_14, TABLE_5_15, {"Alice", "Dimitris"}),
    (LONGITUDINAL_1, LONGITUDINAL_2, {"Alice", "Frank"}),
]
INVARIANT = [(FIGURE_1_3, FIGURE_1_5), (FIGURE_2_18, FIGURE_2_20), (TABLE_5_14, TABLE_5_16)]


@pytest.mark.parametrize(("first", "second", "victims"), NAIVE)
def test_both_victims_of_every_naive_pair_of_releases_are_named(first, second, victims):
    report = attack_history([version(first), version(second)], m=2)
    assert not report.holds
    assert report.worst == 1
    entry = report.as_dict()["attacks"][0]
    assert victims <= {one["person"] for one in entry["findings"] if one["low"] == one["high"] == "1"}
    words = "\n".join(report.sentences())
    assert all(f"{victim} has " in words for victim in victims)


@pytest.mark.parametrize(("first", "second"), INVARIANT)
def test_invariant_releases_stand_every_attack(first, second):
    report = attack_history([version(first), version(second, counterfeits={1: 1, 3: 1})], m=2)
    assert report.holds
    assert report.worst == Fraction(1, 2)
    assert "which is within the promise" in "\n".join(report.sentences())
    assert not attack_history([version(first), version(second)], m=3).holds


@pytest.mark.parametrize(("groups", "related", "stands"), [(FIGURE_3_7, 8, False), (FIGURE_3_8, 0, True)])
def test_values_that_are_related_too_closely_are_reported(groups, related, stands):
    """Figures 3.7 and 3.8 (errata 38 and 39): all in all 2-diverse, one of them with a correlation of 8/5 at most."""
    values = CONDITIONS.split(",")
    versions = [release(groups, values)]
    report = attack_history(versions, m=2, hierarchy=tree(FIGURE_3_6, values), e=Fraction(8, 5))
    assert report.holds is stands
    assert report.as_dict()["families"]["breached"] == related
    assert f"at most 8/5 was promised, and {related} people have more" in report.sentences()[-1]


def test_the_report_is_a_document():
    report = attack_history([version(FIGURE_2_18), version(FIGURE_2_19)], m=2)
    document = json.loads(json.dumps(report.as_dict()))
    assert document["people"] == 16
    assert [entry["attack"] for entry in document["attacks"]] == ["intersection", "critical absence"]
    assert {"person": "Bob", "value": "dyspepsia", "low": "1", "high": "1"} in document["attacks"][0]["findings"]


def test_what_cannot_be_counted_is_told_as_not_excluded():
    versions = [version(FIGURE_2_18), version(FIGURE_2_19)]
    report = attack_history(versions, m=2, exact_people=0)
    entry = report.as_dict()["attacks"][0]
    assert entry["breached"] >= 4
    assert entry["not_excluded"] >= entry["breached"]


def test_a_history_attacks_itself(tmp_path):
    history = start(
        tmp_path, hierarchies={"disease": {"any": {"gut": ["dyspepsia", "gastritis"], "air": ["flu", "bronchitis"]}}}
    )
    with pytest.raises(DataError, match="no versions yet"):
        history.attack()
    for table in (FIRST, SECOND):
        history.publish(table)
    report = history.attack()
    assert report.holds
    assert [one.attack for one in report.attacks][2:] == ["timing of generalization", "sibling"]
    assert report.families.strongest == 2  # dyspepsia next to gastritis: half of all values


@given(st.integers(2, 4), st.integers(1, 5), st.randoms(use_true_random=False))
def test_groups_with_one_signature_never_exceed_one_in_m(m, groups, random):
    people = {value: [f"{value}{number}" for number in range(groups)] for value in range(m)}
    versions = []
    for _ in range(3):
        for names in people.values():
            random.shuffle(names)
        rows = [(name, str(place), str(value)) for value, names in people.items() for place, name in enumerate(names)]
        table = pl.DataFrame(rows, schema=["name", "group", "value"], orient="row")
        versions.append(Version.of(table, group="group", sensitive="value", person="name"))
    assert attack_history(versions, m=m, exact_people=0).worst == Fraction(1, m)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"m": 0}, "at least 1"), ({"m": "2"}, "whole number"), ({"m": 2, "e": Fraction(8, 5)}, "give 'hierarchy'")],
)
def test_wrong_promises_are_refused_with_what_to_do(options, words):
    with pytest.raises(UsageError, match=words):
        attack_history([version(FIGURE_2_18)], **options)
    with pytest.raises(UsageError, match="no release"):
        attack_history([], m=2)
