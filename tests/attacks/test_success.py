"""How often attacks succeed: the interval against scipy, the rates against counting by hand."""

import json
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from tests.checker.random_clusters import random_forest
from tests.transactions.clusters import clusters
from typer.testing import CliRunner

import krypsis
from effort import examples
from krypsis.attacks.base import AttackSuccess, wilson_interval
from krypsis.attacks.changes import ChangeAttack
from krypsis.attacks.cover import CoverAttack
from krypsis.attacks.exposure import AttackerView
from krypsis.attacks.family import FamilyAttack
from krypsis.attacks.histories import attack_history
from krypsis.attacks.history_attack import ReleaseSequence
from krypsis.attacks.homogeneity import HomogeneityAttack
from krypsis.attacks.intersection import AbsenceAttack, CandidateAttack, IntersectionAttack
from krypsis.attacks.linkage import LinkageAttack, RegisterLinkageAttack
from krypsis.cli.main import app
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.schema import Schema
from krypsis.errors import UsageError
from krypsis.io.history import Version
from krypsis.kinds.table.make import release_of
from models.test_m_invariance import FIGURE_2_18, FIGURE_2_19, version

ROLES = {"age": "quasi-identifier", "disease": "sensitive", "income": "sensitive"}
TABLE = pl.DataFrame(
    {"age": ["3*", "3*", "4*", "4*"], "disease": ["flu", "flu", "flu", "gout"], "income": list("abcc")}
)


@given(targets=st.integers(1, 500), data=st.data())
def test_the_interval_is_that_of_wilson(targets, data):
    successes = data.draw(st.integers(0, targets))
    expected = binomtest(successes, targets).proportion_ci(0.95, method="wilson")
    assert wilson_interval(successes / targets, targets) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_an_interval_reaches_from_the_lower_to_the_upper_bound():
    found = AttackSuccess.of("x", targets=10, rate=0.9, at_least=0.1, baseline=0)
    assert found.low == pytest.approx(wilson_interval(0.1, 10)[0])
    assert found.high == pytest.approx(wilson_interval(0.9, 10)[1])


def test_without_targets_nothing_can_be_said():
    found = LinkageAttack().run(release_of(TABLE.clear(), Schema.of(ROLES), ()))
    assert (found.targets, found.rate, found.low, found.high) == (0, 0, 0, 1)
    assert found.cannot_say == ("There was nothing to attack.",)


def test_a_small_baseline_is_not_shown_as_nothing():
    assert "without the release less than 0.1 %" in AttackSuccess.of("x", targets=1, rate=1, baseline=1e-5).sentence()
    assert "without the release 0 %" in AttackSuccess.of("x", targets=1, rate=1, baseline=0).sentence()


def test_tables_count_right_guesses():
    linked = LinkageAttack(known=["age"]).run(TABLE)
    assert (linked.targets, linked.rate, linked.baseline, linked.certain) == (4, 0.5, 0.25, 0)
    learned = HomogeneityAttack(known=["age"], sensitive="disease").run(TABLE)
    # Of the first two the value is sure; of the others each guess is right in one of two cases.
    assert (learned.targets, learned.rate, learned.certain) == (4, 0.75, 2)
    assert learned.baseline == pytest.approx(0.75**2 + 0.25**2)


def test_an_attack_is_aimed_at_every_sensitive_column_unless_one_is_named():
    release = release_of(TABLE, Schema.of(ROLES), ())
    assert [one.sensitive for one in HomogeneityAttack().aimed_at(release)] == ["disease", "income"]
    assert [one.sensitive for one in HomogeneityAttack(sensitive="income").aimed_at(release)] == ["income"]
    assert [one.known for one in HomogeneityAttack(known=()).aimed_at(release)] == [(), ()]
    with pytest.raises(UsageError, match="the release has 2: disease, income"):
        HomogeneityAttack().find(release)


