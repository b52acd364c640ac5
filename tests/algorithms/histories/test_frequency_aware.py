"""Releases in which values that leave often are more general: small stories, and what holds for any."""

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from algorithms.histories.diseases import DISEASES, PARENTS
from algorithms.histories.frequency_publisher import LABELS, Publisher, below, holes_of, people_with
from krypsis.algorithms.histories import general_groups as raising
from krypsis.algorithms.histories.base import LEFT_OUT, Past, Shown, Snapshot
from krypsis.algorithms.histories.correlation import Correlation
from krypsis.algorithms.histories.frequency_aware import FrequencyAware
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.algorithms.histories.targets import CRITERIA
from krypsis.attacks.generalized_values import SiblingAttack, TimingAttack
from krypsis.attacks.histories import attack_history
from krypsis.attacks.history_attack import ReleaseSequence
from krypsis.checker import check_history
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import DataError, Infeasible, UsageError
from krypsis.io.history import Version
from krypsis.models.em_correlation import EMCorrelation
from krypsis.models.m_invariance import MInvariance
from oracles.correlation import Tree, families
from oracles.histories import least_rest

E = Fraction(8, 5)
PROMISE = EMCorrelation(e="8/5", m=2)
ALWAYS = {"flu": "1/2", "X": "1/20"}
"""Chances of which flu is published as X for ever."""

bounds = st.sampled_from([Fraction(1), Fraction(8, 5), Fraction(8, 3)])


@st.composite
def stories(draw, max_versions=5):
    """Versions of a table: some leave, some come, some come back; nobody's disease changes."""
    ages, diseases = st.integers(0, 19), st.sampled_from(DISEASES.values)
    everybody = {f"p{number}": (draw(ages), draw(diseases)) for number in range(draw(st.integers(4, 24)))}
    versions = []
    for _ in range(draw(st.integers(1, max_versions))):
        away = draw(st.sets(st.sampled_from(sorted(everybody)), max_size=len(everybody) - 1))
        versions.append({name: person for name, person in everybody.items() if name not in away})
    return versions


OPTIONS = st.fixed_dictionaries(
    {
        "criterion": st.sampled_from(CRITERIA),
        "assignment": st.sampled_from(["sub-trees", "whole", "anatomize"]),
        "on_ineligible": st.sampled_from(["defer", "counterfeits"]),
        "smoothing": st.integers(0, 1),
        "window": st.integers(1, 3),
        "c": st.sampled_from([Fraction(0), Fraction(1, 2)]),
    }
)


def is_kept(publisher):
    (verdict,) = check_history(publisher.versions, [publisher.promise], taxonomy=DISEASES)
    return verdict.holds


@given(story=stories(), e=bounds, m=st.integers(2, 3), seed=st.integers(0, 9), options=OPTIONS)
def test_the_checker_accepts_every_sequence_and_no_attack_learns_more_than_promised(story, e, m, seed, options):
    """S13.11, and S13.14: timing of generalization and siblings find nothing."""
    assume(len(families(Tree(DISEASES), e)) >= m)
    publisher = Publisher(EMCorrelation(e=e, m=m), **options)
    for people in story:
        found = publisher.publish(people, seed)
        assert options["on_ineligible"] == "defer" or not len(found.deferred)
        for (_, value), node, group in zip(people.values(), found.published, found.group, strict=True):
            assert group == LEFT_OUT or value in below(node)
            assert below(node) <= Tree(DISEASES).climb(value, e)
    assume(publisher.versions)
    assert is_kept(publisher)
    report = attack_history(publisher.versions, m=m, hierarchy=DISEASES, e=e)
    assert report.holds, "\n".join(report.sentences())
    assert TimingAttack().find(ReleaseSequence(publisher.versions, DISEASES)).people == 0
    assert SiblingAttack().find(ReleaseSequence(publisher.versions, DISEASES)).worst <= Fraction(1, m)


@given(story=stories(max_versions=4), e=bounds, seed=st.integers(0, 9), options=OPTIONS)
def test_everybody_is_bound_to_the_minimal_signature(story, e, seed, options):
    """FR-5: at each position the most special value that anybody of the signature was ever published with."""
    publisher = Publisher(EMCorrelation(e=e, m=2), **options)
    chains = {}
    for people in story:
        found = publisher.publish(people, seed)
        for group, number in enumerate(found.signature.tolist()):
            members = found.published[found.group == group].tolist()
            members += found.counterfeits.published[found.counterfeits.group == group].tolist()
            chains.setdefault(number, []).append([frozenset(below(node)) for node in members])
    for number, signatures in chains.items():
        minimal = {frozenset(below(node)) for node in publisher.signatures.members(number)}
        for values in signatures:
            assert len(values) == len(minimal)
            assert all(sum(least <= value for value in values) == 1 for least in minimal)
        every = {value for values in signatures for value in values}
        assert minimal == {min((one for one in every if least <= one), key=len) for least in minimal}


