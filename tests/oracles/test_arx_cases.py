"""The Adult cases of the test suite of ARX, where the models exist: the same optimum, or better than a heuristic."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import krypsis
from conftest import public_data
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import Infeasible
from oracles.whole_table import Found, compare_with_whole, search

pytestmark = [pytest.mark.data, pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")]

MODELS = {
    r"(\d+)-anonymity": "k-anonymity:k={0}",
    r"distinct-(\d+)-diversity .*": "distinct-l-diversity:l={0}",
    r"shannon-entropy-([\d.]+)-diversity .*": "entropy-l-diversity:l={0}",
    r"grassberger-entropy-([\d.]+)-diversity .*": "grassberger-l-diversity:l={0}",
    r"basic-([\d.]+)-likeness .*": "basic-beta-likeness:beta={0}",
    r"enhanced-([\d.]+)-likeness .*": "enhanced-beta-likeness:beta={0}",
    r"recursive-\(([\d.]+),(\d+)\)-diversity .*": "recursive-l-diversity:c={0},l={1}",
    r"([\d.]+)-closeness with equal ground-distance .*": "t-closeness:t={0},distance=equal",
    r"([\d.]+)-closeness with ordered distance .*": "t-closeness:t={0},distance=ordered",
    r"([\d.]+)-closeness with hierarchical ground-distance .*": "t-closeness:t={0},distance=hierarchical",
}
METRICS = {
    r"Loss \([\d.]+/([\d.]+)/([\d.]+)\)": "loss:generalization={0},suppression={1}",
    r"Non-uniform entropy": "non-uniform-entropy:suppression=0",  # ARX's monotonic variant ignores suppression
    r"Non-monotonic non-uniform entropy": "non-uniform-entropy",
    r"Monotonic discernability \(DM\*\)": "discernibility-star",
    r"Average equivalence class size": "average-class-size",
}
COLUMNS = [
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class",
]  # fmt: skip
LATER = re.compile(r"presence|\)-map|Inclusion|profitability|-DP$|reidentification|uniqueness", re.IGNORECASE)
"""Models that are not there yet, and those of ``test_arx_people``."""


def all_cases() -> list[dict[str, Any]]:
    file = public_data() / "relational" / "oracle" / "arx_cases_adult.jsonl"
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def cases() -> list[dict[str, Any]]:
    return [case for case in all_cases() if not any(map(LATER.search, case["privacy_models"]))]


def spec(name: str, templates: dict[str, str]) -> str:
    for pattern, template in templates.items():
        if match := re.fullmatch(pattern, name):
            return template.format(*match.groups())
    raise AssertionError(f"nothing for {name}")


def sensitive_hierarchy(case: dict[str, Any], adult: Path) -> dict[str, Any]:
    """ARX orders text by the alphabet; here the hierarchy of the attribute says the order."""
    name = case["sensitive"]
    file = adult / f"adult_hierarchy_{name}.csv"
    if any("hierarchical" in model for model in case["privacy_models"]):
        return {name: file}
    if any("ordered" in model for model in case["privacy_models"]):
        values = sorted(line.split(";")[0] for line in file.read_text(encoding="utf-8").splitlines())
        return {name: Hierarchy.from_rows([value, "*"] for value in values)}
    return {}


def solve(case: dict[str, Any], folder: Path, **changes: Any) -> krypsis.Release | Found:
    adult = folder / "relational" / "adult"
    names = [name for name in COLUMNS if name != case["sensitive"]]
    assert case["qi_order"] in (names, None)  # none is told where there is no solution
    roles = dict.fromkeys(names, "quasi-identifier") | dict.fromkeys(filter(None, [case["sensitive"]]), "sensitive")
    hierarchies: dict[str, Any] = {name: adult / f"adult_hierarchy_{name}.csv" for name in names}
    usual: dict[str, Any] = {
        "data": adult / "adult.csv",
        "models": changes.pop("models", None) or [spec(name, MODELS) for name in case["privacy_models"]],
        "metric": spec(case["quality_model"], METRICS),
        "suppression": case["suppression_limit"],
    }
    wanted = {"roles": roles, "hierarchies": hierarchies | sensitive_hierarchy(case, adult), **usual, **changes}
    if case["suppression_limit"] and compare_with_whole(wanted["models"]):
        return search(**wanted)
    return krypsis.anonymize(**{"algorithm": "optimal"} | wanted)


def may_miss_the_optimum(case: dict[str, Any]) -> bool:
    return case["search"] != "OPTIMAL" or case["assume_practical_monotonicity"]


@pytest.mark.parametrize("case", [case for case in cases() if case["score"] is not None], ids=lambda case: case["case"])
def test_the_optimum_is_that_of_arx(case: dict[str, Any], data_folder: Path) -> None:
    release = solve(case, data_folder)
    assert release.score is not None
    if may_miss_the_optimum(case):
        assert release.score <= case["score"] * (1 + 1e-9)
    else:
        assert release.score == pytest.approx(case["score"], rel=1e-9)
    if list(release.levels.values()) == case["transformation"]:
        assert release.score == pytest.approx(case["score"], rel=1e-9)
        assert release.suppressed == case["suppressed_rows"]


@pytest.mark.parametrize("case", [case for case in cases() if case["score"] is None], ids=lambda case: case["case"])
def test_where_arx_finds_nothing_there_is_nothing(case: dict[str, Any], data_folder: Path) -> None:
    with pytest.raises(Infeasible):
        solve(case, data_folder)


def test_every_case_is_tried_or_needs_a_model_of_later() -> None:
    assert len(cases()) == 59
