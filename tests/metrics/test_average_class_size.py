"""C_AVG compares the average group with the k that is promised."""

import json

import polars as pl
import pytest

import krypsis
from krypsis.kinds.table.report_figures import table_figures

PEOPLE = {"age": [20, 21, 22, 23, 40, 41, 42, 43, 44, 45, 46, 47], "pay": [*"abcabcabcabc"]}
ROLES = {"age": "quasi-identifier", "pay": "sensitive"}
SAME_AGE = {"age": {"kind": "intervals", "width": 20, "levels": 1}}


def publish(*models, **options):
    return krypsis.anonymize(
        pl.DataFrame(PEOPLE), roles=ROLES, models=[*models], hierarchies=SAME_AGE, algorithm="optimal", **options
    )


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_it_is_the_average_group_over_the_k_that_is_promised(k, algorithm):
    release = krypsis.anonymize(pl.DataFrame(PEOPLE), roles=ROLES, models=[f"k-anonymity:k={k}"], algorithm=algorithm)
    groups = release.table["age"].n_unique()
    assert release.metrics["normalized-average-class-size"] == pytest.approx(12 / groups / k)
    assert release.metrics["average-class-size"] == pytest.approx(12 / groups)


def test_two_groups_of_four_and_eight_with_k_3_are_twice_as_large_as_they_must_be(tmp_path):
    release = publish("k-anonymity:k=3")  # 12 records / 2 groups / 3
    assert release.metrics["normalized-average-class-size"] == pytest.approx(2)
    release.save(tmp_path / "release")
    assert json.loads((tmp_path / "release/manifest.json").read_text())["metrics"][
        "normalized-average-class-size"
    ] == pytest.approx(2)


def test_the_report_shows_the_k_and_a_range_that_goes_with_it():
    figures = {figure.name: figure for figure in table_figures(publish("k-anonymity:k=3")).metrics}
    figure = figures["normalized-average-class-size"]
    assert (figure.value, figure.worst) == pytest.approx((2, 4))
    assert figure.formula.endswith("k = 3")


def test_of_several_promises_the_largest_k_counts():
    release = publish("k-anonymity:k=2", "alpha-k-anonymity:alpha=0.9,k=4")
    assert release.metrics["normalized-average-class-size"] == pytest.approx(1.5)


def test_a_release_without_a_promised_k_has_the_plain_average_only():
    release = publish("distinct-l-diversity:l=2")
    assert "normalized-average-class-size" not in release.metrics
    assert release.metrics["average-class-size"] == pytest.approx(12 / release.table["age"].n_unique())


def test_as_the_metric_of_the_search_it_takes_the_promised_k_unless_one_is_given():
    release = publish("k-anonymity:k=3", metric="cavg")
    assert (release.metric, release.score) == ("normalized-average-class-size:k=3", pytest.approx(2))
    given = publish("k-anonymity:k=3", metric="cavg:k=6")
    assert (given.metric, given.score) == ("normalized-average-class-size:k=6", pytest.approx(1))
