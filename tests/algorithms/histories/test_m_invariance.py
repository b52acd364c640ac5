"""m-invariant releases: the worked examples of the sources, and what holds for any version."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.histories.versions import (
    FIGURE_1_3,
    FIGURE_1_4,
    FIGURE_2_18,
    FIGURE_2_19,
    FIGURE_2_22,
    FIGURE_2_23,
    groups_of,
    looks_of,
    second_version,
)
from krypsis.algorithms.histories.base import LEFT_OUT, NEW, Past, Snapshot, Turnover
from krypsis.algorithms.histories.m_invariance import MInvariant
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import Infeasible, UsageError
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.m_invariance import MInvariance
from oracles.histories import least_rest

SEEDS = range(10)
seeds = pytest.mark.parametrize("seed", SEEDS)


def published(snapshot, past, m=2, seed=0, **options):
    return MInvariant(**options).publication(snapshot, past, [MInvariance(m=m)], np.random.default_rng(seed))


@seeds
def test_the_running_example_becomes_the_six_groups_of_its_figure(seed):
    """S10.16, figure 2.20 (Emily with flu, erratum 34), and table 5.16 of the relational thesis under other names."""
    now, snapshot, past = second_version(FIGURE_2_18, FIGURE_2_19)
    found = published(snapshot, past, seed=seed)
    assert groups_of(now, snapshot, found) == {
        frozenset({"Bob", "(bronchitis)"}),
        frozenset({"David", "Emily"}),
        frozenset({"Jane", "(flu)", "Linda"}),
        frozenset({"Gary", "Mary"}),
        frozenset({"Ray", "Steve"}),
        frozenset({"Tom", "Vince"}),
    }
    assert looks_of(snapshot, found) == {("22", "14000", "bronchitis"), ("40", "35000", "flu")}  # Alice and Ken
    assert not len(found.deferred)
    assert len(found.signatures) == len(past.signatures)


@seeds
def test_who_left_survives_as_a_counterfeit_where_nobody_takes_the_place(seed):
    """S10.5, figure 1.5: the deleted third record is replaced, two others become counterfeits (erratum 31)."""
    now, snapshot, past = second_version(FIGURE_1_3, FIGURE_1_4)
    found = published(snapshot, past, seed=seed)
    assert groups_of(now, snapshot, found) == {
        frozenset({"Ahmed", "(Lung Cancer)"}),
        frozenset({"40/Male", "27/Male"}),
        frozenset({"27/Female", "(Hepatitis)"}),
        frozenset({"31/Male", "16/Female"}),
    }
    assert looks_of(snapshot, found) == {
        ("28", "Male", "53711", "Lung Cancer"),
        ("25", "Female", "53772", "Hepatitis"),
    }


@seeds
def test_an_instance_on_which_the_printed_balancing_fails_needs_no_counterfeit(seed):
    """S10.17 (erratum 15): the groups with the smallest perimeter, which have the signatures of figure 2.23."""
    now, snapshot, past = second_version(FIGURE_2_22, FIGURE_2_23)
    found = published(snapshot, past, seed=seed)
    assert groups_of(now, snapshot, found) == {
        frozenset({"Bob", "John"}),
        frozenset({"Andy", "Gary"}),
        frozenset({"George", "Sam"}),
    }


AGE = Hierarchy.from_rows([[str(age), "*"] for age in range(10)])


@st.composite
def situations(draw):
    """A snapshot with signatures of earlier versions, some of whose people left."""
    values = draw(st.integers(2, 5))
    disease = Hierarchy.from_rows([[f"d{value}", "*"] for value in range(values)])
    sets = draw(st.lists(st.frozensets(st.integers(0, values - 1), min_size=2), unique=True, max_size=3))
    bound = [(number, value) for number, one in enumerate(sets) for value in sorted(one)]
    entry = st.sampled_from(bound) if bound else st.nothing()
    old = draw(st.lists(entry, max_size=8)) if bound else []
    gone = draw(st.lists(entry, max_size=4)) if bound else []
    new = [(NEW, value) for value in draw(st.lists(st.integers(0, values - 1), max_size=8))]
    rows = draw(st.permutations([*old, *new])) or [(NEW, 0)]
    number, value = np.array(rows, dtype=np.int64).T
    ages = draw(st.lists(st.integers(0, 9), min_size=len(rows) + len(gone), max_size=len(rows) + len(gone)))
    codes = np.array(ages, dtype=np.int32).reshape(-1, 1)
    snapshot = Snapshot(("age",), (AGE,), codes[: len(rows)], "disease", disease, value, number)
    gone_number, gone_value = np.array(gone, dtype=np.int64).reshape(-1, 2).T
    past = Past(Signatures.of(sets), codes[len(rows) :], gone_value, gone_number, Turnover.none(values))
    return snapshot, past


@given(situation=situations(), option=st.sampled_from(["defer", "counterfeits"]), seed=st.integers(0, 5))
def test_everybody_is_in_a_group_of_the_old_signature_and_no_value_stands_twice(situation, option, seed):
    snapshot, past = situation
    found = published(snapshot, past, seed=seed, on_ineligible=option)
    assert len(found.signatures) >= len(past.signatures)
    waiting = found.group == LEFT_OUT
    assert (snapshot.signature[waiting] == NEW).all(), "only new records wait"
    if option == "counterfeits":
        assert not waiting.any()
    real_groups = set(found.group[~waiting].tolist())
    assert real_groups == set(range(found.groups)), "every group has a real record"
    for group in range(found.groups):
        inside = found.group == group
        nodes = [*snapshot.values[inside].tolist()]
        nodes += found.counterfeits.published[found.counterfeits.group == group].tolist()
        bound = found.signatures.members(int(found.signature[group])).tolist()
        assert sorted(nodes) == bound
        assert len(bound) >= 2
        numbers = snapshot.signature[inside]
        assert set(numbers[numbers != NEW].tolist()) <= {int(found.signature[group])}


def holes_by_value(snapshot, past):
    """How many records of each value the old signatures lack, counted one by one."""
    holes = [0] * len(snapshot.taxonomy.values)
    for number in range(len(past.signatures)):
        inside = snapshot.values[snapshot.signature == number].tolist()
        members = past.signatures.members(number).tolist()
        fullest = max(inside.count(value) for value in members)
        for value in members:
            holes[value] += fullest - inside.count(value)
    return holes


@given(situation=situations(), seed=st.integers(0, 5))
def test_there_are_as_few_counterfeits_as_possible_and_a_refusal_only_where_nothing_helps(situation, seed):
    snapshot, past = situation
    counts = np.bincount(snapshot.values[snapshot.signature == NEW], minlength=len(snapshot.taxonomy.values)).tolist()
    holes = holes_by_value(snapshot, past)
    rest = least_rest(counts, [min(pair) for pair in zip(counts, holes, strict=True)], 2)
    if rest is None:
        with pytest.raises(Infeasible, match="too many for groups of 2"):
            published(snapshot, past, seed=seed)
        return
    found = published(snapshot, past, seed=seed)
    assert len(found.counterfeits) == sum(holes) - (sum(counts) - rest)


def test_a_value_that_is_too_frequent_is_named():
    disease = Hierarchy.from_rows([["flu", "*"], ["cough", "*"]])
    new = np.full(3, NEW)
    snapshot = Snapshot(("age",), (AGE,), np.zeros((3, 1), np.int32), "disease", disease, np.array([0, 0, 1]), new)
    with pytest.raises(Infeasible, match="2 of 3 new records have 'flu' as disease, too many for groups of 2"):
        published(snapshot, Past.none(1, 2))
    deferring = published(snapshot, Past.none(1, 2), on_ineligible="defer")
    assert snapshot.values[deferring.deferred].tolist() == [0]
    filled = published(snapshot, Past.none(1, 2), on_ineligible="counterfeits")
    assert filled.counterfeits.published.tolist() == [1]


def test_more_values_than_there_are_cannot_be_promised():
    disease = Hierarchy.from_rows([["flu", "*"], ["cough", "*"]])
    new = np.full(2, NEW)
    snapshot = Snapshot(("age",), (AGE,), np.zeros((2, 1), np.int32), "disease", disease, np.array([0, 1]), new)
    with pytest.raises(Infeasible, match="groups of 3 different values are wanted, and 'disease' has only 2"):
        published(snapshot, Past.none(1, 2), m=3, on_ineligible="counterfeits")


def test_other_promises_are_refused():
    _, snapshot, past = second_version(FIGURE_2_18, FIGURE_2_19)
    with pytest.raises(UsageError, match="publish=anatomy publishes the quasi-identifiers exactly"):
        MInvariant().publication(snapshot, past, [KAnonymity(k=2)], np.random.default_rng(1))
    with pytest.raises(UsageError, match="no promise about the sensitive values is given"):
        MInvariant().publication(snapshot, past, [], np.random.default_rng(1))


def test_the_strictest_promise_counts():
    _, snapshot, past = second_version(FIGURE_2_18, FIGURE_2_19)
    first = Snapshot(**{**vars(snapshot), "signature": np.full(len(snapshot), NEW)})
    nothing = Past.none(2, len(snapshot.taxonomy.values))
    models = [MInvariance(m=2), MInvariance(m=3)]
    with pytest.raises(Infeasible):  # 5 of 11 have gastritis
        MInvariant().publication(first, nothing, models, np.random.default_rng(1))
    found = MInvariant(on_ineligible="defer").publication(first, nothing, models, np.random.default_rng(1))
    assert found.signatures.sizes.min() >= 3
    assert past.signatures.sizes.min() == 2
