"""One release of a table that changes: its counterfeits must be possible, and what it cannot show stays undecided."""

import json
import shutil

import polars as pl
import pytest
from typer.testing import CliRunner

from checker.forging import forge, rewrite
from history.people import FIRST, start, without
from krypsis.cli.main import app


@pytest.fixture(scope="module", params=["anatomy", "generalization"])
def published(tmp_path_factory, request):
    history = start(tmp_path_factory.mktemp("history"), algorithm=f"m-invariant:publish={request.param},seed=4")
    history.publish(FIRST)
    history.publish(without(FIRST, "Bob"))  # a counterfeit takes the place
    return history.folder / "releases"


@pytest.fixture
def folder(tmp_path, published):
    """A copy of the second release, to be changed."""
    return shutil.copytree(published, tmp_path / "releases") / "2"


def exit_code_of(folder):
    return CliRunner().invoke(app, ["check", str(folder)]).exit_code


def declare(folder, *rows):
    """Replace the rows of the table of counterfeits."""
    content = "group,counterfeits\n" + "".join(f"{row}\n" for row in rows)
    forge(folder, "counterfeits.csv", content.encode())
    tables = json.loads((folder / "manifest.json").read_text())["tables"]
    tables["counterfeits"]["rows"] = len(rows)
    rewrite(folder, tables=tables)


def test_a_release_as_it_was_published_is_undecided(folder):
    assert exit_code_of(folder) == 3


@pytest.mark.parametrize("row", ["1,99", "77,1", "x,y", "1,1.5", "1,0", "1,-1", "1,", ",1", "1,2", "1,3"])
def test_impossible_counterfeits_are_refused(folder, row):
    """All groups have two or three records, one of them at least somebody's."""
    sizes = dict(pl.read_csv(folder / "data.csv")["group"].value_counts().iter_rows())
    if row == "1,2" and sizes[1] > 2:
        row = "1,3"
    declare(folder, row)
    assert exit_code_of(folder) == 1


def test_a_group_that_is_declared_twice_is_refused(folder):
    declare(folder, "1,1", "1,1")
    assert exit_code_of(folder) == 1


def test_a_release_that_declares_no_counterfeits_at_all_is_refused(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["tables"]["counterfeits"]
    (folder / "counterfeits.csv").unlink()
    files = [file for file in manifest["files"] if file["name"] != "counterfeits.csv"]
    rewrite(folder, tables=manifest["tables"], files=files)
    assert exit_code_of(folder) == 1


def test_a_declared_table_that_is_missing_is_refused(folder):
    (folder / "counterfeits.csv").unlink()
    assert exit_code_of(folder) == 1


def test_two_people_who_are_swapped_leave_the_promise_undecided(folder):
    """Who is in which group in all releases cannot be seen from one of them, so nothing is said to be kept."""
    table = pl.read_csv(folder / "data.csv", infer_schema=False)
    known = [name for name in ("age", "zipcode") if name in table.columns]
    first, last = 0, int((table["group"] != table["group"][0]).arg_true()[0])
    order = list(range(table.height))
    order[first], order[last] = last, first
    swapped = table.with_columns(table[order].get_column(name) for name in known)
    forge(folder, "data.csv", swapped.write_csv().encode())
    assert exit_code_of(folder) == 3


def test_counterfeits_do_not_count_for_k_anonymity(tmp_path):
    """Four records of a look, two of them counterfeits: two people look alike."""
    history = start(tmp_path, models=["m-invariance:m=2", "k-anonymity:k=3"], algorithm="m-invariant:seed=4")
    history.publish(FIRST)
    folder = history.folder / "releases" / "1"
    assert exit_code_of(folder) == 3
    groups = sorted(set(pl.read_csv(folder / "data.csv")["group"].to_list()))
    declare(folder, *(f"{group},1" for group in groups))
    assert exit_code_of(folder) == 1
