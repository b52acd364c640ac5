"""Checking published files that somebody uploads."""

import zipfile
from contextlib import nullcontext

import pytest

from krypsis.errors import DataError, DataWarning, PromiseBroken, UsageError
from krypsis.progress import NO_PROGRESS
from krypsis.projects import Workspace
from krypsis.projects.jobs.kinds.check import UNPACKED, run
from release.sample import make_release


@pytest.fixture
def project(tmp_path):
    project = Workspace(tmp_path).create("Theirs")
    (project.folder / "checks").mkdir()
    return project


def test_a_table_is_checked_and_removed(project):
    file = project.folder / "checks" / "theirs.csv"
    file.write_text("age,disease\n[30-40),flu\n[30-40),asthma\n")
    asked = {"promises": ["k-anonymity:k=2"], "quasi_identifiers": [["age"]]}
    assert run(project, NO_PROGRESS, upload="theirs.csv", **asked)["holds"] is True
    assert not file.exists()


def test_a_file_that_is_no_release_is_told_and_removed_with_what_an_earlier_check_left(project):
    left = project.folder / "checks" / f"{UNPACKED}before"
    left.mkdir()
    with zipfile.ZipFile(project.folder / "checks" / "x.zip", "w") as archive:
        archive.writestr("something.csv", "age\n1\n")
    with pytest.raises(DataError, match=r"manifest\.json"):
        run(project, NO_PROGRESS, upload="x.zip")
    assert list((project.folder / "checks").iterdir()) == []


@pytest.mark.parametrize(
    ("stranger", "error"), [("original.csv", PromiseBroken), ("others/x.csv", PromiseBroken), (None, None)]
)
def test_a_zip_file_with_something_beside_the_release_is_refused(project, tmp_path, stranger, error):
    folder = make_release().save(tmp_path / "release").folder
    with zipfile.ZipFile(project.folder / "checks" / "x.zip", "w") as archive:
        for path in folder.iterdir():
            archive.write(path, f"release/{path.name}")
        if stranger:
            archive.writestr(stranger, "name\nAnn\n")
    if error is None:
        assert run(project, NO_PROGRESS, upload="x.zip")["holds"] is True
    else:
        with pytest.raises(error, match="more than the release"):
            run(project, NO_PROGRESS, upload="x.zip")


def test_axioms_are_checked_with_what_everybody_knows(project):
    (project.folder / "files").mkdir()
    rules = "SubClassOf(ObjectSomeValuesFrom(:takes :Insulin) :Diabetic)"
    (project.folder / "files" / "medicine.ofn").write_text(f"Prefix(:=<http://e#>) Ontology({rules})")
    facts = "ClassAssertion(ObjectSomeValuesFrom(:takes :Insulin) :ann)"
    secret = "ClassAssertion(<http://e#Diabetic> ?)"
    asked = {"upload": "x.ofn", "promises": ["inference-safety"], "sensitive": [secret]}
    for public, holds in ((["files/medicine.ofn"], False), ([], True)):
        (project.folder / "checks" / "x.ofn").write_text(f"Prefix(:=<http://e#>) Ontology({facts})")
        with nullcontext() if public else pytest.warns(DataWarning, match="Diabetic"):
            assert run(project, NO_PROGRESS, **asked, public=public)["holds"] is holds


@pytest.mark.parametrize("place", ["files/nothing.ofn", "../x.ofn", "project.json", "files", "", "files/../x"])
def test_only_an_uploaded_file_is_what_everybody_knows(project, place):
    (project.folder / "checks" / "x.ofn").write_text("Ontology(ClassAssertion(<a> <b>))")
    with pytest.raises(UsageError, match=r"uploaded file|not in this project"):
        run(project, NO_PROGRESS, upload="x.ofn", promises=["inference-safety"], sensitive=["x"], public=[place])


def test_a_table_is_checked_with_rules_that_everybody_knows(project):
    (project.folder / "checks" / "x.csv").write_text("zip,city\n1,Athens\n1,\n")
    asked = {"promises": ["dependency-safety"], "sensitive": ["city"], "dependencies": ["zip -> city"]}
    assert run(project, NO_PROGRESS, upload="x.csv", **asked)["holds"] is False


@pytest.mark.parametrize("name", ["../project.json", "nothing.csv", "", ".", "/etc/passwd", "a/../../plan.yaml"])
def test_nothing_else_can_be_checked(project, name):
    with pytest.raises(UsageError):
        run(project, NO_PROGRESS, upload=name, promises=["k-anonymity:k=2"], quasi_identifiers=[["age"]])
    assert project.about.title == "Theirs"


@pytest.mark.parametrize("given", [{}, {"release": 1, "upload": "x.csv"}, {"release": 1}])
def test_what_to_check_must_be_clear(project, given):
    with pytest.raises(UsageError):
        run(project, NO_PROGRESS, **given)
