"""A history that promises (e,m)-correlation, from the first table to the last check."""

import polars as pl
import pytest

import krypsis
from algorithms.histories.diseases import DISEASES
from krypsis.errors import HierarchyError
from krypsis.kinds.history.history import History

pytestmark = pytest.mark.exposed

ROLES = {"age": "quasi-identifier", "disease": "sensitive"}
FIRST = {
    "Ann": "flu",
    "Bob": "lung cancer",
    "Cid": "strain",
    "Dan": "prostate cancer",
    "Eva": "aids",
    "Fay": "pneumonia",
}
SECOND = {
    "Ann": "flu",
    "Bob": "lung cancer",
    "Gus": "strain",
    "Dan": "prostate cancer",
    "Eva": "aids",
    "Hal": "hepatitis",
}


def table(people):
    ages = [20 + ord(name[0]) % 10 for name in people]
    return pl.DataFrame({"name": list(people), "age": ages, "disease": list(people.values())})


def start(folder, **options):
    given = {"models": "em-correlation:e=8/5,m=2", "hierarchies": {"disease": DISEASES}, **options}
    return History.init(folder / "history", id="name", roles=ROLES, **given)


@pytest.mark.parametrize("form", ["anatomy", "generalization"])
def test_versions_are_published_and_checked_together(tmp_path, form):
    history = start(tmp_path, algorithm=f"correlation:publish={form},on_ineligible=counterfeits")
    for people in (FIRST, SECOND, FIRST):
        published = history.publish(table(people), version=None if people is SECOND else len(history.log()) + 1)
        assert all(verdict.holds for verdict in published.verdicts)
    assert all(verdict.holds for verdict in history.check())
    for version in history.versions():
        for values in version.records.partition_by("group"):
            assert values.height >= 2
            families = [DISEASES.label(value, 1) for value in values["value"]]
            assert len(set(families)) == len(families)


def test_the_promise_alone_chooses_the_method(tmp_path):
    assert start(tmp_path).settings.method["name"] == "correlation"


def test_a_published_release_says_that_one_of_several_decides_nothing(tmp_path):
    folder = start(tmp_path).publish(table(FIRST)).folder
    (verdict,) = krypsis.check(folder)
    assert verdict.holds is None
    assert "cannot be seen without their hierarchy" in verdict.sentence


def test_a_hierarchy_that_is_read_from_a_file_serves_the_check_as_well(tmp_path):
    path = tmp_path / "disease.csv"
    path.write_text("\n".join(";".join(row) for row in DISEASES.rows()) + "\n", encoding="utf-8")
    history = start(tmp_path, hierarchies={"disease": str(path)})
    history.publish(table(FIRST))
    assert all(verdict.holds for verdict in history.check())


def test_a_value_outside_of_the_hierarchy_is_refused_and_nothing_is_published(tmp_path):
    history = start(tmp_path)
    with pytest.raises(HierarchyError, match="gout"):
        history.publish(table({**FIRST, "Ida": "gout"}))
    assert history.log() == []
