from pathlib import Path

import pytest

from krypsis.data.hierarchies import Flat, Hierarchy, Intervals, Taxonomy, describe, resolve
from krypsis.data.hierarchies.resolve import builders
from krypsis.errors import HierarchyError

AGES = ["31", "38", None]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "age.csv").write_text("31;[30-35);*\n38;[35-40);*\n")
    return tmp_path


def message_of(spec, values=("31",), folder=None):
    with pytest.raises(HierarchyError) as caught:
        resolve(spec, list(values), "age", folder)
    return str(caught.value)


def test_nothing_means_flat():
    assert resolve(None, AGES, "age").rows() == [["31", "*"], ["38", "*"], [None, "*"]]


def test_a_hierarchy_is_used_as_it_is_with_the_missing_value_added():
    given = Hierarchy.from_rows([["31", "*"], ["38", "*"]])
    assert resolve(given, ["31"], "age") is given
    assert resolve(given, AGES, "age").values == ("31", "38", None)


def test_a_builder_builds():
    assert resolve(Intervals(width=5, levels=1), ["31"], "age").rows() == [["31", "[30-35)", "*"]]


def test_a_file_is_found_in_the_folder(folder):
    expected = [["31", "[30-35)", "*"], ["38", "[35-40)", "*"], [None, None, "*"]]
    assert resolve("age.csv", AGES, "age", folder).rows() == expected
    assert resolve(Path("age.csv"), AGES, "age", str(folder)).rows() == expected
    assert resolve(folder / "age.csv", AGES, "age").rows() == expected
    assert resolve({"kind": "csv", "file": "age.csv", "delimiter": ";"}, AGES, "age", folder).rows() == expected


def test_a_file_is_found_in_the_current_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert resolve("age.csv", ["31"], "age").height == 2


@pytest.mark.parametrize(
    ("spec", "labels"),
    [
        ({"kind": "intervals", "width": "5"}, ["[30-35)", "[35-40)"]),
        ({"kind": "intervals", "width": "2.5", "origin": "0.5", "levels": "1"}, ["[30.5-33)", "[38-40.5)"]),
        ({"kind": "intervals", "cuts": ["18", "35.5"]}, ["[18-35.5)", ">=35.5"]),
        ({"kind": "intervals", "quantiles": "2"}, ["<38", ">=38"]),
        ({"kind": "masking", "side": "right", "step": "1"}, ["3*", "3*"]),
        ({"kind": "order", "order": ["31", "38", "40"], "size": "2"}, ["31 … 38", "31 … 38", "40"]),
        ({"kind": "flat"}, ["*", "*"]),
        ({"kind": "taxonomy", "tree": {"Any": {"30s": ["31", "38"]}}}, ["30s", "30s"]),
        ({"Any": {"30s": ["31", "38"]}}, ["30s", "30s"]),
        ({"size": ["31", "38"]}, ["size", "size"]),
        ("flat", ["*", "*"]),
        ("masking", ["3*", "3*"]),
    ],
)
def test_a_plan_hands_everything_over_as_text(spec, labels):
    assert resolve(spec, ["31", "38"], "age").column(1) == labels


def test_dates_of_a_plan_are_text_too():
    spec = {"kind": "dates", "format": "dd/mm/yyyy", "levels": ["month", "year"]}
    assert resolve(spec, ["15/03/2024"], "day").rows() == [["15/03/2024", "2024-03", "2024", "*"]]


