"""The metric examples of the thesis: sections 5.2, 8.5, 8.10 and 8.11 of the specification."""

import pytest

import krypsis
from krypsis.data.hierarchies.base import Hierarchy
from metrics.tables import outcome, table, value
from papers.case import FOLDER, Example

FIGURES = [
    # Table 5.8; CAVG = 7/6 for k = 3, DM(T) = 11 before
    ("thesis_2016_k_anonymity", "medical", (1, 0, 1), "k-anonymity:k=3", "md", 14),
    ("thesis_2016_k_anonymity", "medical", (1, 0, 1), "k-anonymity:k=3", "dm", 25),
    ("thesis_2016_k_anonymity", "medical", (1, 0, 1), "k-anonymity:k=3", "delta-dm", 25 - 11),
    ("thesis_2016_k_anonymity", "medical", (1, 0, 1), "k-anonymity:k=3", "cavg:k=3", 7 / 6),
    ("thesis_2016_k_anonymity", "medical", (1, 0, 1), "k-anonymity:k=3", "iloss", (1 / 3 + 0 + 1 / 2) / 3),
    ("thesis_2016_k_anonymity", "medical", (1, 0, 1), "k-anonymity:k=3", "height", 2),
    # Table 5.24, the node [K0, H2, T2]
    ("thesis_2016_incognito", "original", (0, 2, 2), "k-anonymity:k=2", "md", 24),
    ("thesis_2016_incognito", "original", (0, 2, 2), "k-anonymity:k=2", "dm", 12),
    ("thesis_2016_incognito", "original", (0, 2, 2), "k-anonymity:k=2", "cavg:k=2", 1),
    ("thesis_2016_incognito", "original", (0, 2, 2), "k-anonymity:k=2", "iloss", 2 / 3),
    ("thesis_2016_incognito", "original", (0, 2, 2), "k-anonymity:k=2", "height", 4),
    # the node [K1, H1, T1], which is Table 5.22 as well
    ("thesis_2016_incognito", "original", (1, 1, 1), "k-anonymity:k=2", "md", 18),
    ("thesis_2016_incognito", "original", (1, 1, 1), "k-anonymity:k=2", "dm", 18),
    ("thesis_2016_incognito", "original", (1, 1, 1), "k-anonymity:k=2", "cavg:k=2", 1.5),
    ("thesis_2016_incognito", "original", (1, 1, 1), "k-anonymity:k=3", "cavg:k=3", 1),
    ("thesis_2016_incognito", "original", (1, 1, 1), "k-anonymity:k=2", "iloss", 0.5),
    ("thesis_2016_incognito", "original", (1, 1, 1), "k-anonymity:k=2", "height", 3),
]


def example_table(folder, name):
    example = Example(FOLDER / folder)
    columns = example.case.tables[name].quasi_identifiers
    hierarchies = example.hierarchies(name)
    return table({column: hierarchies[column] for column in columns}, list(example.frame(name).select(columns).rows()))


@pytest.mark.parametrize(("folder", "name", "levels", "promise", "metric", "expected"), FIGURES)
def test_a_figure_is_that_of_the_thesis(folder, name, levels, promise, metric, expected):
    assert value(metric, example_table(folder, name), levels, promise) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("metric", "levels"),
    [
        ("dm", [0, 2, 2]),
        ("cavg:k=2", [0, 2, 2]),
        ("lost-groups", [0, 2, 2]),
        ("height", [1, 1, 1]),
        ("md", [1, 1, 1]),
        ("iloss", [1, 1, 1]),
    ],
)
def test_metrics_choose_as_the_thesis_says(metric, levels):
    example = Example(FOLDER / "thesis_2016_incognito")
    release = krypsis.anonymize(
        example.frame("original"),
        dict.fromkeys(["marital", "age", "zip"], "quasi-identifier"),
        hierarchies=example.hierarchies("original"),
        models="k-anonymity:k=2",
        algorithm="optimal",
        metric=metric,
    )
    assert list(release.levels.values()) == levels


JOBS = Hierarchy.from_rows(
    [
        ["Engineer", "Professional", "Any_Job"],
        ["Lawyer", "Professional", "Any_Job"],
        ["Writer", "Artist", "Any_Job"],
        ["Dancer", "Artist", "Any_Job"],
    ]
)


def test_each_step_of_each_instance_is_one_unit_of_distortion():
    engineers = table({"job": JOBS}, [("Engineer",)] * 10)
    assert [value("md", engineers, (level,)) for level in (0, 1, 2)] == [0, 10, 20]


def test_a_suppressed_cell_is_as_distorted_as_one_at_the_top():
    jobs = table({"job": JOBS}, [("Engineer",)] * 10 + [("Writer",)])
    assert value("md", jobs, (1,), "k-anonymity:k=2") == 10 * 1 + 1 * 2


@pytest.mark.parametrize(
    ("jobs", "increase"),
    [([("Engineer",)] * 99 + [("Lawyer",)], 198), ([("Dancer",)] * 50 + [("Writer",)] * 50, 5000)],
)
def test_distortion_sees_no_difference_where_discernibility_does(jobs, increase):
    """Erratum E20: what the two generalizations add, not what was there before."""
    assert value("md", table({"job": JOBS}, jobs), (1,)) == 100
    assert value("delta-dm", table({"job": JOBS}, jobs), (1,)) == increase


def test_a_label_over_four_of_six_leaves_costs_six_tenths():
    marital = Example(FOLDER / "thesis_2016_incognito").hierarchies("original")["marital"]
    assert value("gen-iloss", table({"marital": marital}, [("Single",)]), (1,)) == pytest.approx(0.6)


def test_average_class_size_counts_what_is_published():
    jobs = table({"job": JOBS}, [("Engineer",)] * 4 + [("Lawyer",)] * 4 + [("Writer",)])
    found = outcome(jobs, (0,), "k-anonymity:k=2")
    assert found.suppressed == 1
    assert value("cavg:k=2", found) == 8 / (2 * 2)
    assert value("aecs", found) == 9 / (2 + 1)
