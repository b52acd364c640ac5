"""Odd and wrong sets of items, from the file to the published folder."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from krypsis.cli.main import app
from krypsis.io.item_sets import transactions_of

PLAIN = ["1 2 3", "1 2", "2 3", "1 3", "1 2 3", "4 1", "4 1", "2 4", "2 4"] * 3
TAXONOMY = "1,a,*\n2,a,*\n3,b,*\n4,b,*\n"
KM, DEGREE = "km-anonymity:k=2,m=2", "privacy-degree:p=2"
METHODS = {
    "apriori": (KM, "items: {hierarchy: goods.csv}"),
    "km-suppression": (KM, ""),
    "disassociation": (KM, ""),
    "cahd": (DEGREE, "items: {sensitive: ['4']}"),
    "permutation-mondrian": (DEGREE, "items: {sensitive: ['4']}"),
}
ODD = [
    *("a,b", 'say "hi"', "x;y", "tab\there", "line\nbreak", " lead", "trail ", "-1", "null", "", "*", "NA", "é", "1|2"),
    *("#c", "{", "[x]", "\u2028sep", "\\n", "cr\rx", "true", "1.0", "001", "b: c"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("goods.csv").write_text(TAXONOMY, encoding="utf-8")
    return tmp_path


def command(*words):
    return CliRunner().invoke(app, list(words))


def run(method, lines, promise=None, items=None, data="sales.dat"):
    """Publish lines by a method and return what the command said."""
    if lines is not None:
        Path(data).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    usual, usual_items = METHODS[method]
    plan = ["kind: transactions", f"data: {data}", items or usual_items, f"promises: ['{promise or usual}']"]
    Path("plan.yaml").write_text("\n".join([*plan, f"algorithm: {method}", ""]), encoding="utf-8")
    return command("run", "plan.yaml", "--force", "--quiet")


def assert_published(result):
    assert result.exit_code == 0, result.stderr
    assert command("check", "release").exit_code == 0


def published():
    return transactions_of(krypsis.Release.load("release").table, key="record", item="item")


@pytest.mark.parametrize("method", ["apriori", "km-suppression", "cahd", "permutation-mondrian"])
def test_records_without_items_stay_records(method):
    assert_published(run(method, [*PLAIN, "", ""]))
    found = published()
    assert len(found) == len(PLAIN) + 2
    assert sum(size == 0 for size in found.sizes) >= 2


def test_pieces_cannot_hide_a_record_without_items_and_the_error_says_what_to_do():
    result = run("disassociation", [*PLAIN, "", ""])
    assert result.exit_code == 2
    assert "2 of 29 records are empty" in result.stderr
    assert "leave empty records out" in result.stderr


@pytest.mark.parametrize("method", METHODS)
def test_a_file_without_records_is_refused(method):
    result = run(method, [])
    assert (result.exit_code, "there are no records" in result.stderr) == (2, True)


@pytest.mark.parametrize("method", METHODS)
def test_an_item_that_stands_twice_in_a_record_counts_once(method):
    assert_published(run(method, [f"{line} {line}" for line in PLAIN]))
    release = krypsis.Release.load("release")
    if release.publication.chunks is None:
        assert not release.table.select("record", "item").is_duplicated().any()
    else:
        assert all(len(set(one)) == len(one) for one in map(list, release.publication.chunks.pieces.sets()))


@pytest.mark.parametrize("method", METHODS)
def test_a_record_of_ten_thousand_items_is_published(method):
    items = [str(number) for number in range(1, 10_001)]
    Path("goods.csv").write_text("".join(f"{item},g{int(item) % 100},*\n" for item in items), encoding="utf-8")
    assert_published(run(method, [" ".join(items), *PLAIN]))


def test_an_item_that_the_taxonomy_lacks_is_named():
    result = run("apriori", [*PLAIN, "9 1"])
    assert result.exit_code == 2
    assert "lacks 1 value(s) of the data: '9'; add them to the hierarchy" in result.stderr


@pytest.mark.parametrize("method", ["cahd", "permutation-mondrian"])
def test_a_sensitive_item_that_is_too_frequent_is_named_with_the_largest_p(method):
    result = run(method, PLAIN, "privacy-degree:p=3")
    assert result.exit_code == 1
    assert "12 of 27 records hold the sensitive item '4'" in result.stderr
    assert "The largest feasible p is 2" in result.stderr


@pytest.mark.parametrize("method", ["cahd", "permutation-mondrian"])
def test_a_sensitive_item_that_nobody_holds_is_told_with_the_nearest(method):
    result = run(method, ["bread milk", "bread wine"] * 4, items="items: {sensitive: [wien]}")
    assert result.exit_code == 2
    assert "no record holds the sensitive item(s) 'wien'" in result.stderr
    assert "Did you mean 'wine'?" in result.stderr


@pytest.mark.parametrize("method", ["apriori", "km-suppression", "disassociation"])
def test_more_than_there_are_records_is_infeasible_and_says_what_is_possible(method):
    result = run(method, PLAIN, "km-anonymity:k=1000,m=2")
    assert result.exit_code == 1
    assert "27" in result.stderr.replace("27 record", "")
    assert not Path("release").exists()


@pytest.mark.parametrize("method", ["apriori", "km-suppression", "disassociation"])
def test_knowing_more_items_than_the_longest_record_has_is_knowing_all_of_it(method):
    assert_published(run(method, PLAIN, "km-anonymity:k=2,m=50"))


@pytest.mark.parametrize("method", ["apriori", "km-suppression", "disassociation"])
@pytest.mark.parametrize("m", [1_000_000, 2**64])
def test_knowing_more_items_than_there_are_asks_for_no_more_work(method, m):
    assert_published(run(method, PLAIN, f"km-anonymity:k=2,m={m}"))


def test_items_in_another_encoding_are_read_and_published_as_utf8():
    Path("menu.csv").write_bytes("café,thé\ncafé,eau\n".encode("cp1252") * 6)
    assert_published(run("km-suppression", None, data="menu.csv"))
    assert set(published().items) == {"café", "thé", "eau"}


def test_bytes_that_are_no_text_are_told_with_their_place():
    Path("bin.dat").write_bytes(b"1 2\n\x81\xfe 3\n")
    result = command("init", "bin.dat", "--kind", "transactions")
    assert result.exit_code == 2
    assert "bin.dat, line 2" in result.stderr
    assert "name the encoding" in result.stderr


@pytest.mark.parametrize("forms", ["csv", "parquet"])
@pytest.mark.parametrize("method", ["km-suppression", "cahd"])
def test_items_with_separators_are_published_as_they_are(method, forms):
    lines = [json.dumps([item, "salt"], ensure_ascii=False) for item in ODD] * 6
    items = f"items: {{sensitive: ['b: c']}}\noutput: {{formats: [{forms}]}}"
    assert_published(run(method, lines, items=items, data="odd.jsonl"))
    secret = {"b: c"} if method == "cahd" else set()
    assert set(published().items) == {*ODD, "salt"} - secret


def test_pieces_hold_items_with_separators_as_they_are():
    lines = [json.dumps([item, "salt"], ensure_ascii=False) for item in ODD] * 6
    assert_published(run("disassociation", lines, data="odd.jsonl"))
    assert set(krypsis.Release.load("release").publication.chunks.items) == {*ODD, "salt"}


def test_the_pieces_of_a_release_are_checked_without_their_folder():
    assert_published(run("disassociation", PLAIN))
    assert command("check", "release/data.json", "--promise", KM).exit_code == 0
    refused = command("check", "release/data.json", "--promise", "km-anonymity:k=28,m=2")
    assert (refused.exit_code, "Not kept" in refused.stdout) == (1, True)


def test_sets_in_groups_are_checked_without_their_folder():
    assert_published(run("cahd", PLAIN))
    words = ["check", "release/data.csv", "--key", "record", "--item", "item", "--group", "group"]
    apart = ["--sensitive-table", "release/sensitive.csv"]
    assert command(*words, *apart, "--promise", DEGREE).exit_code == 0
    assert command(*words, *apart, "--promise", "privacy-degree:p=20").exit_code == 1
    assert "sets in groups need four names" in command(*words, "--promise", DEGREE).stderr
    assert "sets in groups" in command("check", "sales.dat", "--promise", DEGREE).stderr
    table = pl.DataFrame({"group": [1]})
    table.write_csv("short.csv")
    short = command(*words, "--sensitive-table", "short.csv", "--promise", DEGREE)
    assert (short.exit_code, "columns group, item and count" in short.stderr) == (2, True)


def test_pieces_are_checked_for_sensitive_items_that_are_named():
    assert_published(run("disassociation", PLAIN, f"{KM}', 'set-diversity:l=2", "items: {sensitive: ['4']}"))
    words = ["check", "release/data.json", "--promise", "set-diversity:l=2"]
    assert command(*words, "--sensitive", "4").exit_code == 0
    assert command(*words, "--sensitive", "1").exit_code == 1
    assert "none is named" in command(*words).stderr


def test_every_step_of_a_run_is_told_in_words():
    run("apriori", PLAIN)
    steps = command("run", "plan.yaml", "--force").stderr.splitlines()
    assert "… measuring what was lost" in steps
    assert all(" " in step.removeprefix("… ") for step in steps if step != "… searching")


def test_json_lines_are_checked_as_sets():
    Path("odd.jsonl").write_text("".join(f"{json.dumps([one, 'salt'])}\n" for one in ODD) * 2, encoding="utf-8")
    assert command("check", "odd.jsonl", "--promise", "km-anonymity:k=2,m=2").exit_code == 0
    assert command("check", "odd.jsonl", "--promise", "km-anonymity:k=3,m=2").exit_code == 1


def test_a_plan_for_sets_brings_the_hierarchy_of_its_items_to_a_check():
    assert_published(run("apriori", PLAIN))
    assert command("check", "release", "--plan", "plan.yaml").exit_code == 0


@pytest.mark.parametrize("words", [("explore", "plan.yaml"), ("apply", "release", "sales.dat", "--output", "more")])
def test_what_is_about_columns_refuses_sets_of_items(words):
    assert_published(run("apriori", PLAIN))
    result = command(*words)
    assert (result.exit_code, "sets of items" in result.stderr) == (2, True)


def test_chosen_levels_are_refused_with_the_methods_that_there_are():
    run("apriori", PLAIN)
    result = command("run", "plan.yaml", "--levels", "1", "--output", "other")
    assert result.exit_code == 2
    assert "disassociation" in result.stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [("sales.dat", "1 2 3\n2 3\n\n7\n"), ("sales.txt", "1 2 -1 -2\n3 -1 -2\n"), ("s.jsonl", '["a"]\n')],
)
def test_a_file_of_sets_is_not_taken_for_a_table(name, text):
    Path(name).write_text(text, encoding="utf-8")
    result = command("init", name, "--kind", "table")
    assert (result.exit_code, "--kind transactions" in result.stderr) == (2, True)
    assert not Path("plan.yaml").exists()
    assert command("init", name).exit_code == 0
    assert krypsis.Plan.load("plan.yaml").kind == "transactions"


@pytest.mark.parametrize("text", ["age\n40\n50\n\n60\n", "1 2\n3 4\n5 6\n", "40\n50\n\n60\n", "a,b\n1,2\n"])
def test_a_table_is_not_taken_for_a_file_of_sets(text):
    Path("table.csv").write_text(text, encoding="utf-8")
    assert "--kind transactions" not in command("init", "table.csv").stderr
