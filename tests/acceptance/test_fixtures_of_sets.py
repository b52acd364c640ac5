"""Every worked example about sets of items has a golden test: a list of them, and those that stand nowhere else."""

import re
from pathlib import Path

import numpy as np
import pytest

from krypsis.checker.chunk_audit import room_of_clusters
from krypsis.checker.transactions import RankedSets, check_transactions
from krypsis.data.hierarchies import resolve
from krypsis.data.mining import top_itemsets
from krypsis.data.transactions import Transactions, reconstruct
from krypsis.kinds.sets.profile import fewest_to_identify
from krypsis.metrics.transactions.relative_error import relative_errors
from krypsis.models.km_anonymity import KmAnonymity
from metrics.transactions.figures import FIGURE_3_2B, FIGURE_4_6, PATIENTS, SEARCHES

TESTS = Path(__file__).parents[1]
HERE = "acceptance/test_fixtures_of_sets.py"
FIGURES = "algorithms/sets/test_disassociation_figures.py"
AUDIT = "checker/test_disassociation.py"
METRICS = "metrics/transactions/test_disassociated.py"
CHECKED = {
    "9.1 inference channel": f"{HERE}::test_a_rule_that_almost_always_holds_tells_of_the_one_record_where_it_does_not",
    "9.3 searches": f"{HERE}::test_figure_3_2a_one_search_log_is_found_by_two_of_its_terms",
    "9.3 horizontal partitions": f"{FIGURES}::test_searches_are_split_by_the_most_frequent_term",
    "9.4 figure 3.2b": f"{FIGURES}::test_figure_3_2_the_clusters_are_cut_into_chunks",
    "9.4 lemma 3.2": f"{HERE}::test_figure_3_2b_has_just_pieces_enough",
    "9.4 a record that is not there": f"{HERE}::test_figure_3_2b_also_fits_a_record_that_nobody_has",
    "9.5 figure 3.3": f"{FIGURES}::test_figure_3_3_the_clusters_are_joined_over_ikea_and_ruby",
    "9.6 example 3.4.1": f"{AUDIT}::"
    "test_example_341_is_refused_because_two_records_would_be_empty_and_the_repair_mends_it",
    "9.6 repair": f"{FIGURES}::test_example_3_4_1_is_repaired_by_moving_the_rarest_item_to_the_term_chunk",
    "9.7 figure 3.5": f"{AUDIT}::test_figure_35_unsafe_shared_chunk_is_refused_and_the_safe_one_kept",
    "9.8 audit": f"{AUDIT}::test_counterexample_98_property_31_is_not_enough_and_separate_chunks_are",
    "9.8 method": f"{FIGURES}::test_items_in_conflict_get_shared_chunks_of_their_own",
    "9.9 audit": f"{AUDIT}::test_counterexample_99_a_term_chunk_emptied_by_a_join_breaks_the_promise",
    "9.9 method": f"{FIGURES}::test_a_needed_term_chunk_keeps_its_last_item",
    "9.9 natural instance": f"{AUDIT}::test_the_natural_instance_of_99_breaks_the_pairs_that_the_specification_names",
    "9.9 natural instance, method": f"{FIGURES}::"
    "test_a_needed_term_chunk_keeps_its_last_item_in_an_instance_found_by_chance",
    "9.10 exact audit": f"{AUDIT}::test_what_the_conditions_accept_the_exact_audit_accepts",
    "9.12 certain pairs": f"{METRICS}::test_the_certain_pairs_of_the_figures",
    "9.12 expected pairs": f"{HERE}::test_the_error_of_the_expected_number_of_records",
    "9.12 lost terms": f"{METRICS}::test_frequent_items_that_are_only_listed",
    "9.13 generalized records": f"{HERE}::test_a_generalized_record_stands_for_ten_thousand",
    "9.14 patients": f"{HERE}::test_figure_4_1_the_more_codes_are_known_the_fewer_patients_share_them",
    "9.15 constraints": f"{METRICS}::test_records_that_match_the_constraints_of_the_patients",
    "9.16 horizontal partitions": f"{FIGURES}::test_patients_are_split_by_codes_of_the_same_constraint",
    "9.17 figure 4.5": f"{FIGURES}::test_figure_4_5_a_code_leaves_a_chunk_that_lacks_the_rest_of_its_constraint",
    "9.17 without constraints": f"{FIGURES}::test_figure_4_5_without_constraints_the_code_stays",
    "9.18 figure 4.6": f"{FIGURES}::test_figure_4_6_the_clusters_are_joined_over_dislocation_and_burn",
    "9.18 remark": f"{HERE}::test_figure_4_6_a_shared_pair_is_told_as_often_as_one_of_a_record_chunk",
    "9.19 match errors": f"{METRICS}::test_records_that_match_the_constraints_of_the_patients",
    "11 random audit": "checker/test_disassociation_audit.py::"
    "test_the_exact_audit_finds_nothing_broken_in_what_the_hardened_variant_publishes",
    "CAHD 7.4 groups": "algorithms/sets/test_cahd.py::test_the_baskets_of_the_paper_get_degree_two",
    "CAHD 7.4 printed": "algorithms/sets/test_cahd.py::test_the_grouping_printed_in_the_paper_is_accepted",
    "CAHD 7.3 remaining": "algorithms/sets/test_cahd.py::"
    "test_the_printed_comparison_leaves_a_group_that_breaks_the_promise_and_ours_does_not",
    "8.6 baskets": "models/test_km_anonymity.py::test_the_thesis_table_breaks_the_promise_in_two_pairs_and_names_both",
    "8.6 published": "acceptance/test_algorithms_and_advisor.py::"
    "test_c37_apriori_finds_the_baskets_of_the_thesis_that_are_2_2_anonymous",
}
"""Worked example → the test of what is printed about it. 9.2, 9.11 and 9.20 are figures about data, not examples."""


