"""The API keeps what its description says, whatever is sent to it."""

import subprocess
import sys

import httpx

from krypsis.projects import Workspace
from krypsis.web import security
from krypsis.web.served import Served, ServerSettings
from krypsis.web.server import create_api
from patience import PATIENCE
from web.calling import listening, project_with_plan

TOKEN = "correct horse battery"


def test_no_request_makes_the_api_break_its_description(tmp_path, monkeypatch):
    monkeypatch.setattr(security, "PAUSE", 0)  # wrong tokens are among what is tried
    served = Served(Workspace(tmp_path / "workspace"), ServerSettings(token=TOKEN, largest_upload=10**6))
    sent = {"Authorization": f"Bearer {TOKEN}"}
    with (
        listening(create_api(served)) as address,
        httpx.Client(base_url=address, headers=sent, timeout=PATIENCE) as client,
    ):
        project_with_plan(client)
        command = [
            sys.executable,
            "-c",
            "from schemathesis.cli import schemathesis; schemathesis()",
            "run",
            f"{address}/api/openapi.json",
            f"--header=Authorization: Bearer {TOKEN}",
            "--max-examples=5",
            "--seed=8",
            "--checks=all",
            "--exclude-checks=positive_data_acceptance",  # no schema says which texts are plans
            "--generation-database=none",
        ]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "26 passed" in result.stdout, result.stdout  # every operation was tried
