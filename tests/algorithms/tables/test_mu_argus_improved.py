"""Improved μ-Argus always ends with k-anonymity."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.tables.argus_reference import COUNTEREXAMPLE, SlowArgus, people, records
from krypsis import registry
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.mu_argus.mu_argus import ImprovedMuArgus, MuArgus
from krypsis.data.recoding import FrequencySet
from krypsis.data.schemes import Recoded, is_cell
from krypsis.errors import Infeasible, UsageError
from krypsis.models.k_anonymity import KAnonymity
from krypsis.progress import Progress
from strategies import frequency_sets

LOSS = registry.create("metric", "loss")

tolerances = st.sampled_from([0.0, 0.1, 0.5, 1.0])


def test_the_improved_variant_makes_the_sixteen_rows_2_anonymous():
    """C33."""
    recoding = ImprovedMuArgus().search(COUNTEREXAMPLE, [KAnonymity(k=2)], LOSS, Limits())
    sizes = Counter(records(recoding, COUNTEREXAMPLE))
    assert sum(sizes.values()) >= 15
    assert min(sizes.values()) >= 2


@given(frequency_sets(sensitive=0), st.integers(1, 4), tolerances)
def test_it_does_what_its_steps_do_on_plain_rows(frequency, k, tolerance):
    rows = SlowArgus(frequency, k, lambda _: True, count_blanks=True).rows(tolerance)
    found = records(ImprovedMuArgus(tolerance=tolerance).recode(frequency, k), frequency)
    if min(Counter(rows).values()) >= k:  # else something is left to be done by the guard
        assert found == rows


@given(frequency_sets(sensitive=0), st.integers(1, 4), tolerances, st.data())
def test_the_improved_variant_is_always_k_anonymous_and_suppresses_fewer_than_k_records(frequency, k, tolerance, data):
    highest = tuple(data.draw(st.integers(0, height)) for height in frequency.heights)
    recoding = ImprovedMuArgus(tolerance=tolerance).recode(frequency, k, Limits(highest=highest))
    rows = records(recoding, frequency)
    assert all(size >= k for size in Counter(rows).values())
    assert frequency.rows - len(rows) < k
    assert is_cell(Recoded.of_recoding(recoding, frequency))


@given(frequency_sets(sensitive=0), st.integers(1, 4), st.data())
def test_the_improved_variant_keeps_its_promise_on_every_quasi_identifier_set(frequency, k, data):
    positions = range(len(frequency.attributes))
    members = st.lists(st.sampled_from(positions), min_size=1, unique=True).map(sorted).map(tuple)
    sets = tuple(data.draw(st.lists(members, min_size=1, max_size=3, unique=True)))
    part = FrequencySet(frequency.attributes, frequency.hierarchies, frequency.codes, frequency.counts, sets=sets)
    rows = records(ImprovedMuArgus().recode(part, k), part)
    for known in sets:
        assert all(size >= k for size in Counter(tuple(row[a] for a in known) for row in rows).values())
    assert frequency.rows - len(rows) < k
    attempt = MuArgus().recode(part, k)
    rows = records(attempt.recoding, part)
    small = [any(Counter(tuple(r[a] for a in known) for r in rows)[tuple(row[a] for a in known)] < k for known in sets)
             for row in rows]  # fmt: skip
    assert attempt.undersized == sum(small)


@given(frequency_sets(sensitive=0), st.integers(1, 4), st.integers(0, 3))
def test_a_limit_for_suppressed_records_is_kept_or_the_number_is_told(frequency, k, allowed):
    needed = int(frequency.counts[ImprovedMuArgus().recode(frequency, k).suppressed].sum())
    if needed <= allowed and needed < frequency.rows:
        recoding = ImprovedMuArgus().search(frequency, [KAnonymity(k=k)], LOSS, Limits(allowed))
        assert frequency.counts[recoding.suppressed].sum() == needed
        return
    told = "no generalization" if needed == frequency.rows else f"suppress {needed} of {frequency.rows} records"
    with pytest.raises(Infeasible, match=told):
        ImprovedMuArgus().search(frequency, [KAnonymity(k=k)], LOSS, Limits(allowed))


def test_the_improved_variant_goes_on_because_a_suppressed_cell_matches_suppressed_cells_only():
    frequency = people(*["ax"] * 3, "bx", "cx", "dx", *["by"] * 2, *["cy"] * 2, *["dy"] * 2)
    recoding = ImprovedMuArgus(tolerance=1).recode(frequency, 2)
    assert Counter("".join(row) for row in records(recoding, frequency)) == {
        "ax": 3,
        "**": 3,
        "by": 2,
        "cy": 2,
        "dy": 2,
    }


def test_the_largest_of_several_k_counts():
    recoding = ImprovedMuArgus().search(COUNTEREXAMPLE, [KAnonymity(k=2), KAnonymity(k=5)], LOSS, Limits())
    assert min(Counter(records(recoding, COUNTEREXAMPLE)).values()) >= 5


def test_thirteen_attributes_are_too_many_for_every_combination():
    rows = ["a" * number + "b" * (13 - number) for number in range(14)]
    with pytest.raises(UsageError, match=r"13 of 13 .* 8,192 combinations.*'datafly'"):
        ImprovedMuArgus().recode(people(*rows), 1)


def test_attributes_that_tell_nobody_apart_do_not_count_as_too_many():
    recoding = ImprovedMuArgus().recode(people("ax" + "c" * 20, "ay" + "c" * 20), 1)
    assert len(records(recoding, people("ax" + "c" * 20, "ay" + "c" * 20))) == 2


class Stopped(Progress):
    def __init__(self) -> None:
        self.nodes = []

    def judged(self, node):
        self.nodes.append(node)

    def wants_stop(self):
        return True


def test_a_stopped_search_still_ends_k_anonymous_in_the_improved_variant():
    progress = Stopped()
    recoding = ImprovedMuArgus().search(COUNTEREXAMPLE, [KAnonymity(k=2)], LOSS, Limits(), progress)
    assert min(Counter(records(recoding, COUNTEREXAMPLE)).values()) >= 2
    assert [node.levels for node in progress.nodes] == [(0, 0, 0, 0)]


def test_kept_records_that_would_be_a_group_of_their_own_have_no_release():
    frequency = people(*["ax"] * 3, "by")
    with pytest.raises(Infeasible, match="a group of fewer than 2"):
        ImprovedMuArgus(tolerance=1).search(frequency, [KAnonymity(k=2)], LOSS, Limits(4, keep=True, highest=(0, 0)))