@given(story=stories(max_versions=3), m=st.integers(2, 3), options=OPTIONS)
def test_counterfeits_are_as_few_as_possible(story, m, options):
    """The oracle of S13.8, where a record fills a hole if its value is below what is published there (OPEN 28)."""
    publisher = Publisher(EMCorrelation(e=E, m=m), **options)
    for people in story[:-1]:
        publisher.publish(people)
    people = story[-1]
    new = Counter(value for name, (_, value) in people.items() if name not in publisher.bound)
    strict = FrequencyAware(**{**options, "on_ineligible": "raise", "evidence": 0}).publication
    arguments = publisher.snapshot(people), publisher.past(people), [publisher.promise], np.random.default_rng(1)
    try:
        found = strict(*arguments)
    except Infeasible:
        return
    nodes = found.shown.nodes
    holes = holes_of(publisher, people, nodes)
    kinds = [sorted(family) for family in families(Tree(DISEASES), E)]
    counts = [sum(new[value] for value in kind) for kind in kinds]
    fillable = [matched(kind, nodes, holes, new) for kind in kinds]
    expected = least_rest(counts, fillable, m)
    assert len(found.counterfeits) == sum(holes.values()) - (sum(counts) - expected)


def matched(kind, nodes, holes, new):
    """How many new records of a family fit holes: the most special holes first."""
    left, filled = {value: new[value] for value in kind}, 0
    for slot in sorted(holes, key=lambda slot: len(below(nodes[slot]))):
        room = holes[slot]
        for value in sorted(below(nodes[slot]) & set(kind)):
            number = min(left[value], room)
            left[value], room, filled = left[value] - number, room - number, filled + number
    return filled


