"""Deleting a project: it is gone at once, whatever is being written into it."""

import asyncio
import shutil
import time
from threading import Event, Thread

import httpx
import pytest

from jobs.following import with_endless_work
from krypsis.errors import OutputError, UsageError
from krypsis.projects import Workspace, receive
from krypsis.projects.jobs import Queue
from krypsis.projects.project import ProjectDeleted
from krypsis.web.served import Served
from patience import PATIENCE, wait_until
from web.calling import PATIENTS, calling


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "projects")


def test_a_project_leaves_its_place_before_its_files_are_removed(workspace, monkeypatch):
    workspace.create("Patients")
    seen = []

    def look(*_, **__):
        seen.append([project.name for project in workspace.projects()])
        seen.append((workspace.root / "patients").exists())
        raise OSError(13, "Permission denied")

    monkeypatch.setattr(shutil, "rmtree", look)
    with pytest.raises(OutputError, match="Permission denied"):
        workspace.delete("patients")
    assert seen == [[], False]
    assert workspace.projects() == []
    with pytest.raises(UsageError, match="there is no project"):
        workspace.project("patients")
    assert workspace.create("Patients").name == "patients"  # the name is free


def test_what_could_not_be_removed_is_removed_at_the_next_start(workspace, monkeypatch):
    workspace.create("Patients")
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *_, **__: (_ for _ in ()).throw(OSError(5, "I/O error")))
        with pytest.raises(OutputError):
            workspace.delete("patients")
    assert list(workspace.root.iterdir())
    workspace.sweep()
    assert list(workspace.root.iterdir()) == []


@pytest.mark.parametrize("folder", ["data", "files", "checks"])
@pytest.mark.parametrize("moment", ["before", "during"])
def test_an_upload_into_a_deleted_project_ends_with_that_reason_and_leaves_nothing(workspace, folder, moment):
    project = workspace.create("Patients")

    async def pieces():
        yield b"age\n"
        if moment == "during":
            workspace.delete("patients")
        yield b"5\n"

    if moment == "before":
        workspace.delete("patients")
    with pytest.raises(ProjectDeleted, match="project patients was deleted"):
        asyncio.run(receive(project, "x.csv", pieces(), 100, folder))
    assert list(workspace.root.iterdir()) == []


def test_an_upload_does_not_end_up_in_a_later_project_of_the_same_name(workspace):
    project = workspace.create("Patients")

    async def pieces():
        yield b"age\n"
        workspace.delete("patients")
        workspace.create("Patients")

    with pytest.raises((ProjectDeleted, OutputError)):
        asyncio.run(receive(project, "x.csv", pieces(), 100))
    assert list((workspace.root / "patients" / "data").iterdir()) == []


def test_the_api_answers_404_to_an_upload_whose_project_is_deleted(tmp_path):
    with calling(tmp_path) as client:
        client.post("/api/projects", json={"title": "Patients"})
        begun, deleted = Event(), Event()

        def slowly():
            yield PATIENTS.encode()
            begun.set()
            deleted.wait(PATIENCE)
            yield b"1,f,flu\n"

        answers = []
        upload = Thread(
            target=lambda: answers.append(
                httpx.put(f"{client.base_url}/api/projects/patients/data/x.csv", content=slowly(), timeout=PATIENCE)
            )
        )
        upload.start()
        assert begun.wait(PATIENCE)
        time.sleep(0.3)
        assert client.delete("/api/projects/patients").status_code == 204
        deleted.set()
        upload.join()
        assert answers[0].status_code == 404
        assert "was deleted" in answers[0].json()["error"]
        kept = [path.name for path in (tmp_path / "workspace").iterdir() if not path.name.startswith(".")]
        assert kept == []


def test_no_job_brings_a_deleted_project_back(workspace):
    """Jobs are submitted and the project is deleted, again and again, while the queue starts them."""
    served = Served(workspace)
    for _ in range(3):
        project = with_endless_work(workspace)
        served.queue.submit(project, "run")
        time.sleep(0.15)
        served.delete(project.name)
        with pytest.raises((ProjectDeleted, OutputError)):
            served.queue.submit(project, "run")
    served.close()
    wait_until(lambda: not list(workspace.root.iterdir()))
    time.sleep(0.5)
    assert list(workspace.root.iterdir()) == []


def test_no_job_of_a_project_begins_while_it_is_set_aside(workspace):
    queue = Queue(workspace)
    project = with_endless_work(workspace)
    with queue.cleared(project.name):
        (project.folder / "jobs" / "mark").touch()
        Thread(target=queue.wake).start()
        time.sleep(0.3)
        assert queue.jobs(project) == []
        aside = workspace.set_aside(project.name)
    workspace.remove(aside)
    queue.close()
    assert list(workspace.root.iterdir()) == []
