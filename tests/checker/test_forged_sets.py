"""Releases of sets that somebody changed who knows the format: nothing passes that was not looked at."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import krypsis
from checker.forging import forge, rewrite
from krypsis.checker.transactions import check_transactions
from krypsis.cli.main import app
from krypsis.errors import HierarchyError
from krypsis.models.km_anonymity import KmAnonymity

BASKETS = krypsis.Transactions.of_sets([["bread", "milk"], ["bread", "milk", "pills"], ["wine", "milk"], ["wine"]] * 6)
GOODS = krypsis.Hierarchy.from_rows(
    [[item, "food", "*"] for item in ("bread", "milk", "wine")] + [["pills"] * 2 + ["*"]]
)


def saved(folder: Path, method: str, promise: str = "km-anonymity:k=3,m=2", **details: Any) -> Path:
    release = krypsis.anonymize(BASKETS, models=promise, algorithm={"name": method, "seed": 1}, **details)
    return release.save(folder / "release").folder


@pytest.fixture
def pieces(tmp_path: Path) -> Path:
    return saved(tmp_path, "disassociation")


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    return saved(tmp_path, "cahd", "privacy-degree:p=2", sensitive_items=["pills"])


@pytest.fixture
def general(tmp_path: Path) -> Path:
    return saved(tmp_path, "apriori", "km-anonymity:k=5,m=2", hierarchies={"item": GOODS})


def verdict_of(folder: Path) -> tuple[int, str]:
    """Return the exit code of the command, and all it said."""
    result = CliRunner().invoke(app, ["check", str(folder)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, re.sub(r"\s+", " ", result.output)


def add(folder: Path, name: str, content: bytes) -> None:
    """Put a file into a release and name it in the manifest."""
    (folder / name).write_bytes(content)
    files = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
    rewrite(
        folder, files=[*files, {"name": name, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}]
    )


def change(folder: Path, name: str, edit: Callable[[str], str]) -> None:
    before = (folder / name).read_text("utf-8")
    assert edit(before) != before
    forge(folder, name, edit(before).encode())


@pytest.mark.parametrize("name", ["data.csv", "sensitive.csv", "names.txt"])
def test_a_file_that_no_promise_is_checked_on_is_refused_although_the_manifest_names_it(
    pieces: Path, name: str
) -> None:
    assert verdict_of(pieces)[0] == 0
    add(pieces, name, b"record,item\n1,Alice\n")
    code, said = verdict_of(pieces)
    assert (code, f"no promise is judged on: the file {name}; nothing is known" in said) == (1, True), said


def test_a_table_of_sensitive_items_that_the_manifest_does_not_speak_of_is_refused(groups: Path) -> None:
    rewrite(groups, sensitive_table=None, group_column=None)
    code, said = verdict_of(groups)
    assert (code, "no promise is judged on: the file sensitive.csv" in said) == (1, True), said


def test_a_column_beside_those_of_sets_is_refused(general: Path) -> None:
    columns = json.loads((general / "manifest.json").read_text("utf-8"))["columns"]
    rewrite(general, columns=[*columns, {"name": "customer", "role": "insensitive", "type": "String"}])
    lines = (general / "data.csv").read_text("utf-8").splitlines()
    rows = [lines[0] + ",customer", *(f"{line},Alice" for line in lines[1:])]
    forge(general, "data.csv", ("\n".join(rows) + "\n").encode())
    code, said = verdict_of(general)
    assert (code, "publishes the columns record, item, customer; sets of items have record, item" in said) == (1, True)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"size": ', '"size": null, "siz": ', "expected a simple cluster"),
        ('"size": ', '"size": 9223372036854775807', "all together have at most 9007199254740992"),
        ('"size": ', '"size": -', "a cluster has at least one record"),
        ('"size": ', '"size": 1, "size": ', "a name stands twice in an object"),
        ('"term_chunk": [', '"term_chunk": ["Alice"], "term_chunk": [', "a name stands twice in an object"),
        ('{"domain"', '{"domain": ["Alice"], "domain"', "a name stands twice in an object"),
        ('"domain": ["', '"domain": ["\\ud800', "half of a character"),
        ('"record_chunks": [', '"record_chunks": ' + "[" * 100_000, "it is not JSON"),
        ('"nodes": [\n', '"nodes": [\n\n', "it is not JSON"),
    ],
)
def test_pieces_of_another_form_are_refused_with_the_reason(pieces: Path, old: str, new: str, said: str) -> None:
    change(pieces, "data.json", lambda text: text.replace(old, new, 1))
    code, told = verdict_of(pieces)
    assert (code, said in told) == (1, True), told


def test_pieces_of_nobody_keep_nothing(pieces: Path) -> None:
    forge(pieces, "data.json", b'{"format": "krypsis-disassociation-1", "nodes": [\n]}\n')
    claims = json.loads((pieces / "manifest.json").read_text("utf-8"))["promises"]
    rewrite(pieces, rows=0, promises=[{**claims[0], "achieved": 0}])
    code, said = verdict_of(pieces)
    assert (code, "is not written as a release writes its clusters" in said) == (1, True), said


@pytest.mark.parametrize("count", ["-1", "1.5", "x", "1_0", "9223372036854775808", "٣", ""])
def test_a_count_that_is_no_whole_number_is_refused(groups: Path, count: str) -> None:
    change(groups, "sensitive.csv", lambda text: re.sub(r",\d+\n", f",{count}\n", text, count=1))
    code, said = verdict_of(groups)
    expected = ("publishes no sets that can be read", "does not hold values of its type")
    assert (code, any(words in said for words in expected)) == (1, True), said


def test_an_item_that_is_counted_more_often_than_its_group_has_records_is_refused(groups: Path) -> None:
    change(groups, "sensitive.csv", lambda text: re.sub(r",\d+\n", ",99\n", text, count=1))
    assert verdict_of(groups)[0] == 1


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([["bread", "food"]], "stands nowhere in the hierarchy"),
        ([["bread", "food"], ["milk"]], "row 2 has 1 cell(s)"),
        ([["bread", "food"], ["bread", "drink"]], "stands twice with different generalizations"),
        ([["bread", "milk"], ["milk", "milk"], ["wine", "milk"]], "'milk' stands for other items at level 0 than"),
    ],
)
def test_a_hierarchy_that_does_not_fit_the_sets_is_refused(general: Path, rows: list[list[str]], said: str) -> None:
    rewrite(general, item_hierarchy=rows)
    code, told = verdict_of(general)
    assert (code, said in told) == (1, True), told
    assert "states a hierarchy that does not fit its sets" in told


def test_a_frequent_item_cannot_be_called_a_kind_to_hide_a_rare_one() -> None:
    sets = [["milk"]] * 4 + [["milk", "insulin"]]
    called_a_kind = krypsis.Hierarchy.from_rows([["insulin", "milk", "*"], ["milk", "milk", "*"]])
    with pytest.raises(HierarchyError, match="'milk' stands for other items at level 0 than at level 1"):
        check_transactions(sets, [KmAnonymity(k=3, m=2)], hierarchy=called_a_kind)
