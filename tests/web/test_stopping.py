"""Ctrl-C ends a server whatever it is doing, and nothing that it started goes on."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from jobs.following import with_endless_work
from krypsis.projects import Workspace
from krypsis.projects.jobs.job import JobFiles
from patience import PATIENCE, allowance, wait_until

PROCESSES = Path("/proc")

SLOW = """
import time, sys
import krypsis.web.server
from krypsis.projects import Workspace
from krypsis.cli.main import main
krypsis.web.server.LATEST = 3
known = Workspace.projects
Workspace.projects = lambda self: time.sleep(1000) if (self.root / "slow").exists() else known(self)
sys.argv = ["krypsis", *sys.argv[1:]]
main()
"""


@contextmanager
def started(folder: Path, *, program: str | None = None):
    """Start a server in a folder of its own; what it leaves behind is ended after the test."""
    code = ["-m", "krypsis.cli.main"] if program is None else ["-c", program]
    command = [sys.executable, *code, "serve", "--port", "0", "--no-token", "--workspace", str(folder / "mine")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            for number in {process.pid, *left(folder)}:
                try:
                    os.kill(number, signal.SIGKILL)
                except ProcessLookupError:
                    continue


def address_of(process) -> str:
    return re.search(r"http://[^/]+", process.stdout.readline())[0]


def left(folder: Path) -> set[int]:
    """Return the processes whose command names a folder."""
    found = set()
    assert PROCESSES.is_dir(), f"this test needs {PROCESSES} to see which processes are left"
    for words in PROCESSES.glob("[0-9]*/cmdline"):
        try:
            if os.fsencode(folder) in words.read_bytes():
                found.add(int(words.parent.name))
        except OSError:
            continue
    return found


def with_running_job(folder: Path, address: str):
    project = with_endless_work(Workspace(folder / "mine"))
    with httpx.Client(base_url=f"{address}/api/projects/{project.name}", timeout=PATIENCE) as client:
        client.post("/jobs", json={"kind": "run"})
        while not (job := client.get("/jobs").json()[0])["judged"]:
            assert job["state"] in ("waiting", "running")
            time.sleep(0.1)
    return JobFiles(project), job["id"]


def ended(process, seconds: float) -> int:
    began, longest = time.monotonic(), allowance(seconds)
    code = process.wait(PATIENCE)
    assert time.monotonic() - began < longest
    return code


def open_connections(address: str) -> list[socket.socket]:
    """Open a websocket, an upload that never ends, and a connection that says nothing."""
    place = address.removeprefix("http://")
    upgrade = (
        f"GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: {place}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    asked = [
        upgrade,
        f"PUT /api/projects/codes/data/x.csv HTTP/1.1\r\nHost: {place}\r\nContent-Length: 9999\r\n\r\nage,",
        "GET /",
    ]
    host, port = place.split(":")
    connections = []
    for text in asked:
        connection = socket.create_connection((host, int(port)))
        connection.sendall(text.encode())
        connections.append(connection)
    assert b"101" in connections[0].recv(100)
    return connections


def test_one_ctrl_c_ends_a_server_with_open_connections_and_running_jobs(tmp_path):
    with started(tmp_path) as process:
        address = address_of(process)
        files, job = with_running_job(tmp_path, address)
        connections = open_connections(address)
        process.send_signal(signal.SIGINT)
        assert ended(process, 20) == 130
        assert left(tmp_path) == set()
        assert files.read(job).state == "cancelled"
        assert "Traceback" not in process.stderr.read()
        for connection in connections:
            connection.close()


def test_a_second_ctrl_c_ends_everything_at_once(tmp_path):
    with started(tmp_path) as process:
        files, job = with_running_job(tmp_path, address_of(process))
        os.kill(files.holder(job), signal.SIGSTOP)  # it cannot come to an orderly end
        process.send_signal(signal.SIGINT)
        time.sleep(1)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert ended(process, 3) == 130
        wait_until(lambda: left(tmp_path) == set())


def test_closing_the_terminal_ends_the_server_and_its_jobs(tmp_path):
    with started(tmp_path) as process:
        with_running_job(tmp_path, address_of(process))
        process.send_signal(signal.SIGHUP)
        ended(process, 20)
        assert left(tmp_path) == set()


def test_a_request_that_never_ends_does_not_keep_the_server_alive(tmp_path):
    with started(tmp_path, program=SLOW) as process:
        address = address_of(process)
        (tmp_path / "mine" / "slow").touch()
        with pytest.raises(httpx.ReadTimeout):
            httpx.get(f"{address}/api/projects", timeout=1)
        process.send_signal(signal.SIGINT)
        assert ended(process, 13) == 130


@pytest.mark.parametrize("seconds", [0.3, 1.2, 2.5])
def test_ctrl_c_ends_a_server_that_is_still_starting(tmp_path, seconds):
    with started(tmp_path) as process:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        assert ended(process, 10) != 0
        assert left(tmp_path) == set()
