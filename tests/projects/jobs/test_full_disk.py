"""A full disk: everybody is told, nobody waits for ever, and nothing is left when there is space again."""

import errno
import os
import resource
import subprocess
import sys

import httpx
import pytest

from jobs.following import wait_for, with_data
from krypsis.errors import OutputError
from krypsis.io.private import part_prefix, write_private_files
from krypsis.projects import Workspace
from krypsis.projects.jobs import Queue
from krypsis.projects.jobs.job import JobFiles
from krypsis.projects.jobs.queue import UNWRITTEN, OwnProcess
from krypsis.projects.jobs.worker import main as work
from krypsis.release.workshop import open_workshop
from krypsis.web.api import releases
from krypsis.web.served import Served
from krypsis.web.server import create_api
from patience import PATIENCE, wait_until
from release.sample import make_release
from web.calling import calling, listening, project_with_plan

NO_SPACE = OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "projects")


@pytest.fixture
def disk(monkeypatch):
    """A disk that is full for the files of jobs as long as this list holds something."""
    full, write = [], JobFiles.write

    def fails_if_full(self, job):
        if full:
            raise OutputError("it cannot be written: No space left on device")
        write(self, job)

    monkeypatch.setattr(JobFiles, "write", fails_if_full)
    return full


@pytest.fixture
def queue(workspace, monkeypatch):
    """A queue whose processes find the disk full."""

    def start(cls, files, job, memory):  # noqa: ARG001
        return cls(subprocess.Popen([sys.executable, "-c", f"raise SystemExit({UNWRITTEN})"]), memory)

    monkeypatch.setattr(OwnProcess, "start", classmethod(start))
    queue = Queue(workspace)
    yield queue
    queue.close()


def test_a_job_whose_end_cannot_be_written_is_over_all_the_same(workspace, queue, disk):
    project = with_data(workspace)
    job = queue.submit(project, "read")
    disk.append("full")
    ended = wait_for(queue, project, job)
    assert (ended.state, "disk is full" in ended.error) == ("failed", True)
    assert queue.jobs(project) == [ended]
    disk.clear()
    wait_until(lambda: JobFiles(project).read(job.id) == ended)  # written as soon as there is space


def test_a_server_that_starts_on_a_full_disk_knows_which_jobs_are_lost(workspace, disk):
    project = with_data(workspace)
    files = JobFiles(project)
    lost = files.create("read", {})
    files.write(lost.model_copy(update={"state": "running"}))
    disk.append("full")
    queue = Queue(workspace)
    assert queue.job(project, lost.id).state == "lost"
    disk.clear()
    queue.close()
    assert files.read(lost.id).state == "lost"


def test_a_job_that_cannot_be_noted_is_refused_and_does_not_wait(workspace, queue, disk):
    project = with_data(workspace)
    disk.append("full")
    with pytest.raises(OutputError):
        queue.submit(project, "read")
    assert queue.jobs(project) == []


def test_a_process_that_can_write_nothing_says_so_by_its_exit_code(workspace):
    project = with_data(workspace)
    job = JobFiles(project).create("read", {})
    if (process := os.fork()) == 0:
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
            work(str(project.folder), job.id, str(8 * 1024**3))
        except SystemExit as error:
            os._exit(error.code)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == UNWRITTEN


def _full(*_, **__):
    raise NO_SPACE


def test_uploads_and_downloads_on_a_full_disk_are_answered_by_507(tmp_path, monkeypatch):
    with calling(tmp_path) as client:
        home = f"/api/projects/{project_with_plan(client)}"
        monkeypatch.setattr(sys.modules["krypsis.projects.new_data"], "check_size", _full)
        for method, path in (("PUT", "/data/x.csv"), ("PUT", "/files/x.csv"), ("POST", "/checks/x.csv")):
            answer = client.request(method, home + path, content=b"age\n1\n")
            assert (answer.status_code, "No space left" in answer.json()["error"]) == (507, True)
        folder = tmp_path / "workspace" / "patients"
        assert [path.name for path in (folder / "data").iterdir()] == ["patients.csv"]
        assert not list(folder.rglob(".*"))
        make_release().save(folder / "releases" / "1")
        monkeypatch.setattr(releases, "pack", _full)
        assert client.get(f"{home}/releases/1/release.zip").status_code == 507


def test_a_check_that_cannot_be_started_keeps_no_file(tmp_path, disk):
    with calling(tmp_path) as client:
        client.post("/api/projects", json={"title": "Patients"})
        disk.append("full")
        assert client.post("/api/projects/patients/checks/x.csv", content=b"age\n1\n").status_code == 507
    assert list((tmp_path / "workspace" / "patients" / "checks").iterdir()) == []


def test_a_page_that_finds_the_disk_full_is_answered_by_507(workspace):
    app = create_api(Served(workspace))

    async def page(scope, receive, send):  # noqa: ARG001
        _full()

    app.mount("/pages", page)
    with listening(app) as address:
        answer = httpx.get(f"{address}/pages/x", timeout=PATIENCE)
    assert (answer.status_code, "disk is full" in answer.json()["error"]) == (507, True)


def killed(work, *given):
    """Do something in another process that is killed at the end, without a chance to clean up."""
    if (process := os.fork()) == 0:
        with work(*given):
            os._exit(9)
    os.waitpid(process, 0)


class Unfinished:
    """A file that a process is about to write."""

    def __init__(self, folder):
        (folder / f"{part_prefix()}x").touch()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def test_what_killed_processes_left_is_removed_and_what_living_ones_make_is_not(workspace):
    project = workspace.create("Patients")
    make_release().save(project.release_folder(1))
    killed(open_workshop, project.release_folder(1), "12345678")
    killed(Unfinished, project.folder / "releases")
    killed(Unfinished, project.folder / "data")
    assert len(list(project.folder.rglob(".krypsis*"))) == 3
    with open_workshop(project.release_folder(1), "87654321") as living, Unfinished(project.folder / "jobs"):
        workspace.sweep()
        assert living.new.is_dir()
        assert [path.parent.name for path in project.folder.rglob(".krypsis-part*")] == ["jobs"]
        assert list(project.folder.rglob("*.workshop")) == [living.folder]


def test_the_next_release_beside_removes_unfinished_private_files(tmp_path):
    killed(Unfinished, tmp_path)
    make_release().save(tmp_path / "release")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_project_that_cannot_be_created_leaves_no_folder(workspace, monkeypatch):
    monkeypatch.setattr(os, "fsync", _full)
    with pytest.raises(OutputError, match="no project can be created"):
        workspace.create("Patients")
    assert list(workspace.root.iterdir()) == []


def test_a_private_file_that_cannot_be_written_leaves_no_part(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", _full)
    with pytest.raises(OutputError, match="No space left"):
        write_private_files({tmp_path / "x": b"secret"})
    assert list(tmp_path.iterdir()) == []
