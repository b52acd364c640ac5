"""On Adult with nothing suppressed, Incognito finds the optima of ARX 3.9.2, and Samarati its lowest height."""

import pytest

import krypsis
from oracles.test_arx import cases, spec

pytestmark = pytest.mark.data

CASES = [case for case in cases() if case["suppression_limit"] == 0]


def solve(case, folder, algorithm):
    adult = folder / "relational" / "adult"
    sensitive = {case["sensitive"]: "sensitive"} if case["sensitive"] else {}
    return krypsis.anonymize(
        adult / "adult.csv",
        dict.fromkeys(case["qi_order"], "quasi-identifier") | sensitive,
        hierarchies={name: adult / f"adult_hierarchy_{name}.csv" for name in case["qi_order"]},
        models=[spec(name) for name in case["privacy_models"]],
        metric=case["quality_model"],
        algorithm=algorithm,
        suppression=0,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_incognito_takes_what_arx_takes(case, data_folder):
    release = solve(case, data_folder, "incognito")
    assert release.score == pytest.approx(case["score"], rel=1e-9)
    assert all(release.verdicts)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["quality_model"] == "height"], ids=lambda case: case["id"]
)
def test_samarati_finds_the_lowest_height_of_arx(case, data_folder):
    release = solve(case, data_folder, "samarati")
    assert sum(release.levels.values()) == sum(case["optimum"])
    assert all(release.verdicts)


def test_cases_with_and_without_a_sensitive_attribute_are_tried():
    assert {bool(case["sensitive"]) for case in CASES} == {True, False}
    assert "height" in {case["quality_model"] for case in CASES}
