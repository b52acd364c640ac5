import polars as pl
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from krypsis.io.dataset import Dataset
from krypsis.io.yaml_file import scalar
from krypsis.kinds.table.profile.plan_file import plan_text
from krypsis.kinds.table.profile.table import profile_table
from krypsis.plan import Plan


def written(frame, data="table.csv", read=None):
    dataset = Dataset.of(frame)
    return plan_text(profile_table(dataset), dataset, data, read)


def content(text):
    return yaml.load(text, Loader=yaml.BaseLoader)  # as plans are read: all scalars are texts


ODD_NAMES = [
    *(
        "yes",
        "No",
        "null",
        "1",
        "01",
        "1.5",
        "~",
        "a: b",
        "#x",
        "x #y",
        "- a",
        "a,b",
        "{a}",
        "[a]",
        "'",
        '"',
        "\\",
        "&a",
    ),
    *(
        "*a",
        "!a",
        "%a",
        "@a",
        "`a",
        "? a",
        "a:",
        ": a",
        " lead",
        "trail ",
        "two\nlines",
        "tab\there",
        "x\ry",
        "---",
        "...",
    ),
    *(
        "ηλικία",
        "年齢",
        "é",
        "😀",
        "x\u2028y",
        "x\x85y",
        "\x7f",
        "\x1b[31m",
        "\ufeffx",
        "a" * 3000,
        "é" * 900,
        "<<",
        "=",
        "y",
    ),
]


@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_a_column_of_any_name_is_read_back(name):
    frame = pl.DataFrame({"age": [30, 40], name: ["x", "y"]})
    plan = content(written(frame))
    assert list(plan["columns"]) == ["age", name]
    assert yaml.safe_load(scalar(name)) == name


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=5, unique=True))
def test_columns_of_random_names_are_read_back(names):
    names = [name for name in names if name.strip()] or ["x"]
    plan = content(written(pl.DataFrame({name: ["1", "2"] for name in names}), data=names[0]))
    assert list(plan["columns"]) == names
    assert plan["data"] == names[0]


def test_the_plan_is_what_the_plan_reader_understands():
    frame = pl.DataFrame(
        {
            "name": [f"person {number}" for number in range(40)],
            "age": [20 + number for number in range(40)],
            "zip": [f"1{number % 7}{number % 3}00" for number in range(40)],
            "born": ["31/12/1999", "01/02/2003"] * 20,
            "weight": [50 + number / 3 for number in range(40)],
            "disease": ["flu", "cold"] * 20,
        }
    )
    plan = Plan.of(content(written(frame, read={"delimiter": "\t", "encoding": "cp1252"})))
    assert plan.data == "table.csv"
    assert (plan.read.delimiter, plan.read.encoding) == ("\t", "cp1252")
    assert {name: column.role.value for name, column in plan.columns.items()} == {
        "name": "identifier",
        "age": "quasi-identifier",
        "zip": "quasi-identifier",
        "born": "quasi-identifier",
        "weight": "quasi-identifier",
        "disease": "sensitive",
    }
    assert plan.columns["born"].hierarchy == {"kind": "dates", "format": "dd/mm/yyyy"}
    assert plan.columns["weight"].hierarchy == {"kind": "intervals", "width": "1"}
    assert plan.promises[0] == "k-anonymity:k=5"
    assert [getattr(model, "attribute", None) for model in plan.models()] == [None, "disease"]
    assert (plan.algorithm, plan.metric, plan.suppression) == ("auto", "loss", "2%")
    assert (plan.output.folder, plan.output.formats, plan.output.report) == ("release", ("csv",), True)


def test_every_column_says_why():
    text = written(pl.DataFrame({"age": [1, 2], "name": ["x", "y"], "colour": ["red", "red"]}))
    assert text.count("# why: ") == 3


def test_every_sensitive_column_gets_a_promise_with_its_reason_and_no_other_does():
    diseases = ["flu", "cold", "hiv", "asthma"] * 10
    table = pl.DataFrame({"age": range(40), "disease": diseases, "salary": [1000 + 7 * n for n in range(40)]})
    text = written(table)
    assert [getattr(model, "attribute", None) for model in Plan.of(content(text)).models()] == [
        None,
        "disease",
        "salary",
    ]
    assert "# In every group, fewer than 75 % of the records share one value of disease" in text
    assert len(Plan.of(content(written(pl.DataFrame({"age": [1, 2]})))).promises) == 1


def test_a_table_without_quasi_identifiers_says_so():
    assert "No quasi-identifier was found" in written(pl.DataFrame({"disease": ["flu", "cold"]}))
    assert "No quasi-identifier" not in written(pl.DataFrame({"age": [1, 2]}))


def test_many_texts_are_flat_and_a_hierarchy_file_is_suggested():
    text = written(pl.DataFrame({"city": [f"{letter}-town" for letter in "abcdefghijklmnopqrstuvwxyz"] * 2, "x": "y"}))
    assert content(text)["columns"]["city"]["hierarchy"] == {"kind": "flat"}
    assert "26 values" in text
    assert "hierarchy file" in text
    assert "hierarchy file would" not in written(pl.DataFrame({"city": ["a", "b"]}))


def test_nothing_about_reading_is_written_unless_needed():
    assert "read" not in content(written(pl.DataFrame({"age": [1, 2]})))