@pytest.mark.parametrize("place", CHECKED.values(), ids=CHECKED)
def test_every_example_has_its_test(place):
    path, name = place.split("::")
    assert re.search(rf"^def {name}\(", (TESTS / path).read_text("utf-8"), re.MULTILINE)


def counted(sets, size):
    """The number of different combinations of some size, and of those that a single record holds."""
    found = [counts for _, counts in RankedSets.of(sets).counted(size)]
    return sum(map(len, found)), sum(int((counts == 1).sum()) for counts in found)


def test_a_rule_that_almost_always_holds_tells_of_the_one_record_where_it_does_not():
    known, learned = ["a1", "a2", "a3"], "a4"
    sets = Transactions.of_sets([[*known, learned]] * 80 + [known])
    mined = top_itemsets(sets, 15)
    supports = dict(zip(mined.sets.sets(), mined.supports.tolist(), strict=True))
    with_it, without = supports[frozenset([*known, learned])], supports[frozenset(known)]
    assert (with_it, round(with_it / without, 3), without - with_it) == (80, 0.988, 1)
    assert round(80 / 0.987) == without  # as the printed confidence, cut off after three digits, tells
    # Who is known not to hold an item is no part of the promise, and the documentation says so.
    assert all(verdict.holds for verdict in check_transactions(sets, [KmAnonymity(k=5, m=4)]))


def test_figure_3_2a_one_search_log_is_found_by_two_of_its_terms():
    assert [record + 1 for record, one in enumerate(SEARCHES.sets()) if {"madonna", "viagra"} <= one] == [2]
    supports = dict(zip(SEARCHES.items, SEARCHES.supports.tolist(), strict=True))
    frequent = ("flu", "itunes", "ikea", "ruby", "digital camera", "iphone sdk")
    assert supports == {
        "madonna": 8,
        **dict.fromkeys(frequent, 4),
        **dict.fromkeys(("audi a4", "sony tv"), 3),
        **dict.fromkeys(("viagra", "panic disorder", "playboy"), 2),
    }
    assert counted(SEARCHES, 2) == (41, 17)
    assert fewest_to_identify(SEARCHES)[0][1] == 2


def test_figure_3_2b_has_just_pieces_enough():
    pieces = np.diff(FIGURE_3_2B.chunk_starts)
    assert [int(pieces[FIGURE_3_2B.chunk_nodes == cluster].sum()) for cluster in (0, 1)] == [8, 5]
    # 8 >= 5 + k (2 - 1) for k = 3 and no larger k; one chunk asks for no more than its five pieces. Both hold without
    # the term chunks, which would be enough by themselves.
    bare = type(FIGURE_3_2B)(
        FIGURE_3_2B.pieces,
        FIGURE_3_2B.chunk_starts,
        FIGURE_3_2B.chunk_nodes,
        FIGURE_3_2B.sizes,
        FIGURE_3_2B.parents,
        Transactions.of_pairs(np.array([], np.int64), np.array([], np.int64), FIGURE_3_2B.items, 2),
    )
    room = room_of_clusters(bare, 2).tolist()
    assert (room[0], room[1] >= 3) == (3, True)


def test_figure_3_2b_also_fits_a_record_that_nobody_has():
    record = frozenset({"itunes", "madonna", "viagra", "ruby"})
    assert record not in SEARCHES.sets()
    rng = np.random.default_rng(1)
    assert any(record in reconstruct(FIGURE_3_2B, rng).sets() for _ in range(1000))


def test_the_error_of_the_expected_number_of_records():
    assert relative_errors(np.array([3.0]), np.array([2.4])) == pytest.approx([0.2222], abs=5e-5)


def test_a_generalized_record_stands_for_ten_thousand():
    ages = resolve({"kind": "masking", "side": "right"}, [str(age) for age in range(20, 50)], "age")
    codes = resolve({"kind": "masking", "side": "right"}, [f"1{code:04}" for code in range(10_000)], "zip")
    of_39 = (ages.table[1] == ages.table[1][ages.values.index("39")]).sum()
    of_14122 = (codes.table[3] == codes.table[3][codes.values.index("14122")]).sum()
    assert of_39 * of_14122 == 10_000


def test_figure_4_1_the_more_codes_are_known_the_fewer_patients_share_them():
    assert [record + 1 for record, one in enumerate(PATIENTS.sets()) if {"296.01", "834.0"} <= one] == [1]
    found = [counted(PATIENTS, size) for size in (1, 2, 3, 4, 5)]
    assert found == [(13, 0), (43, 14), (63, 40), (50, 42), (24, 23)]


def test_figure_4_6_a_shared_pair_is_told_as_often_as_one_of_a_record_chunk():
    told = FIGURE_4_6.pieces.sets()
    pairs = ({"834.0", "944.01"}, {"294.10", "296.03"})
    assert [sum(pair <= piece for piece in told) for pair in pairs] == [3, 3]
