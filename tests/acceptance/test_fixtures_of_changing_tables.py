"""Every worked example about tables that change, and every oracle, has a test: a list, and those that were missing."""

import io
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import krypsis
from algorithms.histories.versions import FIGURE_2_18, FIGURE_2_19, second_version
from krypsis.algorithms.histories.balance import UNASSIGNED, BalanceDemand, Division, balance
from krypsis.attacks.family import FamilyAttack
from krypsis.attacks.history_attack import ReleaseSequence
from krypsis.attacks.homogeneity import BackgroundKnowledgeAttack, HomogeneityAttack
from krypsis.data.hierarchies import resolve
from krypsis.io.history import Version

TESTS = Path(__file__).parents[1]
HERE = "acceptance/test_fixtures_of_changing_tables.py"
METHODS = "algorithms/histories"
FIXTURES = {
    "S10.3 figure 1.3, family": "attacks/test_family.py::test_ahmeds_first_group_tells_that_it_is_cancer",
    "S10.4 figure 1.4, breach": "attacks/test_intersection.py::test_figure_1_4_gives_both_victims_away",
    "S10.4 figure 1.4, absence": "attacks/test_absence.py::test_naive_releases_give_away_who_had_the_value_that_went",
    "S10.5 figure 1.5, method": f"{METHODS}/test_m_invariance.py"
    "::test_who_left_survives_as_a_counterfeit_where_nobody_takes_the_place",
    "S10.5 figure 1.5, attack": "attacks/test_intersection.py::test_figure_1_5_gives_nobody_away",
    "S10.16 figures 2.18, 2.19, breach": "attacks/test_intersection.py::test_the_running_example_falls_in_a_cascade",
    "S10.16 figures 2.18, 2.19, check": "models/test_m_invariance.py"
    "::test_the_naive_second_release_breaks_the_promise_and_names_who_it_gives_away",
    "S10.16 erratum 34": "models/test_m_invariance.py"
    "::test_the_printed_release_with_a_value_twice_in_a_group_is_refused",
    "S10.16 figure 2.20": f"{METHODS}/test_m_invariance.py"
    "::test_the_running_example_becomes_the_six_groups_of_its_figure",
    "S10.16 figure 2.21": f"{HERE}::test_the_buckets_of_the_running_example_after_division_and_balancing",
    "S10.16 assignment": f"{METHODS}/test_assignment.py"
    "::test_of_the_running_example_one_bucket_of_flu_and_gastritis_is_made",
    "S10.16 split": f"{METHODS}/test_splitting.py"
    "::test_the_first_bucket_of_the_running_example_is_cut_by_age_at_the_cost_of_the_specification",
    "S10.17 figures 2.22, 2.23": f"{METHODS}/test_m_invariance.py"
    "::test_an_instance_on_which_the_printed_balancing_fails_needs_no_counterfeit",
    "S10.17 printed balancing": f"{METHODS}/test_balancing.py"
    "::test_what_the_printed_balancing_cannot_begin_with_is_balanced_without_counterfeits",
    "S10.18": f"{METHODS}/test_balancing.py"
    "::test_the_printed_balancing_wastes_counterfeits_where_two_moves_are_good_only_together",
    "S10.19 figures 3.1, 3.2": "papers/test_anatomy_of_a_generalized_table.py"
    "::test_the_generalized_table_becomes_the_two_tables_of_figure_3_1",
    "S10.19 Bob": "papers/test_anatomy_of_a_generalized_table.py"
    "::test_bob_has_cancer_for_certain_and_prostate_cancer_with_a_chance_of_one_half",
    "S10.20 figure 3.7": "models/test_em_correlation.py"
    "::test_the_ordinary_release_groups_values_that_are_too_closely_related",
    "S10.20 figure 3.8": "models/test_em_correlation.py::test_the_correlated_release_keeps_the_promise_exactly",
    "S10.20 correlations": "models/test_correlation.py::test_the_correlations_of_the_worked_example",
    "S10.20 families": f"{METHODS}/test_families.py::test_the_families_of_the_worked_example",
    "S10.20 pairs": f"{METHODS}/test_correlation.py::test_the_worked_example_has_the_pairs_of_its_figure",
    "S10.20 sub-trees": f"{METHODS}/test_subtrees.py::test_the_running_example_cannot_be_cut",
    "S10.20 penalties": f"{METHODS}/test_penalties.py"
    "::test_the_penalty_of_the_sensitive_attribute_of_the_worked_example",
    "S10.20 perimeters": f"{METHODS}/test_penalties.py::test_the_perimeters_of_the_worked_example",
    "S10.20 mean penalty": f"{METHODS}/test_penalties.py::test_the_mean_penalty_of_the_worked_example",
    "S10.21": f"{METHODS}/test_subtrees.py::test_the_smallest_parts_of_the_worked_cases",
    "S10.22 bounds": f"{METHODS}/test_criteria.py::test_the_bounds_of_the_worked_cases",
    "S10.22 choice": f"{METHODS}/test_targets.py::test_the_worked_cases_choose_as_they_say",
    "8.9 tables 5.14, 5.15": "attacks/test_intersection.py::test_the_tables_of_the_other_thesis_give_both_victims_away",
    "8.9 table 5.16": "models/test_m_invariance.py"
    "::test_the_invariant_second_release_keeps_the_promise_with_its_counterfeits",
    "8.9 table 5.16, published": "kinds/history/test_history.py"
    "::test_the_generalized_release_of_the_running_example_has_the_ranges_of_the_thesis",
    "section 6, Alice and Frank": "attacks/test_intersection.py"
    "::test_both_victims_of_the_longitudinal_releases_are_found",
    "section 6, Frank's absence": "attacks/test_absence.py::test_frank_left_and_took_short_breath_with_him",
    "section 6, blocks": f"{HERE}::test_the_blocks_of_the_notes_have_three_one_one_and_two_different_diseases",
    "section 6, Hellen": f"{HERE}::test_who_knows_that_hellen_runs_learns_her_disease",
    "section 6, similarity": f"{HERE}::test_two_values_of_the_stomach_tell_that_it_is_the_stomach",
}
"""Worked example → its test; where what is printed is wrong, the test names the erratum."""