def test_a_general_value_is_replaced_by_its_sibling_and_no_counterfeit_is_needed():
    people = {"Ann": (1, "flu"), "Bob": (2, "lung cancer")}
    later = {"Bob": (2, "lung cancer"), "Cid": (3, "pneumonia")}
    general, exact = Publisher(PROMISE, probabilities=ALWAYS), Publisher(PROMISE, probabilities={"flu": 0})
    for publisher in (general, exact):
        publisher.publish(people)
    assert not len(general.publish(later).counterfeits)
    assert general.signature_of("Bob") == general.signature_of("Cid") == {"X", "lung cancer"}
    with pytest.raises(Infeasible):
        exact.publish(later)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_values_that_leave_are_generalized_and_those_that_stay_are_not(criterion):
    """Version after version, flu loses records to pneumonia; aids and cancer do not change."""
    publisher = Publisher(PROMISE, criterion=criterion, smoothing=0, on_ineligible="counterfeits")
    people = people_with(flu=16, aids=8, prostate_cancer=8)
    for step in range(3):
        publisher.publish(people)
        patients = [name for name, (_, value) in people.items() if value == "flu"]
        gone = patients[: 3 * len(patients) // 4]
        people = {name: one for name, one in people.items() if name not in gone}
        people |= {f"{step} {name}": (number, "pneumonia") for number, name in enumerate(gone)}
    publisher.publish(people)
    published = set(publisher.versions[-1].records["value"].to_list())
    assert "X" in published
    assert {"aids", "prostate cancer"} <= published
    assert is_kept(publisher)


def test_a_value_is_published_as_it_is_again_when_it_stays():
    """De-generalization: the table stops changing, and nobody has joined since."""
    publisher = Publisher(PROMISE, smoothing=0, window=1, criterion="minimal-penalty", on_ineligible="counterfeits")
    people = people_with(flu=4, pneumonia=4, prostate_cancer=4, lung_cancer=4)
    publisher.publish(people)
    fewer = {name: one for name, one in people.items() if name not in ("f0", "f1")}
    story = [fewer, fewer, fewer, fewer]
    for one in story:
        publisher.publish(one)
    shown = [set(version.records["value"].to_list()) for version in publisher.versions]
    assert ["X" in values for values in shown] == [False, False, True, False, False]
    assert is_kept(publisher)


def test_nothing_is_generalized_just_when_somebody_leaves_even_by_a_rule_for_all(monkeypatch):
    """AT-7: without care, the rule raises flu in the version in which Ann leaves the only group with it."""
    first = {"Ann": (1, "flu"), "Bob": (2, "lung cancer")}
    later = {"Bob": (2, "lung cancer")}

    def told():
        publisher = Publisher(PROMISE, probabilities={"flu": 0})
        publisher.publish(first)
        publisher.method = FrequencyAware(probabilities=ALWAYS)
        publisher.publish(later)
        return publisher, TimingAttack().find(ReleaseSequence(publisher.versions, DISEASES))

    publisher, learned = told()
    assert learned.people == 0
    assert publisher.signature_of("Bob") == {"flu", "lung cancer"}
    monkeypatch.setattr(raising.Company, "of", lambda *_: Everything())
    assert told()[1].about("Ann") == {"flu": (Fraction(1), Fraction(1))}


class Everything:
    """Says that nobody left any signature."""

    is_calm, whole = np.ones(9, dtype=np.bool_), np.zeros(9, dtype=np.int64)


def test_a_rule_that_a_whole_group_shows_is_followed_where_somebody_leaves():
    ages = iter(range(20))
    people = {name: (next(ages), value) for name, value in zip("abcdefgh", ["flu", "lung cancer"] * 4, strict=True)}
    publisher = Publisher(PROMISE, probabilities={"flu": 0})
    publisher.publish(people)
    publisher.method = FrequencyAware(probabilities=ALWAYS)
    publisher.publish({name: one for name, one in people.items() if name != "a"})
    assert set(publisher.versions[-1].records["value"].to_list()) == {"X", "lung cancer"}
    assert TimingAttack().find(ReleaseSequence(publisher.versions, DISEASES)).people == 0


def test_a_signature_that_somebody_joined_does_not_come_down():
    """Cid has pneumonia in the place of Ann: if only this group stayed general, it would reveal that Ann had flu."""
    publisher = Publisher(PROMISE, probabilities={"flu": 0})
    publisher.publish({"Ann": (1, "flu"), "Bob": (2, "lung cancer")})
    publisher.method = FrequencyAware(probabilities=ALWAYS)
    publisher.publish({"Ann": (1, "flu"), "Bob": (2, "lung cancer")})
    publisher.publish({"Bob": (2, "lung cancer"), "Cid": (3, "pneumonia")})
    publisher.method = FrequencyAware(probabilities={"flu": 0})
    for people in ({"Bob": (2, "lung cancer"), "Cid": (3, "pneumonia")}, {"Bob": (2, "lung cancer")}):
        publisher.publish(people)
        assert publisher.signature_of("Bob") == {"X", "lung cancer"}
    assert is_kept(publisher)


@given(
    values=st.lists(st.sampled_from(["flu", "strain", "aids", "lung cancer"]), min_size=4, max_size=16),
    rules=st.permutations([{"flu": 0}, {**ALWAYS, "strain": "2/3"}]),
    data=st.data(),
)
def test_what_is_shown_does_not_depend_on_who_has_which_value(values, rules, data):
    """Whoever of a group has which of its values: after some have left, everything is shown alike."""
    people = {f"p{number}": (number, value) for number, value in enumerate(values)}
    gone = data.draw(st.sets(st.sampled_from(sorted(people)), min_size=1, max_size=len(people) - 1))
    shown = []
    for is_swapped in (False, True):
        publisher = Publisher(PROMISE, on_ineligible="counterfeits", probabilities=rules[0])
        publisher.publish(people)
        world = swapped(people, publisher.groups) if is_swapped else people
        publisher.last = dict(world)
        publisher.method = FrequencyAware(on_ineligible="counterfeits", probabilities=rules[1])
        now = publisher.publish({name: world[name] for name in people if name not in gone}).shown
        shown.append((now.nodes.tolist(), now.lowest.tolist()))
    assert shown[0] == shown[1]


def swapped(people, groups):
    """The people with the values of each group dealt out to its people the other way round."""
    world = {}
    for group in set(groups.values()):
        names = [name for name in people if groups[name] == group]
        world |= {name: (people[name][0], people[other][1]) for name, other in zip(names, names[::-1], strict=True)}
    return world


def test_groups_of_similar_minimal_signatures_would_drift_apart():
    """The grouping that the source allows: Bob and Cid share X, and go down to flu and to pneumonia with others."""
    rows = [
        [("Bob", "X"), ("Cid", "lung cancer")],
        [("Bob", "flu"), ("Ann", "lung cancer"), ("Eva", "pneumonia"), ("Cid", "lung cancer")],
    ]
    groups = [["1", "1"], ["1", "1", "2", "2"]]
    versions = [
        Version.of(
            pl.DataFrame({"name": [name for name, _ in row], "group": group, "value": [value for _, value in row]}),
            group="group",
            sensitive="value",
            person="name",
        )
        for row, group in zip(rows, groups, strict=True)
    ]
    (verdict,) = check_history(versions, [PROMISE], taxonomy=DISEASES)
    assert not verdict.holds


def test_without_a_rule_it_publishes_what_correlation_does():
    people = people_with(pneumonia=1, flu=2, strain=3, aids=1, hepatitis=1, prostate_cancer=2, lung_cancer=2)
    publisher = Publisher(PROMISE)
    snapshot = publisher.snapshot(people)
    other = Correlation().publication(snapshot, Past.none(1, 8), [PROMISE], np.random.default_rng(3))
    found = publisher.publish(people, 3)
    assert found.published.tolist() == other.published.tolist()
    assert found.group.tolist() == other.group.tolist()


def test_few_records_that_left_are_no_evidence():
    people = people_with(flu=6, pneumonia=6, prostate_cancer=12)
    fewer = {name: one for name, one in people.items() if name not in ("f0", "f1", "f2")}
    shown = {}
    for evidence in (3, 4):
        publisher = Publisher(PROMISE, evidence=evidence, on_ineligible="counterfeits", probabilities={})
        for one in (people, fewer, fewer):
            publisher.publish(one)
        shown[evidence] = set(publisher.versions[-1].records["value"].to_list())
    assert shown == {3: {"X", "pneumonia", "prostate cancer"}, 4: {"flu", "pneumonia", "prostate cancer"}}


def test_chances_are_not_told_in_a_release_and_keep_their_exactness():
    method = FrequencyAware(probabilities={"flu": 0.1, "X": "1/3"}, c=0.5)
    assert method.probabilities == {"flu": Fraction(1, 10), "X": Fraction(1, 3)}
    assert method.spec == "frequency-aware:c=1/2"
    assert FrequencyAware(**method.model_dump(mode="json")) == method


@pytest.mark.parametrize("wrong", [{"c": 1}, {"c": -1}, {"f": 2}, {"v": "x"}, {"probabilities": {"flu": 2}}])
def test_shares_outside_of_their_range_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        FrequencyAware(**wrong)


def test_numbers_have_no_more_general_values():
    promise = EMCorrelation(e=20, m=2, low=0, high=100)
    with pytest.raises(UsageError, match=r"is about numbers; take the algorithm 'correlation'"):
        Publisher(promise).publish(people_with(flu=1, aids=1))


def test_another_promise_is_refused():
    with pytest.raises(UsageError, match=r"frequency-aware keeps em-correlation, .*and m-invariance:m=2"):
        Publisher(MInvariance(m=2)).publish(people_with(flu=1, aids=1))


def test_a_version_without_records_is_no_groups():
    assert Publisher(PROMISE).publish({}).groups == 0


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ({**PARENTS, "flu": "Y"}, r"records with 'flu' are bound to more general values that are not above it"),
        ({**PARENTS, "aids": "X", "hepatitis": "X"}, r"bound to 'X', below which values may meet in the hierarchy"),
    ],
)
def test_a_hierarchy_that_changed_below_a_general_value_is_refused(parents, message):
    publisher = Publisher(PROMISE, probabilities=ALWAYS)
    people = {"Ann": (1, "flu"), "Bob": (2, "lung cancer")}
    publisher.publish(people)
    other = Hierarchy.from_rows([[leaf, node, node, "Any"] for leaf, node in parents.items()])
    now = publisher.snapshot(people)
    changed = Snapshot(now.attributes, now.hierarchies, now.codes, "disease", other, now.values, now.signature)
    labels = [label for labels in other.labels for label in labels]
    bound = Signatures.of([[labels.index("X"), other.code_of["lung cancer"]]])
    past = publisher.past(people)
    past = Past(
        bound, past.absent_codes, past.absent_values, past.absent_signature, past.turnover, Shown.exactly(bound)
    )
    with pytest.raises(DataError, match=message):
        FrequencyAware(probabilities=ALWAYS).publication(changed, past, [PROMISE], np.random.default_rng(0))


def test_the_same_seed_gives_the_same_release():
    people = people_with(flu=4, pneumonia=2, aids=3, lung_cancer=4)
    one, other = (Publisher(PROMISE, probabilities=ALWAYS).publish(people, 7) for _ in range(2))
    assert one.group.tolist() == other.group.tolist()
    assert {LABELS[node] for node in one.published} == {"X", "pneumonia", "aids", "lung cancer"}
