"""Comparing releases: the sources' victims, exact chances against enumeration, bounds that hold, and no breach of m."""

import io
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from attacks.worlds import chances_by_enumeration
from krypsis.attacks.intersection import CandidateAttack, IntersectionAttack
from krypsis.errors import DataError, UsageError
from krypsis.io.history import Version
from krypsis.kinds.table.demo import hospital
from krypsis.release.order import in_input_order
from models.test_m_invariance import FIGURE_2_18, FIGURE_2_19, FIGURE_2_20, TABLE_5_14, TABLE_5_15, TABLE_5_16, version

HALF = Fraction(1, 2)
# S10.3 to S10.5, figures 1.3 to 1.5. The first release holds lung cancer, not colorectal cancer (erratum 30), and it is
# the third record whose place the newcomer takes (erratum 31).
FIGURE_1_3 = """name,class,disease
Ahmed,1,Prostate Cancer
28/Male,1,Lung Cancer
26/Male,2,Prostate Cancer
27/Male,2,Broken Arm
27/Female,3,AIDS
25/Female,3,Hepatitis
"""
FIGURE_1_4 = """name,class,disease
Ahmed,1,Prostate Cancer
31/Male,1,Hang Nail
40/Male,2,Prostate Cancer
27/Male,2,Broken Arm
27/Female,3,AIDS
16/Female,3,Melanoma
"""
FIGURE_1_5 = """name,class,disease
Ahmed,1,Prostate Cancer
,1,Lung Cancer
40/Male,2,Prostate Cancer
27/Male,2,Broken Arm
27/Female,3,AIDS
,3,Hepatitis
31/Male,4,Hang Nail
16/Female,4,Melanoma
"""
# Generalization notes, section 6: Alice is in both releases, Frank only in the first; who else stayed is known.
LONGITUDINAL_1 = """name,class,disease
Alice,74,aids
a2,74,flu
a3,74,flu
a4,74,aids
b1,64,flu
Frank,64,short breath
b3,64,flu
b4,64,aids
"""
LONGITUDINAL_2 = """name,class,disease
c1,70,hypertension
c2,70,gastritis
Alice,70,aids
c4,70,gastritis
b1,60,flu
b4,60,aids
b3,60,flu
d4,60,gastritis
"""


def certain(learned):
    return {one.person: one.value for one in learned.breaches(Fraction(99, 100))}


def values_left(learned, person):
    return set(learned.about(person))


def test_both_victims_of_the_longitudinal_releases_are_found():
    found = certain(IntersectionAttack().find([version(LONGITUDINAL_1), version(LONGITUDINAL_2)]))
    assert found["Alice"] == "aids"
    assert found["Frank"] == "short breath"
    assert found["d4"] == "gastritis"  # the only newcomer of the second group


def test_the_others_of_the_longitudinal_releases_share_what_is_left():
    learned = IntersectionAttack().find([version(LONGITUDINAL_1), version(LONGITUDINAL_2)])
    assert learned.about("a2") == {"aids": (Fraction(1, 3),) * 2, "flu": (Fraction(2, 3),) * 2}
    assert learned.about("b1") == {"aids": (Fraction(1, 3),) * 2, "flu": (Fraction(2, 3),) * 2}
    assert learned.about("c1") == {"gastritis": (Fraction(2, 3),) * 2, "hypertension": (Fraction(1, 3),) * 2}


def test_figure_1_4_gives_both_victims_away():
    """Erratum 30: what Ahmed's first group holds besides is lung cancer."""
    learned = IntersectionAttack().find([version(FIGURE_1_3), version(FIGURE_1_4)])
    found = certain(learned)
    assert found["Ahmed"] == "Prostate Cancer"
    assert found["27/Female"] == "AIDS"
    assert found["28/Male"] == "Lung Cancer"
    assert found["25/Female"] == "Hepatitis"
    assert learned.about("27/Male") == dict.fromkeys(["Broken Arm", "Prostate Cancer"], (HALF, HALF))


def test_figure_1_5_gives_nobody_away():
    learned = IntersectionAttack().find([version(FIGURE_1_3), version(FIGURE_1_5, counterfeits={1: 1, 3: 1})])
    assert learned.worst == HALF
    assert learned.people == 9


def test_the_running_example_falls_in_a_cascade():
    """Figures 2.18 and 2.19; Emily has flu (erratum 34)."""
    learned = IntersectionAttack().find([version(FIGURE_2_18), version(FIGURE_2_19)])
    assert certain(learned) == {"Bob": "dyspepsia", "Alice": "bronchitis", "David": "gastritis", "Andy": "flu"}
    assert values_left(learned, "Gary") == {"flu", "gastritis"}
    assert values_left(learned, "Jane") == values_left(learned, "Linda") == {"dyspepsia", "flu", "gastritis"}
    assert values_left(learned, "Steve") == {"dyspepsia", "gastritis"}


