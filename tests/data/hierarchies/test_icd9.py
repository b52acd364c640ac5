"""Diagnosis codes: categories, sections and chapters of the classification."""

import csv
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest

from krypsis.data.hierarchies import resolve
from krypsis.data.hierarchies.icd9 import Icd9

# The codes of figure 4.2 of the thesis (spec 9.14).
FIGURE_42 = ["294.10", "295.04", "296.00", "401.0", "404.00", "480.1", "692.71", "695.10", "834.0", "944.01"]


def levels(code: str) -> list[str | None]:
    return Icd9().build([code], "diagnosis").rows()[0][1:-1]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("401.0", ["401", "401-405 Hypertensive disease", "Diseases of the circulatory system"]),
        ("4010", ["401", "401-405 Hypertensive disease", "Diseases of the circulatory system"]),
        ("042", ["042", "042-042 Human immunodeficiency virus", "Infectious and parasitic diseases"]),
        ("v45.69", ["V45", "V40-V49 Conditions influencing health status", "Factors influencing health status"]),
        ("E880.9", ["E880", "E880-E888 Accidental falls", "External causes of injury and poisoning"]),
        ("E82.8", ["E82.8", "Other codes", "Other codes"]),
        ("019.1", ["019", "Other codes", "Other codes"]),
        ("?", ["?", "Other codes", "Other codes"]),
    ],
)
def test_a_code_is_in_its_category_section_and_chapter(code: str, expected: list[str]) -> None:
    assert levels(code) == expected


def test_sections_lie_apart_from_each_other_and_in_order() -> None:
    with files("krypsis.data.hierarchies").joinpath("icd9.csv").open(encoding="utf-8") as stream:
        rows = sorted((row["first"], row["last"]) for row in csv.DictReader(stream))
    assert all(first <= last for first, last in rows)
    assert all(last < following for (_, last), (following, _) in pairwise(rows))


def test_the_codes_of_the_thesis_have_the_categories_of_its_constraints() -> None:
    hierarchy = resolve("icd9", FIGURE_42, "diagnosis")
    # The five constraints of figure 4.3 lie in these chapters.
    chapters = {row[0]: row[3] for row in hierarchy.rows()}
    assert chapters["294.10"] == chapters["295.04"] == chapters["296.00"] == "Mental disorders"
    assert chapters["692.71"] == chapters["695.10"] == "Diseases of the skin and subcutaneous tissue"
    assert chapters["834.0"] == chapters["944.01"] == "Injury and poisoning"


@pytest.mark.data
def test_public_codes_have_the_categories_of_the_public_constraints(data_folder: Path) -> None:
    with (data_folder / "ehr" / "utility-hierarchy-level1.csv").open(encoding="utf-8") as stream:
        groups = {row["group_id"]: row["codes"] for row in csv.DictReader(stream)}
    codes = [line.split(",")[0] for line in groups.values()]
    assert all(code.startswith(levels(code)[0] or "") for code in codes)


@pytest.mark.data
def test_nearly_all_public_codes_are_known(data_folder: Path) -> None:
    with (data_folder / "ehr" / "icd9-diagnosis-codes.csv").open(encoding="utf-8") as stream:
        codes = [row["Diagnostic Code"] for row in csv.DictReader(stream)]
    strange = [row[0] for row in Icd9().build(codes, "code").rows() if row[3] == "Other codes"]
    assert strange == []
