"""Releases of values that are not closely related: the worked example, and what holds for any sequence of versions."""

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from algorithms.histories.diseases import DISEASES, PARENTS
from krypsis.algorithms.histories.base import LEFT_OUT, NEW, Past, Snapshot, Turnover
from krypsis.algorithms.histories.correlation import Correlation
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.checker import check_history
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import DataError, Infeasible, UsageError
from krypsis.io.history import Version
from krypsis.models.em_correlation import EMCorrelation
from krypsis.models.m_invariance import MInvariance
from oracles.correlation import Tree, families
from oracles.histories import least_rest

AGES = Hierarchy.from_rows([[str(age), "*"] for age in range(20)])
CODES = DISEASES.code_of
NAMES = np.array(DISEASES.values, dtype=object)
ways = pytest.mark.parametrize("way", ["sub-trees", "whole", "anatomize"])


class Publisher:
    """Publishes versions one after the other and remembers what the next one needs, in plain dictionaries."""

    def __init__(self, promise, **options):
        self.promise, self.method = promise, Correlation(**options)
        self.bound, self.last, self.signatures, self.versions = {}, {}, Signatures.none(), []

    def past(self, people):
        absent = [name for name in self.bound if name not in people]
        codes = np.array([[self.last[name][0]] for name in absent], dtype=np.int32).reshape(-1, 1)
        values = np.array([CODES[self.last[name][1]] for name in absent], dtype=np.int64)
        numbers = np.array([self.bound[name] for name in absent], dtype=np.int64)
        return Past(self.signatures, codes, values, numbers, Turnover.none(len(CODES)))

    def snapshot(self, people):
        codes = np.array([[age] for age, _ in people.values()], dtype=np.int32).reshape(-1, 1)
        values = np.array([CODES[value] for _, value in people.values()], dtype=np.int64)
        numbers = np.array([self.bound.get(name, NEW) for name in people], dtype=np.int64)
        return Snapshot(("age",), (AGES,), codes, "disease", DISEASES, values, numbers)

    def publish(self, people, seed=0):
        snapshot = self.snapshot(people)
        found = self.method.publication(snapshot, self.past(people), [self.promise], np.random.default_rng(seed))
        for name, group in zip(people, found.group.tolist(), strict=True):
            if group != LEFT_OUT:
                self.bound[name], self.last[name] = int(found.signature[group]), people[name]
        self.signatures = found.signatures
        if found.groups:
            self.versions.append(self.version(people, found))
        return found

    def version(self, people, found):
        rows = [
            (name, str(group), people[name][1])
            for name, group in zip(people, found.group.tolist(), strict=True)
            if group != LEFT_OUT
        ]
        false = zip(found.counterfeits.group.tolist(), found.counterfeits.published.tolist(), strict=True)
        rows += [(None, str(group), NAMES[node]) for group, node in false]
        table = pl.DataFrame(rows, schema=dict.fromkeys(["name", "group", "value"], pl.String), orient="row")
        return Version.of(table, group="group", sensitive="value", person="name")


def first_version(**counts):
    """People with so many of each disease, underscores for blanks, each of another age."""
    values = [name.replace("_", " ") for name, count in counts.items() for _ in range(count)]
    return {f"p{number}": (number % len(AGES.values), value) for number, value in enumerate(values)}


FIGURE_3_7 = {"pneumonia": 1, "flu": 2, "strain": 3, "aids": 1, "hepatitis": 1}
CANCERS = {"prostate_cancer": 2, "lung_cancer": 1, "bladder_cancer": 1}


@pytest.mark.parametrize("way", ["sub-trees", "whole"])
@pytest.mark.parametrize("seed", range(5))
def test_the_worked_example_has_the_pairs_of_its_figure(way, seed):
    """S10.20, figure 3.8 (erratum 39): four pairs of X and cancer, two of X and Y; no part stands by itself."""
    people = first_version(**FIGURE_3_7, **CANCERS)
    publisher = Publisher(EMCorrelation(e="8/5", m=2), assignment=way)
    found = publisher.publish(people, seed)
    pairs = Counter(
        frozenset(PARENTS[value] for value in values["value"])
        for values in publisher.versions[0].records.partition_by("group")
    )
    assert pairs == {frozenset({"X", "Cancer"}): 4, frozenset({"X", "Y"}): 2}
    assert not len(found.counterfeits)


def test_sub_trees_keep_related_values_together_where_they_can():
    people = first_version(pneumonia=2, flu=2, aids=2, hepatitis=2, lung_cancer=2, bladder_cancer=2)
    publisher = Publisher(EMCorrelation(e=4, m=2), assignment="sub-trees")
    publisher.publish(people)
    for values in publisher.versions[0].records.partition_by("group"):
        assert len({PARENTS[value] for value in values["value"]}) == 1


ages = st.integers(0, 19)
diseases = st.sampled_from(DISEASES.values)


