"""What somebody else on the machine, or a folder from elsewhere, could do to a server."""

import httpx
import pytest
from typer.testing import CliRunner

from jobs.following import wait_for, with_data
from krypsis.cli.main import app
from krypsis.projects import Workspace
from krypsis.projects.jobs import Queue
from krypsis.web.served import Served
from krypsis.web.server import create_api
from patience import PATIENCE
from web.calling import calling, listening, project_with_plan


def test_a_job_takes_no_program_from_the_folder_where_the_server_was_started(tmp_path, monkeypatch):
    here = tmp_path / "downloaded"
    here.mkdir()
    for name in ("polars", "numpy", "pydantic"):
        (here / f"{name}.py").write_text(f"open({str(here / 'ran')!r}, 'w')\nraise SystemExit(1)\n")
    monkeypatch.chdir(here)
    workspace = Workspace(tmp_path / "projects")
    queue = Queue(workspace)
    project = with_data(workspace)
    job = wait_for(queue, project, queue.submit(project, "read"))
    queue.close()
    assert job.state == "done"
    assert not (here / "ran").exists()


def test_a_workspace_that_others_can_write_into_is_not_served(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    result = CliRunner().invoke(app, ["serve", "--port", "0", "--workspace", str(shared)])
    assert result.exit_code == 2
    assert "other users of this machine can write into" in result.stderr


def test_no_answer_names_the_place_of_the_workspace(tmp_path):
    with calling(tmp_path) as client:
        home = f"/api/projects/{project_with_plan(client)}"
        columns = "{age: {role: QI, hierarchy: files/none.csv}}"
        plan = f"data: data/none.csv\ncolumns: {columns}\npromises: ['k-anonymity:k=2']\n"
        answers = [
            client.post(f"{home}/plan/validate", json={"text": plan}).text,
            client.put(f"{home}/plan", json={"text": plan}).text,
            client.get(f"{home}/rows").text,
            client.get(f"{home}/releases/7").text,
        ]
        (tmp_path / "workspace" / "patients" / "plan.yaml").unlink()
        (tmp_path / "workspace" / "patients" / "plan.yaml").mkdir()
        answers.append(client.put(f"{home}/plan", json={"text": "data: data/patients.csv\npromises: []"}).text)
        assert str(tmp_path) not in "".join(answers)


@pytest.mark.parametrize("path", ["/broken/x"])
def test_an_unexpected_error_is_answered_with_the_headers_that_protect(tmp_path, path):
    server = create_api(Served(Workspace(tmp_path / "projects")))

    async def page(scope, receive, send):  # noqa: ARG001
        raise ZeroDivisionError

    server.mount("/broken", page)
    with listening(server) as address:
        answer = httpx.get(address + path, timeout=PATIENCE)
    assert answer.status_code == 500
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
