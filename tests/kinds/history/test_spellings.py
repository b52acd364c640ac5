"""Spellings of one sensitive value are one value in all releases of a history."""

import polars as pl
import pytest

from history.people import start
from krypsis.checker import check_history
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import DataWarning
from krypsis.io.history import Version
from krypsis.models.em_correlation import EMCorrelation
from krypsis.models.m_invariance import MInvariance
from krypsis.release.release import Release
from krypsis.texts.spelling import key_of

pytestmark = pytest.mark.exposed

SPELT = ["Flu", "flu ", "gout", "Gout", "FLU", "gout"]


def people(diseases):
    numbers = list(map(str, range(len(diseases))))
    return pl.DataFrame({"name": numbers, "age": numbers, "zipcode": ["1"] * len(diseases), "disease": diseases})


@pytest.mark.parametrize("model", [MInvariance(m=2), EMCorrelation(e=1, m=2)])
def test_two_spellings_in_a_group_are_one_value(model):
    taxonomy = Hierarchy.from_rows([["Flu", "*"], ["flu", "*"], ["gout", "*"]])
    spelt = Version.of_signatures({"Ann": ["Flu", "flu"], "Bob": ["Flu", "flu"]})
    (verdict,) = check_history([spelt], [model], taxonomy=taxonomy)
    assert verdict.holds is False
    assert "several spellings" in verdict.sentence


def test_a_signature_that_is_only_spelt_differently_has_not_changed():
    first = Version.of_signatures({"Ann": ["flu", "gout"], "Bob": ["flu", "gout"]})
    second = Version.of_signatures({"Ann": ["Flu ", "gout"], "Bob": ["Flu ", "gout"]})
    (verdict,) = check_history([first, second], [MInvariance(m=2)])
    assert verdict.holds is True


@pytest.mark.parametrize("form", ["anatomy", "generalization"])
def test_no_group_of_a_release_holds_two_spellings_of_one_value(tmp_path, form):
    history = start(tmp_path, algorithm=f"m-invariant:publish={form}")
    with pytest.warns(DataWarning, match="published in one"):
        history.publish(people(SPELT))
    release = Release.load(tmp_path / "history" / "releases" / "1")
    values = release.table if form == "generalization" else release.sensitive_table
    for _, group in values.group_by("group"):
        assert len({key_of(value) for value in group["disease"]}) == group.height == 2


def test_a_value_that_is_spelt_differently_in_the_next_version_is_the_one_published_before(tmp_path):
    history = start(tmp_path)
    history.publish(people(["flu", "gout"]))
    with pytest.warns(DataWarning, match="'FLU' as 'flu'"):
        second = history.publish(people(["FLU", "gout", "flu", "gout"]))
    assert second.change.updated == 0
    assert set(Release.load(second.folder).sensitive_table["disease"]) == {"flu", "gout"}
    (verdict,) = history.check()
    assert verdict
