"""What every kind of data must have; a kind of a test folder is found and works like the others."""

import ast
import json
import re
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
import krypsis.kinds
from krypsis import report
from krypsis.cli.main import app
from krypsis.errors import UnknownNameError
from krypsis.kinds.base import PLAN, kind_named, kinds
from krypsis.release.publication import Publication
from krypsis.report import build_report, parse_json, render_html, render_json, render_pdf

FOLDERS = sorted(path.parent for path in Path(krypsis.kinds.__path__[0]).glob("*/__init__.py"))
FILES = ("kind.py", "publication.py", "report.py")
"""What stands in the folder of every kind."""


@pytest.fixture
def toy_kind(monkeypatch):
    """A kind that lives in a folder of the tests."""
    folder = str(Path(__file__).parent / "toy_kinds")
    with monkeypatch.context() as patch:
        patch.setattr(krypsis.kinds, "__path__", [*krypsis.kinds.__path__, folder])
        kinds.cache_clear()
        yield kind_named("toy-numbers")
    kinds.cache_clear()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_folder_of_a_kind_has_the_same_files_as_all_others(folder):
    assert [name for name in FILES if not (folder / name).is_file()] == []


@pytest.mark.parametrize("name", sorted(kinds()))
def test_a_kind_says_what_it_is(name):
    assert kind_named(name).name == name
    assert kind_named(name).title[0].islower()


def test_every_form_of_publication_belongs_to_a_kind():
    forms = Publication.__subclasses__()
    assert forms
    assert {cls.kind for cls in forms} <= set(kinds())


@pytest.mark.parametrize("name", sorted(name for name, kind in kinds().items() if kind.demo() is not None))
def test_the_demo_of_a_kind_ends_in_a_release_that_the_checker_accepts(name, tmp_path):
    result = CliRunner().invoke(app, ["demo", "--kind", name, "--folder", str(tmp_path / "demo")])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "demo" / PLAN).is_file()
    assert all(verdict.holds for verdict in krypsis.check(tmp_path / "demo" / "release"))


def test_a_kind_without_a_demo_says_which_have_one():
    result = CliRunner().invoke(app, ["demo", "--kind", "history"])
    assert result.exit_code == 2
    assert "there is no demo of kind 'history' yet" in result.output


def test_a_name_that_no_kind_has_is_refused_with_those_that_are():
    with pytest.raises(UnknownNameError, match=r"kind 'tabel' is not known; kinds: .*Did you mean 'table'"):
        kind_named("tabel")


def test_a_kind_of_another_folder_is_found_and_goes_the_same_way(toy_kind, tmp_path):
    assert toy_kind.title == "a list of numbers"
    result = CliRunner().invoke(app, ["demo", "--kind", "toy-numbers", "--folder", str(tmp_path / "demo")])
    assert result.exit_code == 0, result.output
    assert krypsis.Release.load(tmp_path / "demo" / "release").table["number"].n_unique() == 2


@dataclass(frozen=True)
class OfToyKind:
    """A release that says it is of the toy kind."""

    release: krypsis.Release
    kind: str = "toy-numbers"

    def __getattr__(self, name):
        return getattr(self.release, name)


@pytest.fixture
def toy_report(toy_kind):  # noqa: ARG001
    numbers = pl.DataFrame({"number": ["1", "1", "2", "2", "2"]})
    release = krypsis.anonymize(numbers, {"number": "quasi-identifier"}, models="k-anonymity:k=2")
    return build_report(OfToyKind(release), "numbers")


def test_the_report_of_a_kind_of_another_folder_is_rendered_by_the_shared_code(toy_report):
    page = render_html(toy_report)
    assert "The mean of <bdi>&lt;i&gt;number&lt;/i&gt;</bdi> is 1.6." in page
    assert '<p class="lead">Numbers &lt;b&gt;are&lt;/b&gt; published.</p>' in page
    assert "3 · 60.0 %" in page
    assert "k-anonymity:k=2" in page
    assert render_pdf(toy_report).startswith(b"%PDF")


def test_the_json_of_a_kind_of_another_folder_holds_its_blocks_and_can_be_read_again(toy_report):
    again = json.loads(render_json(toy_report))
    assert (again["kind"], again["holds"]) == ("toy-numbers", True)
    (numbers,) = [section for section in again["sections"] if section["key"] == "numbers"]
    assert numbers["blocks"][0]["words"][3] == {"value": 1.6}
    assert numbers["blocks"][1]["blocks"][0]["bars"] == [{"label": "2", "records": 3}, {"label": "1", "records": 2}]
    assert parse_json(render_json(toy_report)) == toy_report


def test_nothing_in_the_shared_code_of_reports_names_a_kind():
    """Blocks come from kinds; whoever renders them does not ask which kind made them."""
    names = {*kinds(), *(folder.name for folder in FOLDERS)}
    for file in Path(report.__file__).parent.glob("*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        compared = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
        values = {one.value for node in compared for one in ast.walk(node) if isinstance(one, ast.Constant)}
        imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not values & names, file.name
        assert not [name for name in imported if re.match(r"krypsis\.kinds\.(?!base)", name)], file.name