@pytest.mark.parametrize("spec", ["age.csv", {"Any": ["31"]}, {"kind": "order", "order": ["31"]}])
def test_values_the_hierarchy_lacks_are_listed(spec, folder):
    text = message_of(spec, ["31", "99"], folder)
    assert text.startswith("hierarchy of 'age' lacks 1 value(s) of the data: '99'")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (
            {"kind": "interval", "width": "5"},
            "kind 'interval' is not known; kinds: csv, dates, flat, icd9, intervals, masking",
        ),
        ({"kind": "interval"}, "Did you mean 'intervals'?"),
        ({"kind": None}, "kind None is not known"),
        ({"kind": ["flat"]}, "is not known"),
        (
            {"kind": "intervals", "widht": "5"},
            "intervals has no option 'widht'; options: width, origin, cuts, quantiles",
        ),
        ({"kind": "intervals", "widht": "5"}, "Did you mean 'width'?"),
        ({"kind": "flat", "width": "5"}, "flat has no option 'width'; options: none."),
        ({"kind": "intervals"}, "exactly one of width, cuts and quantiles; got none of them"),
        ({"kind": "intervals", "width": "5", "cuts": ["1"]}, "got width and cuts"),
        ({"kind": "intervals", "width": "five"}, "width of intervals must be a valid decimal, got 'five'"),
        ({"kind": "intervals", "width": "0"}, "width of intervals must be more than 0, got 0"),
        ({"kind": "intervals", "cuts": "1"}, "cuts of intervals must be"),
        ({"kind": "intervals", "cuts": ["2", "1"]}, "cuts must ascend, got 2, 1"),
        ({"kind": "masking", "side": "top"}, "side of masking must be 'left' or 'right', got 'top'"),
        (
            {"kind": "dates", "levels": ["week"]},
            "levels of dates must be 'day', 'month', 'quarter', 'year' or 'decade'",
        ),
        ({"kind": "csv"}, "csv needs file: "),
        ({"kind": "csv", "file": "nowhere.csv"}, "no file nowhere.csv in "),
        ({"width": "5"}, "has width and no kind; write 'kind: intervals' next to it"),
        ({"cuts": ["1", "2"]}, "has cuts and no kind; write 'kind: intervals' next to it"),
        ({"type": "dates"}, "has type and no kind; write 'kind: dates' next to it"),
        ({"tree": {"Any": ["a"]}}, "write 'kind: taxonomy' next to it"),
        ({}, "is an empty mapping; name a kind: csv, dates"),
        ({"Any": {"a": ["x"], "b": ["x"]}}, "'x' stands twice in the tree"),
        ("", "'' is not the name of a file"),
        ("a\0b", "is not the name of a file"),
        ("x" * 300, "… is not the name of a file"),
        (5, "got 5 (int)"),
        (["a"], "got ['a'] (list)"),
        ({"kind": "intervals", "width": "9" * 1000}, "must lie between"),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused_with_advice(spec, words):
    text = message_of(spec)
    assert text.startswith("hierarchy of 'age'")
    assert words in text
    assert len(text) < 500


def test_a_misspelt_file_is_refused_with_the_files_that_are_there(folder):
    assert message_of("aeg.csv", folder=folder) == (
        f"hierarchy of 'age': no file aeg.csv in {folder}; hierarchy files there: age.csv. Did you mean 'age.csv'?"
    )
    assert message_of("intervalls", folder=folder).endswith("Did you mean 'intervals'?")


def test_values_of_another_kind_are_refused():
    assert "are not numbers: 'old'" in message_of({"kind": "intervals", "width": "5"}, ["31", "old"])
    assert "values are text, or None where missing; got 31" in message_of({"kind": "flat"}, [31])


def test_a_column_without_values_is_refused():
    assert message_of(None, []) == "hierarchy of 'age': the column has no values to build from"


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        (None, "flat"),
        (Flat(), "flat"),
        ("flat", "flat"),
        ({"kind": "intervals", "cuts": ["13", "666"]}, "intervals"),
        ({"Any": {"HIV": ["31"]}}, "taxonomy"),
        (Taxonomy(tree={"Any": ["31"]}), "taxonomy"),
        ("age.csv", "csv age.csv"),
        ("secret/folder/age.csv", "csv age.csv"),
        (Path("/home/someone/age.csv"), "csv age.csv"),
        (r"C:\Users\someone\age.csv", "csv age.csv"),
        ({"kind": "csv", "file": "/home/someone/age.csv"}, "csv age.csv"),
        (Hierarchy.from_rows([["31", "*"]]), "given"),
    ],
)
def test_a_description_names_the_kind_and_nothing_else(spec, name):
    assert describe(spec) == name


def test_every_option_of_every_builder_is_described():
    for kind, cls in builders().items():
        assert cls.__doc__, kind
        assert all(field.description for field in cls.model_fields.values()), kind


def test_the_data_beside_a_misspelt_hierarchy_file_is_not_suggested(tmp_path):
    (tmp_path / "ages.csv").write_text("age,zip\n31,1\n32,2\n", encoding="utf-8")
    with pytest.raises(HierarchyError) as caught:
        resolve("age.csv", ["31"], "age", tmp_path)
    assert "ages.csv" not in str(caught.value)
    assert "hierarchy files there: none" in str(caught.value)
