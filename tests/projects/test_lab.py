"""The attack lab: the same attack before and after."""

import pytest

from krypsis.errors import HierarchyError, UsageError
from krypsis.kinds.publishing import at_levels, publish
from krypsis.projects import Workspace, take_in
from krypsis.projects.attack_trials import Knowledge, Lab, PersonFit
from krypsis.projects.published_release import PublishedRelease

pytestmark = pytest.mark.exposed

# Ages in pairs of tens; everybody in their thirties has the flu.
TABLE = "name,age,disease\nAnn,31,flu\nBob,34,flu\nCid,47,gout\nDee,48,cold\n"
PLAN = """data: data/people.csv
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {kind: intervals, width: 10}}
  disease: sensitive
promises: [k-anonymity:k=2]
"""


@pytest.fixture
def lab(tmp_path):
    project = Workspace(tmp_path).create("People")
    (project.folder / "data" / "people.csv").write_text(TABLE)
    take_in(project)
    project.write_plan(PLAN)
    publish(at_levels(project.plan(), "1"), project.release_folder(1))
    return Lab(PublishedRelease.of(project, 1))


def test_everybody_is_found_before_and_nobody_after(lab):
    linkage, homogeneity, background = lab.try_attacks(Knowledge(("age",), "disease"))
    assert (linkage.before.exposed, linkage.after.exposed) == (4, 0)
    assert linkage.people_before["age"].to_list() == ["31", "34", "47", "48"]
    assert linkage.people_after.height == 0
    assert (homogeneity.before.exposed, homogeneity.after.exposed) == (4, 2)
    assert set(homogeneity.people_after["disease"]) == {"flu"}
    assert background.after.exposed == 4  # who rules out one of two values knows the other


def test_an_attacker_who_wants_no_value_only_looks_for_records(lab):
    (linkage,) = lab.try_attacks(Knowledge(("age",), ""))
    assert linkage.before.attack == "linkage"


def test_names_that_are_not_published_are_not_shown(lab):
    for trial in lab.try_attacks(Knowledge(("age",), "disease")):
        assert "name" not in trial.people_before.columns
    assert lab.columns == ["age", "disease"]


def test_one_person_is_looked_for_in_both_tables(lab):
    assert lab.try_person({"age": "31"}, "disease") == (PersonFit(1, "flu", 1.0), PersonFit(2, "flu", 1.0))
    before, after = lab.try_person({"age": "47"}, "disease")
    assert (before.matches, before.value, after.matches, after.share) == (1, "gout", 2, 0.5)


def test_a_person_with_a_value_that_nobody_has_is_told(lab):
    with pytest.raises(HierarchyError, match="99"):
        lab.try_person({"age": "99"}, "disease")


def test_what_is_known_cannot_be_learned(lab):
    with pytest.raises(UsageError, match="leave it out of known"):
        lab.try_attacks(Knowledge(("age", "disease"), "disease"))