def test_a_view_is_attacked_as_it_is():
    view = AttackerView.of(TABLE, ["age"])
    assert LinkageAttack().run(view) == LinkageAttack(known=["age"]).run(TABLE)


def test_a_person_whom_no_record_fits_is_not_found():
    persons = pl.DataFrame({"age": ["3*", "4*", "5*", "4*"]})
    found = RegisterLinkageAttack(persons=persons, known=["age"]).run(TABLE)
    assert (found.targets, found.rate, found.baseline, found.certain) == (4, 1.5 / 4, 0.25, 0)


def test_who_is_left_with_one_value_is_known_and_with_two_by_half():
    releases = [version(FIGURE_2_18), version(FIGURE_2_19)]
    left = CandidateAttack().find(releases)
    found = CandidateAttack().run(releases)
    assert found.rate == pytest.approx(sum(1 / len(values) for values in left.values()) / len(left))
    assert found.certain == sum(len(values) == 1 for values in left.values()) > 0
    exact = IntersectionAttack().run(releases)
    assert exact.certain >= found.certain
    assert exact.rate >= found.rate


def test_chances_within_bounds_widen_the_interval_and_are_said_to_be_bounds():
    releases = [version(FIGURE_2_18), version(FIGURE_2_19)]
    exact, bounded = (IntersectionAttack(exact_people=most).run(releases) for most in (1000, 0))
    assert exact.cannot_say == ()
    if bounded.rate > exact.rate:
        assert "too many cases" in bounded.cannot_say[0]
    assert bounded.low <= exact.low <= exact.high <= bounded.high


def test_people_of_whom_nothing_is_learned_are_no_targets_and_are_counted():
    first = Version.of_signatures({"Ann": ["flu", "gout"], "Bob": ["cold", "ache"]})
    second = Version.of_signatures({"Ann": ["flu", "pest"], "Bob": ["cold", "ache"]})
    found = AbsenceAttack().run([first, second])
    assert (found.targets, found.rate) == (1, 1)
    assert found.cannot_say == ("Nothing is learned about 1 other people.",)


def test_undecided_changes_count_as_found_and_only_the_rest_as_certain():
    groups = [("12", "34"), ("13", "24"), ("14", "23")]
    rows = [
        [(who, str(at), "ab"[place]) for at, pair in enumerate(one) for place, who in enumerate(pair)] for one in groups
    ]
    tables = [pl.DataFrame(one, schema=["p", "g", "v"], orient="row") for one in rows]
    versions = [Version.of(one, group="g", sensitive="v", person="p") for one in tables]
    decided, undecided = ChangeAttack().run(versions), ChangeAttack(most_steps=0).run(versions)
    assert (decided.rate, decided.certain, decided.targets) == (1, 4, 4)
    assert (undecided.rate, undecided.certain) == (1, 0)
    assert undecided.low < decided.low
    assert "4 people are undecided" in undecided.cannot_say[1]


def test_what_was_learned_names_nobody_when_shown():
    names = {"Ann": ["flu", "asthma"], "Bob": ["flu", "asthma"], "Cid": ["cold", "ache"]}
    parents = {"flu": "lungs", "asthma": "lungs", "cold": "head", "ache": "head"}
    tree = Hierarchy.from_rows([[value, parent, "*"] for value, parent in parents.items()])
    report = attack_history([Version.of_signatures(names)], m=2, hierarchy=tree)
    shown = repr([report, FamilyAttack().find(ReleaseSequence([Version.of_signatures(names)], tree))])
    assert not [name for name in names if name in shown]
    assert "Ann" in report.families.people["person"]


def test_what_an_attack_needs_is_named():
    with pytest.raises(UsageError, match="give the 'hierarchy'"):
        FamilyAttack().find([Version.of_signatures({"Ann": ["flu"]})])
    assert FamilyAttack().aimed_at(ReleaseSequence([])) == ()


