"""m-invariance: the releases of both theses, corrected as their errata say, brute force, and what cannot be checked."""

import io
from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.attacks.intersection import CandidateAttack, vanished_values
from krypsis.checker.histories import check_history, version_of_folder
from krypsis.errors import ColumnError, DataError, UsageError
from krypsis.io.history import Version
from krypsis.kinds.table.demo import hospital
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.m_invariance import MInvariance

# Relational thesis, tables 5.14 to 5.16: name, class, disease. Katerina is 25 (E33); "T(3)" replaces T*(2) (E35).
TABLE_5_14 = """name,class,disease
Alice,1,Dyspepsia
Vasilis,1,Bronchitis
Georgia,2,Flu
Dimitris,2,Gastritis
Eleftheria,3,Flu
Zisis,3,Gastritis
Ivi,4,Dyspepsia
Thalis,4,Flu
Ioanna,4,Gastritis
Kyriaki,5,Dyspepsia
Leonidas,5,Gastritis
"""
TABLE_5_15 = """name,class,disease
Alice,1,Dyspepsia
Dimitris,1,Gastritis
Katerina,2,Flu
Ivi,2,Dyspepsia
Ioanna,2,Gastritis
Eleftheria,3,Flu
Ira,3,Gastritis
Thanasis,4,Dyspepsia
Leonidas,4,Gastritis
Nikoleta,5,Gastritis
Alexios,5,Flu
"""
TABLE_5_16 = """name,class,disease
Alice,1,Dyspepsia
,1,Bronchitis
Dimitris,2,Gastritis
Katerina,2,Flu
Ivi,3,Dyspepsia
,3,Flu
Ioanna,3,Gastritis
Eleftheria,4,Flu
Ira,4,Gastritis
Thanasis,5,Dyspepsia
Leonidas,5,Gastritis
Nikoleta,6,Gastritis
Alexios,6,Flu
"""
# Dynamic data, figures 2.18 to 2.20, with Emily's disease corrected to flu (erratum 34).
FIGURE_2_18 = """name,class,disease
Bob,1,dyspepsia
Alice,1,bronchitis
Andy,2,flu
David,2,gastritis
Gary,3,flu
Helen,3,gastritis
Jane,4,dyspepsia
Ken,4,flu
Linda,4,gastritis
Paul,5,dyspepsia
Steve,5,gastritis
"""
FIGURE_2_19 = """name,class,disease
Bob,1,dyspepsia
David,1,gastritis
Emily,2,flu
Jane,2,dyspepsia
Linda,2,gastritis
Gary,3,flu
Mary,3,gastritis
Ray,4,dyspepsia
Steve,4,gastritis
Tom,5,gastritis
Vince,5,flu
"""
FIGURE_2_20 = """name,class,disease
Bob,1,dyspepsia
,1,bronchitis
David,2,gastritis
Emily,2,flu
Jane,3,dyspepsia
,3,flu
Linda,3,gastritis
Gary,4,flu
Mary,4,gastritis
Ray,5,dyspepsia
Steve,5,gastritis
Tom,6,gastritis
Vince,6,flu
"""


def version(text, **options):
    table = pl.read_csv(io.StringIO(text), infer_schema=False)
    return Version.of(table, group="class", sensitive="disease", person="name", **options)


def verdict_on(*versions, m=2):
    (verdict,) = check_history(versions, [MInvariance(m=m)])
    return verdict


@pytest.mark.parametrize("text", [TABLE_5_14, TABLE_5_15, TABLE_5_16, FIGURE_2_18, FIGURE_2_19, FIGURE_2_20])
def test_every_release_of_the_theses_is_2_unique_by_itself(text):
    verdict = verdict_on(version(text))
    assert verdict
    assert verdict.achieved == 2.0


@pytest.mark.parametrize(
    ("first", "naive", "changed"),
    [
        (TABLE_5_14, TABLE_5_15, {"Alice": "{Bronchitis, Dyspepsia}; {Dyspepsia, Gastritis}"}),
        (FIGURE_2_18, FIGURE_2_19, {"Bob": "{bronchitis, dyspepsia}; {dyspepsia, gastritis}"}),
    ],
)
def test_the_naive_second_release_breaks_the_promise_and_names_who_it_gives_away(first, naive, changed):
    verdict = verdict_on(version(first), version(naive))
    assert not verdict
    assert verdict.achieved == 0.0
    people = {entry["values"]["person"]: entry["values"]["signatures"] for entry in verdict.offending}
    assert len(people) == 2  # Alice and Dimitris; Bob and David
    assert changed.items() <= people.items()


@pytest.mark.parametrize(("first", "second"), [(TABLE_5_14, TABLE_5_16), (FIGURE_2_18, FIGURE_2_20)])
def test_the_invariant_second_release_keeps_the_promise_with_its_counterfeits(first, second):
    verdict = verdict_on(version(first), version(second, counterfeits={1: 1, 3: 1}))
    assert verdict
    assert "Kept over 2 release(s)" in verdict.sentence
    assert not verdict_on(version(first), version(second), m=3)


