"""A server in a process of its own, with the table of a million rows, for questions about pages."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

import httpx

SERVE = [sys.executable, "-m", "krypsis.cli.main", "serve", "--port", "0", "--no-token", "--workspace"]


@contextmanager
def serving(folder: Path) -> Iterator[tuple[httpx.Client, int]]:
    """Run ``krypsis serve``; give what calls it, and the number of its process."""
    with subprocess.Popen([*SERVE, str(folder)], stdout=subprocess.PIPE, text=True) as server:
        address = server.stdout.readline().split()[3]
        try:
            with httpx.Client(base_url=address, timeout=300) as client:
                yield client, server.pid
        finally:
            server.terminate()


def cpu_of(process: int, *, of_jobs: bool = False) -> float:
    """Return the CPU seconds that a server has taken so far, or that its finished jobs have."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    first = 13 if of_jobs else 11
    return (int(fields[first]) + int(fields[first + 1])) / os.sysconf("SC_CLK_TCK")


def new_project(client: httpx.Client) -> str:
    """Create a project and return its address in the API."""
    return "/api/projects/" + client.post("/api/projects", json={"title": "Adult"}).json()["name"]


def upload(client: httpx.Client, project: str, file: Path) -> None:
    """Send a table."""
    with file.open("rb") as stream:
        client.put(f"{project}/data/{file.name}", content=stream).raise_for_status()


def start(client: httpx.Client, project: str, kind: str) -> dict:
    """Start a job."""
    return client.post(f"{project}/jobs", json={"kind": kind}).raise_for_status().json()


def is_over(client: httpx.Client, project: str, job: dict) -> bool:
    """Say whether a job has done its work."""
    now = client.get(f"{project}/jobs/{job['id']}").json()
    if now["state"] not in ("waiting", "running", "done"):
        raise RuntimeError(now["error"])
    return now["state"] == "done"


def wait(client: httpx.Client, project: str, job: dict) -> None:
    """Wait for a job."""
    while not is_over(client, project, job):
        sleep(0.05)
