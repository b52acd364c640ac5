"""Samarati's preference criteria among minimal generalizations, on her own example, and what else counts groups."""

import pytest

from krypsis import registry
from krypsis.metrics.combined import Weighted
from metrics.tables import outcome, table, value
from papers.case import FOLDER, Example


@pytest.fixture(scope="module")
def patients():
    example = Example(FOLDER / "samarati_2001_minimal_generalization")
    name, described = next(iter(example.case.tables.items()))
    columns = described.quasi_identifiers
    hierarchies = {column: example.hierarchies(name)[column] for column in columns}
    return table(hierarchies, list(example.frame(name).select(columns).rows()))


def test_the_criteria_order_the_two_minimal_tables(patients):
    """GT[1,0] merges the races, GT[0,1] the last digit of zip; zip has two levels, race one."""
    race, zip_code = (outcome(patients, levels, "k-anonymity:k=2") for levels in ((1, 0), (0, 1)))
    assert race.suppressed == zip_code.suppressed == 2
    assert [value("height", found) for found in (race, zip_code)] == [1, 1]
    assert [value("relative-height", found) for found in (race, zip_code)] == [1, 0.5]
    # of seven different combinations the first table keeps two groups, the second three
    assert [value("lost-groups", found) for found in (race, zip_code)] == pytest.approx([1 - 2 / 7, 1 - 3 / 7])
    assert [value("suppressed-share", found) for found in (race, zip_code)] == pytest.approx([2 / 9, 2 / 9])


def test_discernibility_without_penalty_counts_a_suppressed_group_like_any_other(patients):
    found = outcome(patients, (0, 1), "k-anonymity:k=2")
    assert sorted(found.sizes.tolist()) == [1, 1, 2, 2, 3]
    assert value("dm*", found) == 1 + 1 + 4 + 4 + 9
    assert value("dm", found) == 4 + 4 + 9 + 2 * 9


def test_a_name_with_a_star_may_have_a_weight():
    members = [(metric.name, weight) for metric, weight in Weighted(parts="dm*+loss*3").members]
    assert members == [("discernibility-star", 0.25), ("loss", 0.75)]
    assert Weighted(parts="dm**2").members[0][0].name == "discernibility-star"


def test_gcp_is_the_normalized_certainty_penalty():
    assert registry.find("metric", "gcp") is registry.find("metric", "ncp")
