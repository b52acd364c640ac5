"""A value that a release does not hold: who left had it, who stayed has it not."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given

from attacks.test_intersection import (
    FIGURE_1_3,
    FIGURE_1_4,
    FIGURE_1_5,
    LONGITUDINAL_1,
    LONGITUDINAL_2,
    certain,
    histories,
)
from krypsis.attacks.intersection import AbsenceAttack, IntersectionAttack
from krypsis.io.history import Version
from models.test_m_invariance import FIGURE_2_18, FIGURE_2_19, FIGURE_2_20, TABLE_5_14, TABLE_5_15, TABLE_5_16, version

HALF = Fraction(1, 2)


def test_frank_left_and_took_short_breath_with_him():
    learned = AbsenceAttack().find([version(LONGITUDINAL_1), version(LONGITUDINAL_2)])
    assert learned.about("Frank") == {"short breath": (Fraction(1), Fraction(1))}
    assert learned.about("b1") == {"flu": (Fraction(2, 3),) * 2, "aids": (Fraction(1, 3),) * 2}


def test_alice_of_the_longitudinal_releases_is_not_found_by_absence_alone():
    """Flu and aids are in both releases; only her second group excludes flu."""
    learned = AbsenceAttack().find([version(LONGITUDINAL_1), version(LONGITUDINAL_2)])
    assert learned.about("a2") == {}


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        # Figures 2.18 and 2.19 with Emily's flu (erratum 34): no bronchitis is left, so it was Alice's and not Bob's.
        (FIGURE_2_18, FIGURE_2_19, {"Alice": "bronchitis", "Bob": "dyspepsia"}),
        (TABLE_5_14, TABLE_5_15, {"Vasilis": "Bronchitis", "Alice": "Dyspepsia"}),
        # Figures 1.3 and 1.4 (erratum 30): lung cancer and hepatitis have gone, hang nail and melanoma are new.
        (
            FIGURE_1_3,
            FIGURE_1_4,
            {
                "Ahmed": "Prostate Cancer",
                "28/Male": "Lung Cancer",
                "27/Female": "AIDS",
                "25/Female": "Hepatitis",
                "31/Male": "Hang Nail",
                "16/Female": "Melanoma",
            },
        ),
    ],
)
def test_naive_releases_give_away_who_had_the_value_that_went(first, second, found):
    assert certain(AbsenceAttack().find([version(first), version(second)])) == found


@pytest.mark.parametrize(
    ("first", "second"), [(TABLE_5_14, TABLE_5_16), (FIGURE_2_18, FIGURE_2_20), (FIGURE_1_3, FIGURE_1_5)]
)
def test_counterfeits_leave_nothing_to_be_learned_from_absence(first, second):
    learned = AbsenceAttack().find([version(first), version(second, counterfeits={1: 1, 3: 1})])
    assert learned.people == 0
    assert learned.worst == 0


@given(histories())
def test_what_absence_makes_certain_is_certain_to_those_who_know_all_groups(versions):
    everything = certain(IntersectionAttack().find(versions))
    assert certain(AbsenceAttack().find(versions)).items() <= everything.items()


@given(histories())
def test_chances_are_those_of_all_ways_to_share_a_group_among_people_who_can_have_its_values(versions):
    learned = AbsenceAttack().find(versions)
    by_release = [naive_chances(versions, place) for place in range(len(versions))]
    for person in learned.chances["person"].unique():
        chances = {value: low for value, (low, high) in learned.about(person).items() if low == high}
        assert chances in [one[person] for one in by_release if person in one]


def naive_chances(versions, release):
    """Each group of one release by itself, where nobody has a value that is missing in a release of the person's."""
    held = [set(version.records["value"]) for version in versions]
    present = [set(version.members["person"]) for version in versions]
    chosen, found = versions[release], {}
    for (name,), records in chosen.records.group_by("group"):
        people = chosen.members.filter(chosen.members["group"] == name)["person"].to_list()
        ways = Counter(permutations(records["value"].to_list(), len(people)))
        possible = {
            one: set.intersection(*(values for values, here in zip(held, present, strict=True) if one in here))
            for one in people
        }
        ways = {w: n for w, n in ways.items() if all(v in possible[p] for v, p in zip(w, people, strict=True))}
        for place, person in enumerate(people):
            counted = Counter()
            for way, number in ways.items():
                counted[way[place]] += number
            found[person] = {value: Fraction(number, sum(ways.values())) for value, number in counted.items()}
    return found


def test_one_release_tells_nothing_by_absence():
    assert AbsenceAttack().find([Version.of_signatures({"Ann": ["flu", "gout"]})]).people == 0
