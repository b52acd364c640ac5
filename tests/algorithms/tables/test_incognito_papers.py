"""Incognito does what the worked examples say it does, step by step."""

import pytest

from algorithms.tables.lattices import (
    levels_of,
    paper_table,
)
from krypsis.algorithms.tables.incognito.incognito import Incognito
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.models.k_anonymity import KAnonymity

# The running example of the paper (spec S10.8)

B, S, Z = "birthdate", "sex", "zip"
SURVIVORS = {
    (B,): "0;1",
    (S,): "0;1",
    (Z,): "0;1;2",
    (B, S): "0|1;1|0;1|1",
    (B, Z): "0|2;1|0;1|1;1|2",
    (S, Z): "0|2;1|0;1|1;1|2",
    (B, S, Z): "0|1|2;1|0|2;1|1|0;1|1|1;1|1|2",
}


def iterations_of(folder, table, k):
    frequency = paper_table(folder, table)
    found = Incognito().iterations(frequency, [KAnonymity(k=k)], Limits())
    return {searched.attributes: searched for iteration in found for searched in iteration}


def nodes(text):
    return tuple(tuple(map(int, node.split("|"))) for node in text.split(";"))


def test_every_iteration_of_the_running_example_leaves_what_the_paper_leaves():
    found = iterations_of("lefevre_2005_incognito", "patients", k=2)
    assert {attributes: searched.survivors for attributes, searched in found.items()} == {
        attributes: nodes(survivors) for attributes, survivors in SURVIVORS.items()
    }


def test_sex_and_zip_form_the_lattice_of_figure_2_6():
    searched = iterations_of("lefevre_2005_incognito", "patients", k=2)[S, Z]
    by_number = dict(enumerate([(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)], start=1))
    assert searched.candidates == tuple(sorted(by_number.values()))
    edges = [(1, 2), (1, 3), (2, 4), (3, 4), (3, 5), (4, 6), (5, 6)]
    assert searched.edges == tuple(sorted((by_number[start], by_number[end]) for start, end in edges))


def test_sex_and_zip_are_tested_in_the_order_of_the_text():
    """⟨S1,Z1⟩ lies above ⟨S1,Z0⟩, which passes, and is never tested; nor is ⟨S1,Z2⟩."""
    searched = iterations_of("lefevre_2005_incognito", "patients", k=2)[S, Z]
    first, *second, last = searched.tested
    assert (first, set(second), last) == ((0, 0), {(1, 0), (0, 1)}, (0, 2))


def test_the_third_candidate_graph_is_that_of_figure_2_7():
    searched = iterations_of("lefevre_2005_incognito", "patients", k=2)[B, S, Z]
    assert searched.candidates == nodes(SURVIVORS[B, S, Z])
    edges = "1|1|0 1|1|1;1|1|1 1|1|2;1|0|2 1|1|2;0|1|2 1|1|2"
    assert searched.edges == tuple(sorted(nodes(edge.replace(" ", ";")) for edge in edges.split(";")))
    assert set(searched.roots) == {(1, 1, 0), (1, 0, 2), (0, 1, 2)}
    assert searched.super_root == (0, 0, 0)
    assert set(searched.tested) == set(searched.roots) == set(searched.minimal)


def test_with_k_3_two_nodes_of_the_running_example_are_left():
    found = Incognito().solutions(paper_table("lefevre_2005_incognito", "patients"), [KAnonymity(k=3)], Limits())
    assert found.nodes == ((1, 0, 2), (1, 1, 2))


# The example of the thesis on relational data and graphs (spec 8.10)


def test_every_iteration_of_the_crimes_finds_the_minimal_nodes_of_the_thesis():
    """The text skips ⟨K0,H2⟩, which is minimal and needed for the third iteration."""
    found = iterations_of("thesis_2016_incognito", "original", k=2)
    minimal = {attributes: set(searched.minimal) for attributes, searched in found.items()}
    assert minimal == {
        ("marital",): {(0,)},
        ("age",): {(1,)},
        ("zip",): {(1,)},
        ("marital", "age"): {(0, 2), (1, 1)},
        ("marital", "zip"): {(0, 2), (1, 1)},
        ("age", "zip"): {(1, 1)},
        ("marital", "age", "zip"): {(0, 2, 2), (1, 1, 1)},
    }
    assert len(found["marital", "age", "zip"].survivors) == 9


def test_of_the_crimes_what_fails_is_what_was_not_pruned_before():
    """⟨K0,H0⟩ and ⟨K1,H0⟩ are printed as checked and failed; H0 has failed alone, so they are not even candidates."""
    searched = iterations_of("thesis_2016_incognito", "original", k=2)["marital", "age"]
    assert (0, 0) not in searched.candidates
    assert (1, 0) not in searched.candidates
    assert (0, 1) in set(searched.tested) - set(searched.survivors)
    assert (1, 1) in set(searched.tested) & set(searched.survivors)


def test_three_alike_crimes_have_one_minimal_node():
    frequency = paper_table("thesis_2016_incognito", "original")
    assert Incognito().solutions(frequency, [KAnonymity(k=3)], Limits()).minimal == ((1, 1, 1),)


@pytest.mark.parametrize(
    ("metric", "levels"),
    [("discernibility", (0, 2, 2)), ("average-class-size", (0, 2, 2)), ("precision", (1, 1, 1))],
)
def test_the_metric_chooses_among_the_crimes_as_in_the_thesis(metric, levels):
    frequency = paper_table("thesis_2016_incognito", "original")
    assert levels_of(Incognito(), frequency, [KAnonymity(k=2)], metric, Limits()) == levels
