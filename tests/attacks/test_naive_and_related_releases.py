"""Every attack bites where releases are made one by one, and learns nothing of the same people from related ones."""

from fractions import Fraction

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from algorithms.histories.diseases import DISEASES
from algorithms.histories.test_correlation import Publisher, bounds, stories
from attacks.test_generalized_values import release
from attacks.test_intersection import FIGURE_1_3, FIGURE_1_4, LONGITUDINAL_1, LONGITUDINAL_2
from krypsis.attacks.generalized_values import SiblingAttack, TimingAttack
from krypsis.attacks.histories import attack_history
from krypsis.attacks.history_attack import ReleaseSequence
from krypsis.attacks.intersection import AbsenceAttack, IntersectionAttack
from krypsis.data.hierarchies import resolve
from krypsis.errors import Infeasible
from krypsis.kinds.history.history import History
from krypsis.models.em_correlation import EMCorrelation
from models.test_m_invariance import FIGURE_2_18, FIGURE_2_19, TABLE_5_14, TABLE_5_15, version
from oracles.correlation import Tree, families

# First and second release, families of their diseases, both victims of the comparison.
NAIVE = {
    "figures 1.3 and 1.4": (
        FIGURE_1_3,
        FIGURE_1_4,
        {
            "cancer": ["Prostate Cancer", "Lung Cancer", "Melanoma"],
            "virus": ["AIDS", "Hepatitis"],
            "limb": ["Broken Arm", "Hang Nail"],
        },
        {"Ahmed": "Prostate Cancer", "27/Female": "AIDS"},
    ),
    "figures 2.18 and 2.19": (
        FIGURE_2_18,
        FIGURE_2_19,
        {"gut": ["dyspepsia", "gastritis"], "air": ["flu", "bronchitis"]},
        {"Bob": "dyspepsia", "David": "gastritis"},
    ),
    "tables 5.14 and 5.15": (
        TABLE_5_14,
        TABLE_5_15,
        {"gut": ["Dyspepsia", "Gastritis"], "air": ["Flu", "Bronchitis"]},
        {"Alice": "Dyspepsia", "Dimitris": "Gastritis"},
    ),
    "longitudinal releases": (
        LONGITUDINAL_1,
        LONGITUDINAL_2,
        {"virus": ["aids", "flu"], "heart": ["hypertension", "short breath"], "gut": ["gastritis"]},
        {"Alice": "aids", "Frank": "short breath"},
    ),
}
every_pair = pytest.mark.parametrize("name", NAIVE)


def table_of(text):
    """The people behind a release with their diseases, and something that others know of them."""
    rows = [line.split(",") for line in text.splitlines()[1:]]
    people = [(name, disease) for name, _, disease in rows if name]
    frame = pl.DataFrame(people, schema=["name", "disease"], orient="row")
    return frame.with_columns(age=20 + pl.col("name").str.len_chars())


@every_pair
def test_releases_made_one_by_one_give_both_victims_away(name):
    first, second, _, victims = NAIVE[name]
    learned = IntersectionAttack().find([version(first), version(second)])
    assert {person: learned.about(person) for person in victims} == {
        person: {value: (Fraction(1), Fraction(1))} for person, value in victims.items()
    }


@every_pair
def test_a_value_that_is_absent_gives_somebody_away_in_every_pair_of_releases(name):
    first, second, _, _ = NAIVE[name]
    assert AbsenceAttack().find([version(first), version(second)]).worst == 1


@every_pair
def test_the_same_people_are_safe_from_all_attacks_with_related_values_apart(name, tmp_path):
    """With e = 1, values of a group meet only at the top; some families are far too frequent, so counterfeits help."""
    first, second, tree, _ = NAIVE[name]
    m, hierarchy = len(tree), {"any": tree}
    history = History.init(
        tmp_path / "history",
        id="name",
        roles={"age": "quasi-identifier", "disease": "sensitive"},
        models=f"em-correlation:e=1,m={m}",
        hierarchies={"disease": hierarchy},
        algorithm="correlation:on_ineligible=counterfeits",
    )
    for text in (first, second):
        history.publish(table_of(text))
    assert all(history.check())
    report = history.attack()
    assert report.holds, report.sentences()
    values = [value for family in tree.values() for value in family]
    versions, taxonomy = history.versions(), resolve(hierarchy, values, "disease")
    assert IntersectionAttack().find(versions).worst <= Fraction(1, m)
    for attack in (TimingAttack(), SiblingAttack()):
        assert attack.find(ReleaseSequence(versions, taxonomy)).people == 0
    assert report.families.strongest == 1


def test_generalizing_when_somebody_leaves_gives_away_who_left_and_a_sibling_who_stayed():
    """What a publisher would do who generalizes a value as soon as its record is gone, and fills the hole later."""
    first = release((["Ann", "Bob"], ["flu", "aids"]), (["Cid", "Dan"], ["strain", "lung cancer"]))
    second = release((["Bob", None], ["aids", "X"]), (["Cid", "Dan"], ["strain", "lung cancer"]))
    third = release((["Bob", "Eva"], ["aids", "pneumonia"]), (["Cid", "Dan"], ["strain", "lung cancer"]))
    assert TimingAttack().find(ReleaseSequence([first, second], DISEASES)).about("Ann") == {
        "flu": (Fraction(1), Fraction(1))
    }
    told = SiblingAttack().find(ReleaseSequence([first, second, third], DISEASES))
    assert told.about("Ann") == {"flu": (Fraction(1), Fraction(1))}
    assert told.about("Bob") == {"aids": (Fraction(1), Fraction(1))}
    assert told.about("Cid") == {}


def one_by_one(story, promise):
    """The versions of a story, each published as if there were no other."""
    versions = []
    for people in story:
        publisher = Publisher(promise, on_ineligible="defer")
        publisher.publish(people)
        versions += publisher.versions
    return versions


@given(story=stories(), e=bounds, m=st.integers(2, 3), seed=st.integers(0, 9))
def test_no_attack_learns_more_than_promised_from_releases_of_related_values(story, e, m, seed):
    assume(len(families(Tree(DISEASES), e)) >= m)
    publisher = Publisher(EMCorrelation(e=e, m=m), on_ineligible="counterfeits")
    for people in story:
        try:
            publisher.publish(people, seed)
        except Infeasible:
            assume(False)
    report = attack_history(publisher.versions, m=m, hierarchy=DISEASES, e=e)
    assert report.holds, report.sentences()
    assert all(learned.worst <= Fraction(1, m) for learned in report.attacks)
    assert not report.families.breached(e).height


def test_the_same_stories_published_one_by_one_give_people_away():
    """Two versions of eight people; in each by itself nobody is among fewer than two families."""
    everybody = {
        f"p{number}": (number, value)
        for number, value in enumerate(
            ["flu", "aids", "lung cancer", "strain", "hepatitis", "prostate cancer", "pneumonia", "bladder cancer"]
        )
    }
    story = [dict(list(everybody.items())[:6]), dict(list(everybody.items())[2:])]
    promise = EMCorrelation(e=Fraction(8, 5), m=2)
    versions = one_by_one(story, promise)
    assert len(versions) == 2
    assert all(attack_history([one], m=2, hierarchy=DISEASES, e=promise.e).holds for one in versions)
    assert not attack_history(versions, m=2, hierarchy=DISEASES, e=promise.e).holds