def test_the_printed_release_with_a_value_twice_in_a_group_is_refused():
    printed = FIGURE_2_20.replace("Emily,2,flu", "Emily,2,gastritis")
    verdict = verdict_on(version(printed))
    assert not verdict
    assert verdict.offending[0]["values"] == {"release": 1, "group": "2", "values": "gastritis"}


def test_groups_that_are_too_small_are_named():
    verdict = verdict_on(version(TABLE_5_14), m=3)
    assert verdict.achieved == 2.0
    assert "4 of 5 groups are smaller" in verdict.sentence


def test_intersecting_the_releases_of_the_thesis_leaves_what_it_says():
    left = CandidateAttack().find([version(TABLE_5_14), version(TABLE_5_15)])
    expected = {
        "Alice": {"Dyspepsia"},
        "Dimitris": {"Gastritis"},
        "Eleftheria": {"Flu", "Gastritis"},
        "Ivi": {"Dyspepsia", "Flu", "Gastritis"},
        "Ioanna": {"Dyspepsia", "Flu", "Gastritis"},
        "Leonidas": {"Dyspepsia", "Gastritis"},
    }
    assert {person: left[person] for person in expected} == expected


def test_an_attack_on_the_invariant_releases_leaves_at_least_m_values():
    for pair in ([TABLE_5_14, TABLE_5_16], [FIGURE_2_18, FIGURE_2_20]):
        left = CandidateAttack(cascade=True).find([version(text) for text in pair])
        assert min(map(len, left.values())) == 2


def test_what_is_known_of_one_person_tells_about_the_others_of_the_group():
    left = CandidateAttack(cascade=True).find([version(FIGURE_2_18), version(FIGURE_2_19)])
    expected = {
        "Bob": {"dyspepsia"},
        "Alice": {"bronchitis"},
        "David": {"gastritis"},
        "Andy": {"flu"},
        "Gary": {"flu", "gastritis"},
        "Jane": {"dyspepsia", "flu", "gastritis"},
        "Linda": {"dyspepsia", "flu", "gastritis"},
        "Steve": {"dyspepsia", "gastritis"},
    }
    assert {person: left[person] for person in expected} == expected


def longitudinal(victim, releases):
    """The two 4-anonymous releases of the course notes, in which the victim is in the first group or the second."""
    values = {
        1: [["aids", "flu", "flu", "aids"], ["flu", "short breath", "flu", "aids"]],
        2: [["hypertension", "gastritis", "aids", "gastritis"], ["flu", "aids", "flu", "gastritis"]],
    }
    made = []
    for release in releases:
        rows = [(group, value) for group, one in enumerate(values[release]) for value in one]
        table = pl.DataFrame(rows, schema=["class", "disease"], orient="row")
        made.append(Version.of(table, group="class", sensitive="disease", people=victim))
    return made


def test_alice_who_is_in_both_releases_has_the_only_disease_that_both_her_groups_share():
    assert CandidateAttack().find(longitudinal({"Alice": 0}, (1, 2))) == {"Alice": {"aids"}}
    assert not verdict_on(*longitudinal({"Alice": 0}, (1, 2)))


def test_frank_who_left_has_what_his_group_no_longer_holds():
    (before,), (after,) = longitudinal({}, (1,)), longitudinal({}, (2,))
    of_group = [one.records.filter(pl.col("group") == "1")["value"].to_list() for one in (before, after)]
    assert vanished_values(*of_group) == Counter({"short breath": 1})


def naive_invariant(releases, m):
    """The three conditions, person by person; a release is a list of groups of (person, value)."""
    for groups in releases:
        for group in groups:
            values = [value for _, value in group]
            if len(values) < m or len(set(values)) < len(values):
                return False
    found = {}
    for groups in releases:
        for group in groups:
            for person, _ in group:
                if person is not None:
                    found.setdefault(person, set()).add(frozenset(value for _, value in group))
    return all(len(one) == 1 for one in found.values())


@st.composite
def histories(draw):
    releases = []
    for _ in range(draw(st.integers(1, 3))):
        people = iter(draw(st.permutations([*"ABCDEF"])))
        groups = []
        for _ in range(draw(st.integers(1, 3))):
            values = draw(st.sampled_from([["x", "y"], ["x", "y"], ["y", "z"], ["x", "y", "z"], ["x", "x"], ["z"]]))
            real = draw(st.integers(0, 2))
            group = [(next(people, None) if place < real else None, value) for place, value in enumerate(values)]
            groups.append(group)
        releases.append(groups)
    return releases


def made(groups):
    rows = [(str(number), person, value) for number, group in enumerate(groups) for person, value in group]
    table = pl.DataFrame(rows, schema={"class": str, "name": str, "disease": str}, orient="row")
    return Version.of(table, group="class", sensitive="disease", person="name")


@given(releases=histories(), m=st.integers(2, 3))
def test_the_verdict_is_that_of_the_definition(releases, m):
    assert verdict_on(*map(made, releases), m=m).holds == naive_invariant(releases, m)


@given(releases=histories())
def test_what_is_invariant_leaves_m_candidates_whatever_is_compared(releases):
    versions = [made(groups) for groups in releases]
    if verdict_on(*versions, m=2):
        assert all(len(one) >= 2 for one in CandidateAttack().find(versions).values())


