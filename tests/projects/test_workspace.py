"""Projects are folders, and nothing in them leads out."""

import asyncio
import sqlite3
from contextlib import closing

import pytest

from krypsis.errors import DataError, PlanError, UsageError
from krypsis.projects import Project, Workspace, copy_in, fetch, fill_with_demo, receive, take_in

TABLE = "name,age,disease\nAnn,31,flu\nBob,34,flu\nCid,47,gout\nDee,48,flu\n"


@pytest.fixture
def project(tmp_path) -> Project:
    project = Workspace(tmp_path / "projects").create("Patients")
    (project.folder / "data" / "patients.csv").write_text(TABLE, "utf-8")
    return project


def test_a_file_becomes_a_table_a_profile_and_a_plan_that_runs(project):
    take_in(project)
    assert project.rows(1, 2).rows() == [("Bob", "34", "flu"), ("Cid", "47", "gout")]
    assert project.profile.rows == 4
    assert project.plan().data == "data/patients.csv"


@pytest.mark.parametrize("name", ["..", "../other", "/etc", "a/b", "A", "", "a b", "x" * 80, "a\0"])
def test_a_name_that_leads_elsewhere_is_no_project(tmp_path, name):
    with pytest.raises(UsageError, match="a project is called by"):
        Workspace(tmp_path).project(name)


@pytest.mark.parametrize("parts", [("..",), ("data", "../../x"), ("/etc/passwd",), ("data", "x\0y")])
def test_no_path_leads_out_of_a_project(project, parts):
    with pytest.raises(UsageError):
        project.inside(*parts)


def test_no_link_leads_out_of_a_project(project, tmp_path):
    (project.folder / "data" / "link").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="is not in this project"):
        project.inside("data", "link", "x")


@pytest.mark.parametrize(
    "line",
    [
        "data: /etc/passwd",
        "data: data/../../x.csv",
        "data: ~/x.csv",
        r"data: C:\x.csv",
        "population: ../people.csv",
        "columns: {age: {role: QI, hierarchy: ../age.csv}}",
        "columns: {age: {role: QI, hierarchy: {kind: file, path: /age.csv}}}",
        "promises: ['t-closeness:t=0.2,distance=../x.csv']",
        "output: {folder: ../public}",
    ],
)
def test_a_plan_that_names_a_place_outside_is_refused_and_nothing_changes(project, line):
    take_in(project)
    before = project.plan_text
    with pytest.raises(PlanError, match="is outside the project"):
        project.write_plan(line)
    assert project.plan_text == before


def test_a_plan_that_is_wrong_is_refused_and_nothing_changes(project):
    take_in(project)
    before = project.plan_text
    with pytest.raises(PlanError):
        project.write_plan("data: data/patients.csv\ncolumns: {}\n")
    assert project.plan_text == before


def test_a_file_that_cannot_be_read_leaves_no_table(tmp_path):
    project = Workspace(tmp_path).create("Empty")
    with pytest.raises(UsageError, match="has no data yet"):
        take_in(project)
    (project.folder / "data" / "broken.parquet").write_bytes(b"PAR1")
    with pytest.raises(UsageError, match=r"broken\.parquet is not a Parquet file"):
        take_in(project)
    assert not project.has_table


def test_a_project_is_removed_with_everything_in_it(tmp_path, project):
    take_in(project)
    Workspace(tmp_path / "projects").delete("patients")
    assert not project.folder.exists()


def test_titles_are_checked(tmp_path):
    for title in ("", "  ", "x" * 81):
        with pytest.raises(UsageError, match="1 to 80 characters"):
            Workspace(tmp_path).create(title)


async def _pieces(*pieces):
    for piece in pieces:
        yield piece


def test_an_upload_replaces_the_data_and_what_was_known_about_it(project):
    take_in(project)
    asyncio.run(receive(project, "../x/new.csv", _pieces(b"age\n", b"3\n"), 100))
    assert project.data_file.name == "new.csv"
    assert project.data_file.read_bytes() == b"age\n3\n"
    assert not project.has_table


@pytest.mark.parametrize(("pieces", "message"), [((b"x" * 60, b"y" * 60), "is larger than"), ((), "is empty")])
def test_an_upload_that_cannot_be_taken_leaves_everything_as_it_was(project, pieces, message):
    take_in(project)
    with pytest.raises(DataError, match=message):
        asyncio.run(receive(project, "new.csv", _pieces(*pieces), 100))
    assert project.data_file.name == "patients.csv"
    assert project.has_table
    assert [path.name for path in (project.folder / "data").iterdir()] == ["patients.csv"]


def test_data_comes_from_files_and_databases_too(project, tmp_path):
    (tmp_path / "other.csv").write_text("age\n5\n")
    copy_in(project, str(tmp_path / "other.csv"))
    take_in(project)
    assert project.rows(0, 5).rows() == [("5",)]
    with closing(sqlite3.connect(tmp_path / "clinic.db")) as database:
        database.execute("create table patients (age int)")
        database.execute("insert into patients values (34)")
        database.commit()
    fetch(project, f"sqlite:///{tmp_path}/clinic.db", "patients")
    take_in(project)
    assert project.rows(0, 5).rows() == [(34,)]
    assert "clinic" not in project.plan_text
    with pytest.raises(DataError, match="not found on the machine"):
        copy_in(project, str(tmp_path / "nothing.csv"))


def test_the_demo_is_a_project_whose_plan_runs(tmp_path):
    project = Workspace(tmp_path).create("Demo")
    fill_with_demo(project)
    assert project.plan().output.folder == "release"
    assert sum(project.sketches["sex"].counts) + project.profile.column("sex").missing == project.profile.rows


def test_sketches_tell_how_values_are_distributed(project):
    (project.folder / "data" / "patients.csv").write_text("n,t\n" + "".join(f"{n},{n % 20}\n" for n in range(240)))
    take_in(project)
    assert project.sketches["n"].counts == (20,) * 12
    assert sum(project.sketches["t"].counts) == 240


def test_a_plan_that_was_changed_is_read_anew(project):
    take_in(project)
    for promise in ("k-anonymity:k=2", "k-anonymity:k=3", "k-anonymity:k=2"):  # of the same length
        project.write_plan(f"data: data/patients.csv\ncolumns: {{age: QI}}\npromises: ['{promise}']\n")
        assert project.plan().promises == (promise,)
    (project.folder / "plan.yaml").unlink()
    with pytest.raises(PlanError):
        project.plan()