def test_the_tables_of_the_other_thesis_give_both_victims_away():
    """Tables 5.14 and 5.15; that Dimitris is given away as well is not noticed in the source."""
    learned = IntersectionAttack().find([version(TABLE_5_14), version(TABLE_5_15)])
    found = certain(learned)
    assert found == {"Alice": "Dyspepsia", "Vasilis": "Bronchitis", "Dimitris": "Gastritis", "Georgia": "Flu"}


@pytest.mark.parametrize(("first", "second"), [(TABLE_5_14, TABLE_5_16), (FIGURE_2_18, FIGURE_2_20)])
def test_the_invariant_second_release_leaves_one_in_two_at_best(first, second):
    learned = IntersectionAttack().find([version(first), version(second, counterfeits={1: 1, 3: 1})])
    assert learned.worst == HALF
    assert learned.breached(HALF) == learned.doubtful(HALF) == 0


@st.composite
def histories(draw):
    """Two or three releases of a few people in random groups, with counterfeits."""
    value = {name: draw(st.sampled_from("xyz")) for name in "abcdef"}
    versions = []
    for _ in range(draw(st.integers(1, 3))):
        present = draw(st.lists(st.sampled_from(sorted(value)), unique=True, min_size=1))
        rows = [(name, draw(st.sampled_from("12")), value[name]) for name in present]
        used = sorted({row[1] for row in rows})
        rows += [
            (None, group, one)
            for group, one in draw(st.lists(st.tuples(st.sampled_from(used), st.sampled_from("xyz")), max_size=2))
        ]
        table = pl.DataFrame(rows, schema=dict.fromkeys(["name", "group", "value"], pl.String), orient="row")
        versions.append(Version.of(table, group="group", sensitive="value", person="name"))
    return versions


@given(histories())
def test_chances_are_those_of_all_worlds(versions):
    learned = IntersectionAttack().find(versions)
    for person, chances in chances_by_enumeration(versions).items():
        assert learned.about(person) == {value: (chance, chance) for value, chance in chances.items()}


@given(histories())
def test_bounds_hold_where_nothing_is_counted(versions):
    learned = IntersectionAttack(exact_people=0).find(versions)
    for person, chances in chances_by_enumeration(versions).items():
        bounds = learned.about(person)
        assert chances.keys() <= bounds.keys()
        assert all(low <= chances.get(value, 0) <= high for value, (low, high) in bounds.items())


@given(histories())
def test_a_value_with_a_chance_is_never_excluded_by_the_intersection(versions):
    learned, left = IntersectionAttack().find(versions), CandidateAttack(cascade=True).find(versions)
    assert all(set(learned.about(person)) <= values for person, values in left.items())


def test_releases_made_one_by_one_with_anatomy_give_people_away():
    everybody = hospital(rows=600, seed=3).select("patient_id", "age", "sex", "zip", "diagnosis")
    versions = [anatomized(everybody.head(500)), anatomized(everybody.tail(500))]
    learned = IntersectionAttack().find(versions)
    truth = dict(everybody.select(pl.col("patient_id").cast(pl.String), "diagnosis").iter_rows())
    found = certain(learned)
    assert len(found) > 100
    assert all(truth[person] == value for person, value in found.items())


def anatomized(table):
    roles = {"age": "quasi-identifier", "sex": "quasi-identifier", "zip": "quasi-identifier", "diagnosis": "sensitive"}
    release = krypsis.anonymize(
        table.drop("patient_id"), roles=roles, models=["distinct-l-diversity:l=3"], algorithm="anatomize"
    )
    groups = in_input_order(release).get_column("group")
    rows = pl.DataFrame({"name": table["patient_id"], "group": groups, "diagnosis": table["diagnosis"]})
    return Version.of(rows, group="group", sensitive="diagnosis", person="name")


def test_many_people_who_change_places_within_a_signature_are_solved_by_symmetry():
    people = np.arange(30_000)
    values = np.array(["x", "y", "z"])[people % 3]
    shuffled = np.concatenate([np.random.default_rng(1).permutation(10_000) * 3 + rest for rest in range(3)])
    groups = [people // 3, np.argsort(shuffled) % 10_000]
    versions = [
        Version.of(pl.DataFrame({"n": people, "g": group, "v": values}), group="g", sensitive="v", person="n")
        for group in groups
    ]
    assert IntersectionAttack(exact_people=0).find(versions).worst == Fraction(1, 3)


def test_a_value_that_changes_is_a_contradiction_that_names_the_person():
    first, second = Version.of_signatures({"Ann": ["flu", "gout"]}), Version.of_signatures({"Ann": ["cough", "ulcer"]})
    with pytest.raises(DataError, match=r"'Ann'.*another name"):
        IntersectionAttack().find([first, second])


def test_releases_without_people_cannot_be_attacked():
    table = pl.read_csv(io.StringIO("g,v\n1,flu\n"), infer_schema=False)
    with pytest.raises(UsageError, match="who is in which group"):
        IntersectionAttack().find([Version.of(table, group="g", sensitive="v")])
    with pytest.raises(UsageError, match="no release"):
        IntersectionAttack().find([])
