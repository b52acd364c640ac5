"""μ-Argus takes the steps of its paper, and says so where they do not lead to k-anonymity."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from algorithms.tables.argus_reference import COUNTEREXAMPLE, SlowArgus, is_drawn_across, people, records
from krypsis import registry
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.mu_argus.mu_argus import MuArgus
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet, as_cells
from krypsis.data.schemes import Recoded, is_cell
from krypsis.errors import Infeasible, UsageError
from krypsis.models.k_anonymity import KAnonymity
from strategies import frequency_sets, tables

LOSS = registry.create("metric", "loss")

ranks = st.dictionaries(st.sampled_from(["q0", "q1", "q2", "q3"]), st.integers(0, 3))
tolerances = st.sampled_from([0.0, 0.1, 0.5, 1.0])


def test_sixteen_rows_that_only_four_attributes_tell_apart_are_not_noticed():
    """C32: no outliers, and not 2-anonymous."""
    attempt = MuArgus().recode(COUNTEREXAMPLE, 2)
    assert not attempt.k_anonymous
    assert attempt.undersized == 16
    assert attempt.recoding.figures == ({"levels": dict.fromkeys("abcd", 0), "outliers": 0, "share": 0.0},)
    assert len(set(records(attempt.recoding, COUNTEREXAMPLE))) == 16


def test_the_search_says_loudly_that_it_failed_and_which_algorithm_does_not():
    with pytest.raises(Infeasible, match="combinations of four or more are never tested") as caught:
        MuArgus().search(COUNTEREXAMPLE, [KAnonymity(k=2)], LOSS, Limits())
    assert "16 of 16 records" in str(caught.value)
    assert "'mu-argus-improved'" in str(caught.value)
    assert caught.value.closest == {"undersized": 16, "rows": 16, "algorithm": "mu-argus-improved"}


def looking_across(frequency: FrequencySet, given_ranks: dict[str, int]):
    rank_of = [given_ranks.get(name, 1) for name in frequency.attributes]
    return lambda chosen: is_drawn_across([rank_of[a] for a in chosen])


@given(frequency_sets(sensitive=0), st.integers(1, 4), ranks, tolerances)
def test_it_does_what_the_steps_of_the_paper_do_on_plain_rows(frequency, k, given_ranks, tolerance):
    known = {name: rank for name, rank in given_ranks.items() if name in frequency.attributes}
    slow = SlowArgus(frequency, k, looking_across(frequency, known), count_blanks=False)
    attempt = MuArgus(ranks=known, tolerance=tolerance).recode(frequency, k)
    rows = records(attempt.recoding, frequency)
    assert rows == slow.rows(tolerance)
    sizes = Counter(rows)
    assert attempt.k_anonymous == (min(sizes.values()) >= k)
    assert attempt.undersized == sum(size for size in sizes.values() if size < k)
    everything = list(range(len(frequency.attributes)))
    assert slow.outliers(rows, everything) == set()  # no tested combination is left rare


@given(frequency_sets(sensitive=0), st.integers(1, 4), ranks)
def test_the_first_round_starts_where_single_values_are_common_and_counts_the_outliers(frequency, k, given_ranks):
    known = {name: rank for name, rank in given_ranks.items() if name in frequency.attributes}
    first = MuArgus(ranks=known).recode(frequency, k).recoding.figures[0]
    slow = SlowArgus(frequency, k, looking_across(frequency, known), count_blanks=False)
    rows = slow.at(slow.common_levels())
    outliers = slow.outliers(rows)
    assert list(first["levels"].values()) == slow.common_levels()
    assert first["outliers"] == len(outliers)
    assert first["share"] == pytest.approx(slow.share(rows, outliers))


@given(frequency_sets(sensitive=0), st.integers(1, 4), tolerances)
def test_cells_are_published_at_the_level_of_their_attribute_or_suppressed(frequency, k, tolerance):
    """Attribute generalization with cell suppression: AG_CS."""
    attempt = MuArgus(tolerance=tolerance).recode(frequency, k)
    levels = [step["levels"] for step in attempt.recoding.figures if "levels" in step][-1]
    cells = as_cells(attempt.recoding, frequency)
    assert is_cell(Recoded.of_recoding(cells, frequency))
    for tuple_, row in zip(frequency.codes, cells.released, strict=True):
        for position, (hierarchy, name) in enumerate(zip(frequency.hierarchies, frequency.attributes, strict=True)):
            label = cells.codebooks[position].labels[row[position]]
            own = hierarchy.label(hierarchy.values[tuple_[position]], levels[name])
            assert label in (own, hierarchy.labels[-1][0])


def test_the_value_in_most_outliers_is_suppressed_in_the_records_that_hold_them_and_nowhere_else():
    # bx, cx and dx are rare, so x stands in three outliers and b, c, d in one each.
    frequency = people(*["ax"] * 3, "bx", "cx", "dx", *["by"] * 2, *["cy"] * 2, *["dy"] * 2)
    attempt = MuArgus(tolerance=1).recode(frequency, 2)
    expected = [*["ax"] * 3, "b*", "c*", "d*", *["by"] * 2, *["cy"] * 2, *["dy"] * 2]
    assert sorted("".join(row) for row in records(attempt.recoding, frequency)) == sorted(expected)
    assert attempt.recoding.figures[1] == {"suppress": "q1", "value": "x", "records": 3}
    assert not attempt.k_anonymous
    assert attempt.undersized == 3


def test_attributes_are_generalized_only_while_more_records_than_tolerated_hold_an_outlier():
    frequency = people(*["ax"] * 3, "bx", *["by"] * 6)
    assert "generalize" not in MuArgus(tolerance=0.1).recode(frequency, 2).recoding.figures[0]
    strict = MuArgus(tolerance=0.09).recode(frequency, 2).recoding
    assert strict.figures[0]["generalize"] == "q0"
    assert strict.levels == (1, 0)


def test_a_decider_takes_the_place_of_the_person_in_the_paper():
    situations = []

    def second_attribute_once(situation):
        situations.append(situation)
        return "q1" if situation.levels["q1"] == 0 else None

    attempt = MuArgus().recode(people("ax", "ay", "bx", "by"), 2, decide=second_attribute_once)
    assert attempt.recoding.levels == (0, 1)
    assert situations[0].outliers == {"q0": 4, "q1": 4}
    assert situations[0].share == 1
    assert [situation.free for situation in situations] == [("q0", "q1"), ("q0",)]


def test_a_decider_that_names_what_cannot_be_generalized_is_corrected():
    with pytest.raises(UsageError, match="'q7' cannot be generalized further; attributes that can: q0, q1"):
        MuArgus().recode(people("ax", "by"), 1, decide=lambda _: "q7")


def test_levels_start_at_the_lowest_allowed_and_stop_at_the_highest():
    tree = Hierarchy.from_rows([["1", "a", "x", "*"], ["2", "a", "x", "*"], ["3", "b", "x", "*"]])
    codes = np.array([[0], [1], [2]], dtype=np.int32)
    frequency = FrequencySet(("q",), (tree,), codes, np.array([2, 2, 2]))
    assert MuArgus().recode(frequency, 2, Limits(lowest=(1,))).recoding.levels == (1,)
    assert MuArgus().recode(frequency, 4, Limits(highest=(1,))).recoding.levels == (1,)
    assert not MuArgus().recode(frequency, 4, Limits(highest=(1,))).k_anonymous


@given(tables(max_rows=20), st.integers(1, 4), tolerances, st.sampled_from(["remove", "keep"]))
def test_every_release_is_accepted_by_the_checker_and_every_metric_is_in_its_range(table, k, tolerance, suppressed):
    roles = {name: "sensitive" if name.startswith("s") else "quasi-identifier" for name in table.columns}
    for name in ("mu-argus", "mu-argus-improved"):
        try:
            release = krypsis.anonymize(
                table,
                roles,
                models=f"k-anonymity:k={k}",
                algorithm=f"{name}:tolerance={tolerance}",
                suppressed=suppressed,
            )
        except Infeasible:
            assert name == "mu-argus" or suppressed == "keep" or table.height < k
            continue
        assert all(release.verdicts)
        for metric, value in release.metrics.items():
            kind, outcome = registry.create("metric", metric), release.evidence.outcome
            assert kind.best(outcome) - 1e-9 <= value <= kind.worst(outcome) + 1e-9, metric
