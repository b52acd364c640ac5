"""Values that mean almost the same: the figures of the source, and brute force over pairs."""

from fractions import Fraction
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.test_intersection import FIGURE_1_3, LONGITUDINAL_1, LONGITUDINAL_2
from krypsis.attacks.family import FamilyAttack
from krypsis.attacks.history_attack import ReleaseSequence
from krypsis.attacks.intersection import IntersectionAttack
from krypsis.data.hierarchies import resolve
from krypsis.errors import HierarchyError
from krypsis.io.history import Version
from models.test_m_invariance import version

# S10.20, the hierarchy of figure 3.6 as reconstructed there.
FIGURE_3_6 = {
    "Any": {
        "NonCancer": {"X": ["pneumonia", "flu", "strain"], "Y": ["aids", "hepatitis"]},
        "Cancer": ["prostate cancer", "lung cancer", "bladder cancer"],
    }
}
LEAVES = [*FIGURE_3_6["Any"]["NonCancer"]["X"], *FIGURE_3_6["Any"]["NonCancer"]["Y"], *FIGURE_3_6["Any"]["Cancer"]]
CONDITIONS = (
    "pneumonia,flu,flu,strain,strain,strain,aids,hepatitis,prostate cancer,prostate cancer,lung cancer,bladder cancer"
)
# Corrected: record 8 is in group 5 of figure 3.7 (erratum 38), record 4 in group 2 of figure 3.8 (erratum 39).
FIGURE_3_7 = [2, 1, 1, 2, 1, 1, 3, 5, 3, 4, 4, 5]
FIGURE_3_8 = [1, 4, 5, 2, 2, 3, 3, 5, 2, 2, 1, 4]


def tree(spec, values):
    return resolve(spec, values, "disease")


def release(groups, values):
    names = [str(number + 1) for number in range(len(groups))]
    table = pl.DataFrame({"name": names, "group": groups, "disease": values})
    return Version.of(table, group="group", sensitive="disease", person="name")


def test_bob_certainly_has_cancer_and_one_in_two_prostate_cancer():
    """Figure 3.1 with the counts of prostate and melanoma cancer put right (erratum 37)."""
    values = ["pneumonia", "dyspepsia", "dyspepsia", "pneumonia"]
    values += ["prostate cancer", "melanoma cancer", "prostate cancer", "colorectal cancer"]
    spec = {"any": {"cancer": sorted(set(values[4:])), "other": sorted(set(values[:4]))}}
    figure = release([1, 1, 1, 1, 2, 2, 2, 2], values)
    assert FamilyAttack().find(ReleaseSequence([figure], tree(spec, values))).about("7") == ("cancer", Fraction(5, 3))
    assert IntersectionAttack().find([figure]).about("7")["prostate cancer"] == (Fraction(1, 2), Fraction(1, 2))


def test_ahmeds_first_group_tells_that_it_is_cancer():
    spec = {"any": {"cancer": ["Prostate Cancer", "Lung Cancer"], "other": ["Broken Arm", "AIDS", "Hepatitis"]}}
    found = FamilyAttack().find(ReleaseSequence([version(FIGURE_1_3)], tree(spec, ["AIDS"])))
    assert found.about("Ahmed") == ("cancer", Fraction(5, 2))
    assert found.about("27/Male") == ("any", Fraction(1))


@pytest.mark.parametrize(
    ("groups", "closest", "breached"),
    [
        (FIGURE_3_7, ["8/3", "8/3", "1", "8/3", "1"], {1, 2, 4}),
        (FIGURE_3_8, ["1", "1", "8/5", "1", "8/5"], set()),
    ],
)
def test_the_correlation_of_figures_3_7_and_3_8_is_as_derived(groups, closest, breached):
    values = CONDITIONS.split(",")
    found = FamilyAttack().find(ReleaseSequence([release(groups, values)], tree(FIGURE_3_6, values)))
    of_person = dict(found.people.select("person", "closest").iter_rows())
    for place, group in enumerate(groups):
        assert Fraction(8, of_person[str(place + 1)]) == Fraction(closest[group - 1])
    people = found.breached(Fraction(8, 5))["person"]
    assert {groups[int(person) - 1] for person in people} == breached
    assert found.strongest == max(map(Fraction, closest))


def test_several_releases_narrow_the_family_of_the_longitudinal_victims():
    spec = {"any": {"virus": ["aids", "flu"], "other": ["short breath", "hypertension", "gastritis"]}}
    versions = [version(LONGITUDINAL_1), version(LONGITUDINAL_2)]
    found = FamilyAttack().find(ReleaseSequence(versions, tree(spec, ["flu"])))
    assert found.about("b1") == ("virus", Fraction(5, 2))
    assert found.about("Frank") == ("short breath", Fraction(5))


@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from(LEAVES)), min_size=1, max_size=9))
def test_families_are_nearest_common_ancestors(rows):
    hierarchy = tree(FIGURE_3_6, LEAVES)
    groups, values = zip(*rows, strict=True)
    found = FamilyAttack().find(ReleaseSequence([release(groups, values)], hierarchy))
    for place, group in enumerate(groups):
        own = {value for other, value in rows if other == group}
        family, strength = found.about(str(place + 1))
        assert strength == Fraction(8, common(hierarchy, own))
        pairs = [common(hierarchy, pair) for pair in combinations(own, 2)]
        assert found.people.filter(person=str(place + 1))["closest"].to_list() == [min(pairs, default=None)]
        assert family is not None


def common(hierarchy, values):
    """The number of values below the nearest common ancestor."""
    for level in range(hierarchy.height + 1):
        labels = {hierarchy.label(value, level) for value in values}
        if len(labels) == 1:
            return hierarchy.column(level).count(labels.pop())
    raise AssertionError


def test_a_value_outside_the_hierarchy_is_named():
    with pytest.raises(HierarchyError, match="'plague'"):
        FamilyAttack().find(ReleaseSequence([release([1, 1], ["flu", "plague"])], tree(FIGURE_3_6, LEAVES)))
