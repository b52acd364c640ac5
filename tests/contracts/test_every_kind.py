"""What every kind of data must have; a kind of a test folder is found and works like the others."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import krypsis
import krypsis.kinds
from krypsis.cli.main import app
from krypsis.errors import UnknownNameError
from krypsis.kinds.base import PLAN, kind_named, kinds
from krypsis.release.publication import Publication

FOLDERS = sorted(path.parent for path in Path(krypsis.kinds.__path__[0]).glob("*/__init__.py"))
FILES = ("kind.py", "publication.py")
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