@st.composite
def stories(draw, max_versions=4):
    """Versions of a table: some leave, some come, some come back; nobody's disease changes."""
    everybody = {f"p{number}": (draw(ages), draw(diseases)) for number in range(draw(st.integers(4, 24)))}
    versions = []
    for _ in range(draw(st.integers(1, max_versions))):
        here = draw(st.sets(st.sampled_from(sorted(everybody)), min_size=1))
        versions.append({name: everybody[name] for name in sorted(here)})
    return versions


bounds = st.sampled_from([Fraction(1), Fraction(8, 5), Fraction(8, 3), Fraction(4)])


@ways
@given(
    story=stories(),
    e=bounds,
    m=st.integers(2, 3),
    seed=st.integers(0, 9),
    choice=st.sampled_from(["defer", "counterfeits"]),
)
def test_the_checker_accepts_every_sequence_and_nothing_is_lost(way, story, e, m, seed, choice):
    assume(len(families(Tree(DISEASES), e)) >= m)
    publisher = Publisher(EMCorrelation(e=e, m=m), assignment=way, on_ineligible=choice)
    for people in story:
        found = publisher.publish(people, seed)
        assert choice == "defer" or not len(found.deferred)
    promises = [publisher.promise, MInvariance(m=m)]  # values are published as they are: it is m-invariant, too
    if publisher.versions:
        assert all(verdict.holds for verdict in check_history(publisher.versions, promises, taxonomy=DISEASES))


@given(story=stories(max_versions=2), m=st.integers(2, 3))
def test_counterfeits_are_as_few_as_possible(story, m):
    """The oracle of S13.8 at the level of families."""
    e = Fraction(8, 5)
    publisher = Publisher(EMCorrelation(e=e, m=m), on_ineligible="defer")
    for people in story[:-1]:
        publisher.publish(people)
    people = story[-1]
    holes = holes_in(publisher, people)
    new = Counter(value for name, (_, value) in people.items() if name not in publisher.bound)
    kinds = [sorted(family) for family in families(Tree(DISEASES), e)]
    counts = [sum(new[value] for value in kind) for kind in kinds]
    fillable = [sum(min(new[value], holes[value]) for value in kind) for kind in kinds]
    expected = least_rest(counts, fillable, m)
    strict = Correlation().publication
    arguments = publisher.snapshot(people), publisher.past(people), [publisher.promise], np.random.default_rng(1)
    if expected is None:
        with pytest.raises(Infeasible, match="too many for groups of"):
            strict(*arguments)
    else:
        assert len(strict(*arguments).counterfeits) == sum(holes.values()) - (sum(counts) - expected)


def holes_in(publisher, people):
    """How many records of each value the old signatures lack, counted one by one."""
    holes = Counter()
    for number in range(len(publisher.signatures)):
        values = [NAMES[node] for node in publisher.signatures.members(number)]
        present = Counter(
            people[name][1] for name, bound in publisher.bound.items() if bound == number and name in people
        )
        highest = max(present.values(), default=0)
        holes.update({value: highest - present[value] for value in values})
    return holes


def test_a_family_that_is_too_frequent_is_named():
    people = first_version(pneumonia=2, flu=2, strain=2, aids=1)
    with pytest.raises(Infeasible, match=r"6 of 7 new records have 'X' or a value below it as disease, too many"):
        Publisher(EMCorrelation(e="8/5", m=2)).publish(people)


def test_more_families_than_there_are_cannot_be_promised():
    people = first_version(pneumonia=2, aids=2, lung_cancer=2)
    with pytest.raises(Infeasible, match=r"groups of 3 values .* only 2 families .* smaller m or a larger e"):
        Publisher(EMCorrelation(e=1, m=3)).publish(people)


def test_a_hierarchy_that_changed_is_refused_if_it_brings_bound_values_together():
    publisher = Publisher(EMCorrelation(e="8/5", m=2))
    people = first_version(flu=1, lung_cancer=1)
    publisher.publish(people)
    snapshot = publisher.snapshot(people)
    near = {"flu": "lungs", "lung cancer": "lungs"}
    other = Hierarchy.from_rows([[value, near.get(value, value), "Any"] for value in DISEASES.values])
    changed = Snapshot(("age",), (AGES,), snapshot.codes, "disease", other, snapshot.values, snapshot.signature)
    with pytest.raises(DataError, match=r"bound to several values below 'lungs', which are too closely related"):
        Correlation().publication(changed, publisher.past(people), [publisher.promise], np.random.default_rng(0))


def test_a_version_without_records_is_no_groups():
    assert Publisher(EMCorrelation(e=2, m=2)).publish({}).groups == 0


def test_another_promise_is_refused():
    snapshot = Publisher(EMCorrelation(e=2, m=2)).snapshot({"Ann": (3, "flu")})
    with pytest.raises(UsageError, match=r"correlation keeps em-correlation, .*and m-invariance:m=2 is something else"):
        Correlation().publication(snapshot, Past.none(1, 8), [MInvariance(m=2)], np.random.default_rng(0))


@ways
def test_the_same_seed_gives_the_same_release(way):
    people = first_version(**FIGURE_3_7, **CANCERS)
    one, other = (Publisher(EMCorrelation(e="8/5", m=2), assignment=way).publish(people, 7) for _ in range(2))
    assert one.group.tolist() == other.group.tolist()