@given(releases=histories())
def test_the_true_value_is_never_excluded(releases):
    """Give everybody one value for life, where the groups allow it."""
    versions = [made(groups) for groups in releases]
    truth = {}
    for groups in releases:
        for group in groups:
            for person, value in group:
                if person is not None and truth.setdefault(person, value) != value:
                    return
    left = CandidateAttack(cascade=True).find(versions)
    assert all(truth[person] in left[person] for person in left)


def test_signatures_alone_are_enough():
    first, second = {"Ann": ["flu", "cancer"]}, {"Ann": ["cancer", "flu"], "Bob": ["flu", "asthma"]}
    assert verdict_on(Version.of_signatures(first), Version.of_signatures(second))
    assert not verdict_on(Version.of_signatures(first), Version.of_signatures({"Ann": ["flu", "asthma"]}))


def test_the_folders_of_two_releases_in_groups_are_checked_with_private_memberships(tmp_path):
    roles = {"age": "quasi-identifier", "zip": "quasi-identifier", "diagnosis": "sensitive"}
    table = hospital(rows=60, seed=3).select("age", "zip", "diagnosis")
    for name in ("one", "two"):
        release = krypsis.anonymize(table, roles, models="frequency-l-diversity:l=2", algorithm="anatomize")
        release.save(tmp_path / name)
    versions = [version_of_folder(tmp_path / name, people={}) for name in ("one", "two")]
    assert all(one.records.height == 60 for one in versions)
    groups = [one.records.group_by("group").agg(pl.col("value").sort()) for one in versions]
    distinct = all(len(set(values)) == len(values) >= 2 for one in groups for values in one["value"].to_list())
    assert verdict_on(*versions).holds == distinct


def test_a_release_that_does_not_name_groups_is_not_a_version(tmp_path):
    table = pl.DataFrame({"age": ["3", "3"], "disease": ["a", "b"]})
    roles = {"age": "quasi-identifier", "disease": "sensitive"}
    krypsis.anonymize(table, roles, models="k-anonymity:k=2").save(tmp_path / "plain")
    with pytest.raises(DataError, match="must state the group of every record"):
        version_of_folder(tmp_path / "plain")


def test_several_releases_need_to_know_who_is_where():
    anonymous = Version.of(pl.DataFrame({"g": [1, 1], "s": ["a", "b"]}), group="g", sensitive="s")
    assert verdict_on(anonymous)
    with pytest.raises(UsageError, match="who is in which group, which is not published"):
        verdict_on(anonymous, anonymous)
    with pytest.raises(UsageError, match="who is in which group is not known"):
        CandidateAttack().find([anonymous])


def test_a_missing_sensitive_value_is_a_value():
    table = pl.DataFrame({"g": ["1", "1"], "s": ["a", None], "p": ["Ann", "Bob"]})
    assert verdict_on(Version.of(table, group="g", sensitive="s", person="p"))
    twice = pl.DataFrame(
        {"g": ["1", "1"], "s": [None, None], "p": ["Ann", "Bob"]}, schema=dict.fromkeys("gsp", pl.String)
    )
    assert not verdict_on(Version.of(twice, group="g", sensitive="s", person="p"))


TABLE = pl.DataFrame({"g": ["1", "1"], "s": ["a", "b"], "p": ["Ann", None]})


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"group": "gg"}, ColumnError, "column 'gg' not found"),
        ({"people": {"Ann": "1"}}, UsageError, "said twice"),
        ({"counterfeits": {"1": 2}}, DataError, r"states 2 counterfeit\(s\) in group '1', and 1 of its records"),
        ({"counterfeits": {}}, DataError, r"states 0 counterfeit\(s\)"),
        ({"counterfeits": {"1": 3}}, DataError, r"of 2 record\(s\) cannot have 3"),
        ({"counterfeits": {"7": 1}}, DataError, "no group '7'; groups: 1"),
        ({"person": None, "people": {"Ann": "9"}}, DataError, "no group '9'"),
        ({"person": None, "people": dict.fromkeys("ABC", 1)}, DataError, "for 3 people"),
    ],
)
def test_what_does_not_fit_together_is_told(options, error, message):
    with pytest.raises(error, match=message):
        Version.of(TABLE, **{"group": "g", "sensitive": "s", "person": "p", **options})


def test_nobody_has_two_records_in_one_release():
    with pytest.raises(DataError, match="'Ann' would have several records"):
        Version.of(TABLE.with_columns(p=pl.lit("Ann")), group="g", sensitive="s", person="p")


def test_a_record_without_a_group_is_told():
    with pytest.raises(DataError, match="are in no group"):
        Version.of(TABLE.with_columns(g=pl.Series(["1", None])), group="g", sensitive="s", person="p")


def test_no_release_and_other_promises_are_refused():
    with pytest.raises(UsageError, match="no release is given"):
        check_history([], [MInvariance(m=2)])
    with pytest.raises(UsageError, match="is decided by the published quasi-identifiers; read the release"):
        check_history([version(TABLE_5_14)], [KAnonymity(k=2)])
