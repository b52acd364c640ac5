"""Sensitive values that are generalized over time: when that gives people away, and when it does not."""

from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.test_family import FIGURE_3_6, LEAVES, tree
from attacks.test_intersection import certain
from krypsis.attacks.generalized_values import SiblingAttack, TimingAttack
from krypsis.attacks.history_attack import ReleaseSequence
from krypsis.attacks.taxonomy import coarsened
from krypsis.io.history import Version
from models.test_m_invariance import FIGURE_2_18, FIGURE_2_19, FIGURE_2_20, version

TREE = tree(FIGURE_3_6, LEAVES)
SURE = (Fraction(1), Fraction(1))


def release(*groups):
    """A release of groups, each a list of people (None: counterfeit) with the published values."""
    rows = [
        (name, str(number), value) for number, group in enumerate(groups) for name, value in zip(*group, strict=True)
    ]
    table = pl.DataFrame(rows, schema=dict.fromkeys(["name", "group", "value"], pl.String), orient="row")
    return Version.of(table, group="group", sensitive="value", person="name")


def test_a_value_that_goes_up_when_one_person_leaves_was_that_persons():
    before = release((["Ann", "Bob", "Cid"], ["flu", "aids", "lung cancer"]))
    after = release((["Bob", "Cid", "Eva"], ["aids", "lung cancer", "X"]))
    assert TimingAttack().find(ReleaseSequence([before, after], TREE)).about("Ann") == {"flu": SURE}
    assert certain(TimingAttack().find(ReleaseSequence([before, after], TREE))) == {"Ann": "flu"}


def test_two_who_leave_share_the_value_that_goes_up():
    before = release((["Ann", "Bob", "Cid"], ["flu", "aids", "lung cancer"]))
    after = release((["Cid", None, None], ["lung cancer", "X", "aids"]))
    learned = TimingAttack().find(ReleaseSequence([before, after], TREE))
    assert learned.about("Ann") == learned.about("Bob") == {"flu": (Fraction(1, 2), Fraction(1, 2))}
    assert learned.about("Cid") == {}


def test_a_rule_that_also_generalizes_where_nobody_leaves_tells_nothing():
    """S8.5: whether a value is generalized depends on the value alone."""
    before = release((["Ann", "Bob"], ["flu", "aids"]), (["Dan", "Eva"], ["flu", "lung cancer"]))
    after = release((["Bob", None], ["aids", "X"]), (["Dan", "Eva"], ["X", "lung cancer"]))
    assert TimingAttack().find(ReleaseSequence([before, after], TREE)).people == 0


@pytest.mark.parametrize(
    "after",
    [
        release((["Bob", "Eva"], ["aids", "flu"])),  # another one with the same value
        release((["Bob", "Eva"], ["aids", "lung cancer"])),  # a value of another family: not above flu
        release((["Eva", "Fay"], ["X", "aids"])),  # nobody of the group is left to recognize it by
    ],
)
def test_what_does_not_go_up_the_hierarchy_tells_nothing(after):
    assert TimingAttack().find(ReleaseSequence([release((["Ann", "Bob"], ["flu", "aids"])), after], TREE)).people == 0


def test_going_down_again_to_a_sibling_gives_those_away_who_left_and_who_stayed():
    first = release((["Ann", "Bob"], ["flu", "aids"]))
    second = release((["Bob", None], ["aids", "X"]))
    third = release((["Bob", "Eva"], ["aids", "strain"]))
    learned = SiblingAttack().find(ReleaseSequence([first, second, third], TREE))
    assert certain(learned) == {"Ann": "flu", "Bob": "aids", "Eva": "strain"}


def test_of_three_values_two_are_left_for_those_who_stay():
    first = release((["Ann", "Bob", "Cid"], ["flu", "aids", "lung cancer"]))
    second = release((["Bob", "Cid", None], ["aids", "lung cancer", "X"]))
    third = release((["Bob", "Cid", "Eva"], ["aids", "lung cancer", "strain"]))
    learned = SiblingAttack().find(ReleaseSequence([first, second, third], TREE))
    assert learned.about("Bob") == dict.fromkeys(["aids", "lung cancer"], (Fraction(1, 2), Fraction(1, 2)))
    assert learned.about("Ann") == {"flu": SURE}


@pytest.mark.parametrize("path", [["flu", "X", "flu"], ["X", "flu", "flu"], ["flu", "X", "NonCancer"], ["flu"] * 3])
def test_values_on_one_path_tell_nothing(path):
    versions = [release((["Ann", "Bob"], [value, "lung cancer"])) for value in path]
    assert SiblingAttack().find(ReleaseSequence(versions, TREE)).people == 0
    assert TimingAttack().find(ReleaseSequence(versions, TREE)).people == 0


def test_values_that_are_never_generalized_are_left_to_the_other_attacks():
    names = ["dyspepsia", "bronchitis", "flu", "gastritis"]
    flat = tree({"any": names}, names)
    for second in (FIGURE_2_19, FIGURE_2_20):
        versions = [version(FIGURE_2_18), version(second)]
        assert (
            TimingAttack().find(ReleaseSequence(versions, flat)).people
            == SiblingAttack().find(ReleaseSequence(versions, flat)).people
            == 0
        )


LABELS = [*LEAVES, "X", "Y", "NonCancer", "Cancer"]


@given(st.lists(st.lists(st.sampled_from(LABELS), min_size=2, max_size=3), min_size=2, max_size=4))
def test_the_only_person_of_groups_over_time_keeps_what_all_releases_cover(signatures):
    versions = [Version.of_signatures({"Ann": values}) for values in signatures]
    below = {label: {leaf for leaf in LEAVES if label in TREE.rows()[TREE.code_of[leaf]]} for label in LABELS}
    possible = set.intersection(*(set().union(*(below[label] for label in own)) for own in signatures))
    families = {frozenset(one.signatures()["Ann"]) for one in coarsened(versions, TREE)}
    if len(families) > 1 or not possible:
        return
    left = set(SiblingAttack().find(ReleaseSequence(versions, TREE)).about("Ann"))
    shown = [{label for label in own if below[label] & possible} for own in signatures]
    told = [own for own, every in zip(shown, signatures, strict=True) if own != set(every)]
    assert left in told if told else not left
