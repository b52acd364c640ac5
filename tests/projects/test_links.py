"""Links in a workspace, a project or an archive are never followed."""

import os
import stat
import zipfile

import pytest
from typer.testing import CliRunner

from jobs.following import with_data
from krypsis.cli.main import app
from krypsis.errors import DataError, UsageError
from krypsis.io.archive import unpack
from krypsis.projects import Workspace
from krypsis.projects.jobs.job import JobFiles
from krypsis.projects.jobs.worker import main as work
from krypsis.projects.safe_paths import LinkFound
from web.calling import calling

SECRET = "age,sex,disease\n1,f,a secret\n"
PLACES = [
    "data/patients.csv",
    "plan.yaml",
    "profile.json",
    "table.parquet",
    "releases/1.report.html",
    "jobs/x",
    "files/h.csv",
]


@pytest.fixture
def secret(tmp_path):
    file = tmp_path / "secret.csv"
    file.write_text(SECRET)
    return file


def soft(place, target):
    place.symlink_to(target)


def hard(place, target):
    os.link(target, place)


def pipe(place, target):  # noqa: ARG001  nobody would ever answer
    os.mkfifo(place)


@pytest.mark.parametrize("link", [soft, hard, pipe])
@pytest.mark.parametrize("name", PLACES)
def test_a_project_with_a_link_is_refused_by_its_name(tmp_path, secret, link, name):
    workspace = Workspace(tmp_path / "projects")
    project = with_data(workspace)
    place = project.folder / name
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    link(place, secret)
    with pytest.raises(LinkFound, match=place.name):
        workspace.project(project.name)
    workspace.delete(project.name)
    assert secret.read_text() == SECRET


def test_a_project_or_its_description_that_is_a_link_is_none(tmp_path):
    workspace, other = Workspace(tmp_path / "projects"), Workspace(tmp_path / "others")
    hidden = other.create("Hidden")
    (workspace.root / "hidden").symlink_to(hidden.folder)
    linked = workspace.create("Linked")
    (linked.folder / "project.json").unlink()
    (linked.folder / "project.json").symlink_to(hidden.folder / "project.json")
    assert workspace.projects() == []
    for name in ("hidden", "linked"):
        with pytest.raises(UsageError, match="there is no project"):
            workspace.project(name)


def test_no_address_of_the_api_follows_a_link(tmp_path, secret):
    with calling(tmp_path) as client:
        workspace = Workspace(tmp_path / "workspace")
        project = with_data(workspace)
        (project.folder / "data" / "patients.csv").unlink()
        (project.folder / "data" / "patients.csv").symlink_to(secret)
        home = f"/api/projects/{project.name}"
        for method, path in [
            ("GET", ""),
            ("GET", "/rows"),
            ("GET", "/plan"),
            ("GET", "/releases/1/report.html"),
            ("PUT", "/data/x.csv"),
            ("POST", "/jobs"),
        ]:
            answer = client.request(method, home + path, content=b'{"kind": "read"}')
            assert answer.status_code == 422, (path, answer.text)
            assert "is a link" in answer.json()["error"]
        assert client.delete(home).status_code == 204
    assert secret.read_text() == SECRET


def test_a_job_does_not_read_through_a_link_that_came_after_its_start(tmp_path, secret):
    project = with_data(Workspace(tmp_path / "projects"))
    files = JobFiles(project)
    job = files.create("read", {})
    (project.folder / "data" / "patients.csv").unlink()
    (project.folder / "data" / "patients.csv").symlink_to(secret)
    work_in_child(project.folder, job.id)
    assert (files.read(job.id).state, "is a link" in files.read(job.id).error) == ("failed", True)
    assert not project.has_table


def work_in_child(folder, job):
    """Work in another process: a worker limits its own memory."""
    if (process := os.fork()) == 0:
        work(str(folder), job, str(8 * 1024**3))
        os._exit(0)
    os.waitpid(process, 0)


@pytest.mark.parametrize("name", [".temporary", ".visitors", ".secret"])
def test_a_workspace_that_leads_elsewhere_is_not_served(tmp_path, name):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").touch()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).symlink_to(precious)
    result = CliRunner().invoke(app, ["serve", "--port", "0", "--workspace", str(tmp_path / "mine")])
    assert result.exit_code == 2
    assert "is a link" in result.stderr
    assert (precious / "thesis.txt").exists()


def test_a_zip_file_with_a_link_is_refused(tmp_path):
    file = tmp_path / "x.zip"
    with zipfile.ZipFile(file, "w") as packed:
        link = zipfile.ZipInfo("data.csv")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(link, "/etc/passwd")
    with pytest.raises(DataError, match="not a file in its own folder"):
        unpack(file, tmp_path / "out", 1000)