ORACLES = {
    "S13.5": "algorithms/tables/test_anatomize.py"
    "::test_it_keeps_every_statement_about_its_groups_or_fails_where_a_value_is_too_frequent",
    "S13.6 candidates": "models/test_m_invariance.py::test_what_is_invariant_leaves_m_candidates_whatever_is_compared",
    "S13.6 verifier": "models/test_m_invariance.py::test_the_verdict_is_that_of_the_definition",
    "S13.7": f"{METHODS}/test_assignment.py"
    "::test_whatever_is_eligible_ends_in_buckets_of_m_or_more_values_and_nothing_is_left",
    "S13.7 erratum 13": f"{METHODS}/test_assignment.py::test_the_printed_inequality_gets_stuck_on_most_eligible_inputs",
    "S13.8": f"{METHODS}/test_balancing.py::test_the_smallest_rest_is_that_of_the_oracle",
    "S13.8 brute force": f"{METHODS}/test_balancing.py"
    "::test_the_oracle_of_the_specification_is_what_trying_all_moves_finds",
    "S13.9": f"{METHODS}/test_families.py::test_two_values_may_meet_if_and_only_if_they_are_of_different_families",
    "S13.9 bounds": f"{METHODS}/test_families.py::test_from_half_of_the_number_of_values_on_every_value_is_a_family",
    "S13.10": f"{METHODS}/test_subtrees.py::test_the_parts_are_those_of_the_repaired_search_from_the_leaves_up",
    "S13.10 parts": f"{METHODS}/test_subtrees.py::test_every_part_can_form_groups_by_itself",
    "S13.11": f"{METHODS}/test_correlation.py::test_the_checker_accepts_every_sequence_and_nothing_is_lost",
    "S13.12": f"{METHODS}/test_penalties.py::test_all_penalties_lie_between_zero_and_one",
    "S13.12 counterfeits": f"{METHODS}/test_penalties.py::test_a_counterfeit_costs_everything_or_what_a_record_costs",
    "S13.13 lower bound": f"{METHODS}/test_criteria.py::test_the_lower_bound_is_balanced_utility",
    "S13.13 upper bound": f"{METHODS}/test_criteria.py::test_the_threshold_and_the_upper_bound_are_minimal_penalty",
    "S13.13 targets": f"{METHODS}/test_targets.py::test_a_value_becomes_the_nearest_node_that_the_criterion_admits",
    "S13.14": f"{METHODS}/test_frequency_aware.py"
    "::test_the_checker_accepts_every_sequence_and_no_attack_learns_more_than_promised",
    "S13.15": f"{METHODS}/test_numbers.py::test_groups_are_found_whenever_there_are_any",
}


