import json
from collections import Counter

import pytest
from typer.testing import CliRunner

import krypsis
from krypsis.cli.main import app
from krypsis.io.item_sets import transactions_of

SALES = [["bread", "milk", "salt, fine"], ["bread", "milk"], ["bread", "milk", "tea"], ["bread", "wine"]] * 3


@pytest.fixture
def release(tmp_path):
    made = krypsis.anonymize(
        krypsis.Transactions.of_sets(SALES), models=["km-anonymity:k=3,m=2"], algorithm="disassociation"
    )
    made.save(tmp_path / "release")
    return tmp_path / "release"


def run(*arguments):
    return CliRunner().invoke(app, ["reconstruct", *map(str, arguments)])


@pytest.mark.parametrize("name", ["out.dat", "out.csv", "out.jsonl"])
def test_it_writes_one_set_per_line_and_says_that_it_is_made_up(release, tmp_path, name):
    result = run(release, "-o", tmp_path / name, "--seed", 1)
    assert result.exit_code == 0, result.output
    assert "MADE UP" in result.stderr
    drawn = transactions_of(tmp_path / name).sets()
    assert len(drawn) == len(SALES)
    # Nothing here is so rare that it is in a term chunk, so all items come back as often as they are in the data.
    assert Counter(item for one in drawn for item in one) == Counter(item for one in SALES for item in one)


def test_the_same_seed_gives_the_same_and_several_data_sets_differ(release, tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        assert run(release, "-o", tmp_path / folder / "out.jsonl", "--seed", 7, "--number", 3).exit_code == 0
    first = [(tmp_path / "a" / f"out-{place}.jsonl").read_text("utf-8") for place in (1, 2, 3)]
    assert first == [(tmp_path / "b" / f"out-{place}.jsonl").read_text("utf-8") for place in (1, 2, 3)]
    assert len(set(first)) > 1
    assert all(isinstance(json.loads(line), list) for line in first[0].splitlines())


def test_uniform_copies_take_k_from_the_promise(release, tmp_path):
    assert run(release, "-o", tmp_path / "out.dat", "--copies", "uniform").exit_code == 0


def test_an_existing_file_is_kept_unless_forced(release, tmp_path):
    (tmp_path / "out.dat").write_text("mine", "utf-8")
    result = run(release, "-o", tmp_path / "out.dat")
    assert result.exit_code == 2
    assert "--force" in result.stderr
    assert (tmp_path / "out.dat").read_text("utf-8") == "mine"
    assert run(release, "-o", tmp_path / "out.dat", "--force").exit_code == 0


def test_a_folder_that_cannot_be_written_to_is_named(release, tmp_path):
    result = run(release, "-o", tmp_path / "nowhere" / "out.dat")
    assert result.exit_code == 2
    assert "nowhere" in result.stderr


def test_a_release_of_whole_sets_is_refused(tmp_path):
    made = krypsis.anonymize(
        krypsis.Transactions.of_sets([["a"]] * 6), models=["km-anonymity:k=3,m=1"], algorithm="km-suppression"
    )
    made.save(tmp_path / "sets")
    result = run(tmp_path / "sets", "-o", tmp_path / "out.dat")
    assert result.exit_code == 2
    assert "disassociation" in result.stderr