@given(seed=st.integers(0, 10_000))
@settings(max_examples=examples(50), deadline=None)
def test_the_best_guess_of_an_item_is_that_of_counting_in_plain_python(seed):
    published = random_forest(np.random.default_rng(seed))
    pieces = published.pieces.sets()
    bounds = published.chunk_starts.tolist()
    right = total = sure = 0
    for start, end in pairwise(bounds):
        chunk = pieces[start:end]
        for item in frozenset().union(*chunk):
            holding = [piece for piece in chunk if item in piece]
            others = Counter(other for piece in holding for other in piece if other != item)
            best = max(others.values(), default=0)
            right, total, sure = right + best, total + len(holding), sure + len(holding) * (best == len(holding))
    found = CoverAttack().run(published)
    assert (found.targets, found.certain) == (total, sure)
    assert found.rate == pytest.approx(right / total if total else 0)


def test_the_baseline_of_items_is_the_most_frequent_other_item():
    published = clusters([(0, [["a", "b"]] * 3 + [["b"]] * 2)], [5], [-1], [["x"]])
    found = CoverAttack().run(published)
    # a is known three times: guess b, which five of five hold. b is known five times: guess a, which three hold.
    assert found.baseline == pytest.approx((3 * 1 + 5 * 3 / 5) / 8)
    assert found.rate == pytest.approx((3 + 3) / 8)
    assert "term chunks" in found.cannot_say[0]


@pytest.fixture
def release(tmp_path):
    made = krypsis.anonymize(
        TABLE.drop("income"), {"age": "quasi-identifier", "disease": "sensitive"}, models="k-anonymity:k=2"
    )
    return str(made.save(tmp_path / "release").folder)


def test_the_command_tries_all_attacks_that_fit_a_release(release):
    shown = CliRunner().invoke(app, ["attack", release])
    assert shown.exit_code == 0, shown.output
    lines = [line for line in shown.stdout.splitlines() if not line.startswith("  ")]
    assert [line.split(":")[0] for line in lines] == ["background", "homogeneity", "linkage"]
    assert "linkage: succeeds for 50 % of 4 targets (95 % confidence: 15 % to 85 %); without the release 25 %" in lines


def test_the_command_tries_named_attacks_with_their_parameters(release, tmp_path):
    pl.DataFrame({"name": ["Ann", "Bob"], "age": ["3*", "5*"]}).write_csv(tmp_path / "voters.csv")
    spec = f"register-linkage:persons={tmp_path / 'voters.csv'}"
    shown = CliRunner().invoke(app, ["attack", release, "--attack", spec, "--attack", "linkage:known=age", "--json"])
    assert shown.exit_code == 0, shown.output
    register, linkage = json.loads(shown.stdout)
    assert (register["attack"], register["rate"], register["targets"]) == ("register-linkage", 0.25, 2)
    assert (linkage["spec"], linkage["rate"], linkage["confidence"]) == ("linkage:known=age", 0.5, 0.95)


def test_an_attack_that_does_not_fit_is_refused_with_those_that_do(release):
    shown = CliRunner().invoke(app, ["attack", release, "--attack", "intersection"])
    assert shown.exit_code == 2
    assert "intersection cannot be tried on this release; these can: background, homogeneity, linkage" in shown.output


def test_single_attacks_on_a_history_are_tried_by_name(tmp_path):
    table = pl.DataFrame({"name": list("abcd"), "age": [31, 32, 33, 34], "disease": ["flu", "gout"] * 2})
    roles = {"age": "quasi-identifier", "disease": "sensitive"}
    history = krypsis.History.init(tmp_path / "history", id="name", roles=roles, models="m-invariance:m=2")
    history.publish(table)
    arguments = ["history", "attack", "--folder", str(tmp_path / "history"), "--attack", "intersection", "--json"]
    shown = CliRunner().invoke(app, arguments)
    assert shown.exit_code == 0, shown.output
    (found,) = json.loads(shown.stdout)
    assert (found["rate"], found["targets"], found["baseline"]) == (0.5, 4, 0.5)
    assert history.attack().worst == Fraction(1, 2)