@pytest.mark.parametrize("place", [*FIXTURES.values(), *ORACLES.values()], ids=[*FIXTURES, *ORACLES])
def test_every_example_and_oracle_has_its_test(place):
    path, name = place.split("::")
    assert re.search(rf"^def {name}\(", (TESTS / path).read_text("utf-8"), re.MULTILINE)


def test_the_buckets_of_the_running_example_after_division_and_balancing():
    """S10.16, figure 2.21 with Steve in the second bucket (erratum 35) and Emily with flu (erratum 34)."""
    now, snapshot, past = second_version(FIGURE_2_18, FIGURE_2_19)
    division = Division.of(snapshot, past.signatures)
    values, owners = snapshot.taxonomy.values, past.signatures.owners

    def buckets(slots):
        found = {}
        for name, slot in zip(now["name"], slots.tolist(), strict=True):
            if slot >= 0:
                place = frozenset(values[node] for node in past.signatures.members(int(owners[slot])))
                found.setdefault(place, {})[name] = values[past.signatures.nodes[slot]]
        return found

    divided = {
        frozenset({"flu", "gastritis"}): {"Gary": "flu", "David": "gastritis"},
        frozenset({"dyspepsia", "gastritis"}): {"Steve": "gastritis"},
        frozenset({"dyspepsia", "bronchitis"}): {"Bob": "dyspepsia"},
        frozenset({"dyspepsia", "flu", "gastritis"}): {"Jane": "dyspepsia", "Linda": "gastritis"},
    }
    assert buckets(division.slot) == divided
    found = balance(BalanceDemand.of_values(division.holes, division.value_of, division.counts), 2)
    slots, counterfeits = division.dealt(found, np.random.default_rng(1))
    divided[frozenset({"dyspepsia", "gastritis"})]["Ray"] = "dyspepsia"
    assert buckets(slots) == divided
    lacking = sorted(values[past.signatures.nodes[slot]] for slot in counterfeits)
    assert lacking == ["bronchitis", "flu"]  # c1 and c2
    assert set(now["name"].filter(pl.Series(slots == UNASSIGNED))) == {"Emily", "Vince", "Mary", "Tom"}


# Notes on generalization, section 6.
BLOCKS = """race,dob,sex,zip,disease
asian,64,F,941**,hypertension
asian,64,F,941**,obesity
asian,64,F,941**,chest pain
asian,63,M,941**,obesity
asian,63,M,941**,obesity
black,64,F,941**,short breath
black,64,F,941**,short breath
white,64,F,941**,chest pain
white,64,F,941**,short breath
"""
KNOWN = ["race", "dob", "sex", "zip"]


def blocks():
    return pl.read_csv(io.StringIO(BLOCKS), infer_schema=False)


@pytest.mark.exposed
def test_the_blocks_of_the_notes_have_three_one_one_and_two_different_diseases():
    """The notes name the colors of the blocks inconsistently; computed values stand."""
    (verdict,) = krypsis.check(
        blocks(), models=["distinct-l-diversity:l=2"], quasi_identifiers=KNOWN, sensitive=["disease"]
    )
    assert not verdict.holds
    assert verdict.achieved == 1
    assert {one["values"]["race"] for one in verdict.offending} == {"asian", "black"}
    exposed = HomogeneityAttack(known=KNOWN, sensitive="disease", certainty=1.0).find(blocks())
    assert (exposed.exposed, exposed.records) == (4, 9)


def test_who_knows_that_hellen_runs_learns_her_disease():
    """Two candidates, chest pain and short breath; the second is excluded by what is known of her."""
    hellen = blocks().rows().index(("white", "64", "F", "941**", "chest pain"))
    assert hellen not in HomogeneityAttack(known=KNOWN, sensitive="disease", certainty=1.0).find(blocks()).sample
    assert (
        hellen
        in BackgroundKnowledgeAttack(known=KNOWN, sensitive="disease", ruled_out=["short breath"], certainty=1.0)
        .find(blocks())
        .sample
    )


def test_two_values_of_the_stomach_tell_that_it_is_the_stomach():
    values = ["stomach ulcer", "stomach ulcer", "gastritis"]
    table = pl.DataFrame({"name": [*"abc"], "group": ["1"] * 3, "disease": values})
    release = Version.of(table, group="group", sensitive="disease", person="name")
    tree = resolve({"any": {"stomach": ["stomach ulcer", "gastritis"], "other": ["flu"]}}, [*values, "flu"], "disease")
    assert FamilyAttack().find(ReleaseSequence([release], tree)).about("a")[0] == "stomach"
