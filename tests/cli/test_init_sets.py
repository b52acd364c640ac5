"""``krypsis init --kind transactions`` in every form of file, and the plan it writes."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from krypsis.cli.main import app
from krypsis.errors import Infeasible
from krypsis.plan import Plan

SETS = [["bread", "milk"], ["bread", "milk"], ["salt, coarse"], ["bread"]]


def as_lines(folder: Path) -> Path:
    path = folder / "sales.csv"
    path.write_text('bread,milk\nbread,milk\n"salt, coarse"\nbread\n', encoding="utf-8")
    return path


def as_pairs(folder: Path) -> Path:
    path = folder / "sales.csv"
    path.write_text('id,item\n1,bread\n1,milk\n2,bread\n2,milk\n3,"salt, coarse"\n4,bread\n', encoding="utf-8")
    return path


def as_json_lines(folder: Path) -> Path:
    path = folder / "sales.jsonl"
    path.write_text('["bread", "milk"]\n["bread", "milk"]\n["salt, coarse"]\n["bread"]\n', encoding="utf-8")
    return path


def as_list_column(folder: Path) -> Path:
    path = folder / "sales.parquet"
    pl.DataFrame({"id": [1, 2, 3, 4], "goods": SETS}).write_parquet(path)
    return path


def invoke(*words: object) -> Result:
    return CliRunner().invoke(app, list(map(str, words)))


@pytest.mark.parametrize("write", [as_lines, as_pairs, as_json_lines, as_list_column])
def test_a_plan_is_written_that_reads_the_sets_and_runs(write: Callable[[Path], Path], tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    result = invoke("init", write(tmp_path), "--kind", "transactions", "-o", plan)
    assert result.exit_code == 0, result.output
    loaded = Plan.load(plan)
    assert sorted(map(sorted, loaded.read_data().sets())) == sorted(map(sorted, SETS))
    assert loaded.promises == ("km-anonymity:k=2,m=2",)
    assert loaded.run().checked().records == 4


def test_the_screen_tells_how_few_items_tell_a_record_apart(tmp_path: Path) -> None:
    result = invoke("init", as_lines(tmp_path), "--kind", "transactions", "-o", tmp_path / "plan.yaml")
    assert "4 records, 3 items" in result.stderr
    assert "25.0 %" in result.stderr


def test_columns_that_cannot_be_guessed_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "sales.parquet"
    pl.DataFrame({"id": [1, 1], "day": [1, 2], "goods": ["a", "b"]}).write_parquet(path)
    asked = invoke("init", path, "--kind", "transactions", "-o", tmp_path / "plan.yaml")
    assert asked.exit_code == 2
    assert "--key and --item" in asked.stderr
    told = invoke(
        "init", path, "--kind", "transactions", "--key", "id", "--item", "goods", "-o", tmp_path / "plan.yaml"
    )
    assert told.exit_code == 0


@pytest.mark.parametrize("text", ["id,item,pieces\n1,bread,2\n1,milk,1\n", "id,item\n1,bread\n2,milk\n"])
def test_a_table_is_not_taken_for_sets_of_everything_in_its_rows(text: str, tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(text, encoding="utf-8")
    words = ("init", tmp_path / "sales.csv", "--kind", "transactions", "-o", tmp_path / "plan.yaml")
    asked = invoke(*words)
    assert asked.exit_code == 2
    assert f"--key and --item. Columns: {', '.join(text.splitlines()[0].split(','))}" in " ".join(asked.stderr.split())
    assert invoke(*words, "--key", "id", "--item", "item").exit_code == 0
    assert {item for one in Plan.load(tmp_path / "plan.yaml").read_data().sets() for item in one} == {
        "bread",
        "milk",
    }


@pytest.mark.parametrize("text", ["1,2\n3,4\n", "milk,wine\nbread,milk\n", "milk\n1\n", "a,b\nc\n", "a,b\nc,d\n"])
def test_sets_of_equal_size_are_no_table(text: str, tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(text, encoding="utf-8")
    assert invoke("init", tmp_path / "sales.csv", "--kind", "transactions", "-o", tmp_path / "plan.yaml").exit_code == 0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"bought": [["a"]], "returned": [["b"]]},
            "several columns of lists: bought, returned; name the one to publish",
        ),
        ({"goods": [[["a"]]]}, "column 'goods' holds lists of List(String); expected lists of texts or numbers"),
        ({"goods": [[b"a"]]}, "column 'goods' holds Binary"),
    ],
)
def test_columns_of_lists_that_cannot_be_used_are_named(
    columns: dict[str, list[object]], message: str, tmp_path: Path
) -> None:
    pl.DataFrame(columns).write_parquet(tmp_path / "sales.parquet")
    result = invoke("init", tmp_path / "sales.parquet", "--kind", "transactions", "-o", tmp_path / "plan.yaml")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "plan.yaml").exists()


def test_the_plan_for_records_without_items_runs_and_says_why_it_chose_its_method(tmp_path: Path) -> None:
    (tmp_path / "sales.dat").write_text("1 2\n\n1 2\n" * 5, encoding="utf-8")
    plan = tmp_path / "plan.yaml"
    assert invoke("init", tmp_path / "sales.dat", "--kind", "transactions", "-o", plan).exit_code == 0
    assert "5 of 15 records hold no item" in plan.read_text("utf-8")
    assert Plan.load(plan).run().checked().records == 15


def test_no_plan_promises_to_hide_a_record_among_itself(tmp_path: Path) -> None:
    (tmp_path / "sales.dat").write_text("1 2\n", encoding="utf-8")
    plan = tmp_path / "plan.yaml"
    assert invoke("init", tmp_path / "sales.dat", "--kind", "transactions", "-o", plan).exit_code == 0
    assert Plan.load(plan).promises == ("km-anonymity:k=2,m=2",)
    with pytest.raises(Infeasible, match="the largest k, and the largest l, that is possible is 1"):
        Plan.load(plan).run()


@pytest.mark.parametrize("text", ["café,milk\nmilk\n", "id,item\n1,café\n1,milk\n2,milk\n"])
def test_another_encoding_is_told_once(text: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "sales.csv").write_bytes(text.encode("latin-1"))
    assert invoke("init", tmp_path / "sales.csv", "--kind", "transactions", "-o", tmp_path / "plan.yaml").exit_code == 0
    assert ["is not UTF-8" in record.getMessage() for record in caplog.records] == [True]


def test_the_columns_of_sets_have_no_meaning_for_a_table(tmp_path: Path) -> None:
    result = invoke("init", as_pairs(tmp_path), "--key", "id", "-o", tmp_path / "plan.yaml")
    assert result.exit_code == 2
    assert "--kind transactions" in result.stderr


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = invoke("init", tmp_path / "sales.dat", "--kind", "transactions", "-o", tmp_path / "plan.yaml")
    assert result.exit_code == 2
    assert "not found" in result.stderr
