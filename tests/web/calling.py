"""The API, called over the network of this machine."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import httpx
import uvicorn

from krypsis.projects import Workspace
from krypsis.web.served import Served, ServerSettings, _current
from krypsis.web.server import create_api
from patience import PATIENCE

PATIENTS = "age,sex,disease\n" + "".join(
    f"{20 + i % 40},{'fm'[i % 2]},{['flu', 'asthma'][i % 2]}\n" for i in range(200)
)
PLAN = """\
data: data/patients.csv
columns:
  age: {role: QI, hierarchy: {kind: intervals, width: 10}}
  sex: QI
  disease: sensitive
promises: [k-anonymity:k=5]
"""


@contextmanager
def calling(folder: Path, **settings) -> Iterator[httpx.Client]:
    """Serve the API of a workspace, and call it; a process serves one at a time, after it the one before."""
    before = [*_current]
    served = Served(Workspace(folder / "workspace"), ServerSettings(**settings))
    try:
        with listening(create_api(served)) as address, httpx.Client(base_url=address, timeout=PATIENCE) as client:
            yield client
    finally:
        _current[:] = before


@contextmanager
def listening(app) -> Iterator[str]:
    """Run an application in a thread, and return its address."""
    with socket.socket() as port:
        port.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none"))
        thread = Thread(target=server.run, args=([port],))
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
                time.sleep(0.01)
            yield f"http://127.0.0.1:{port.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def finished(client: httpx.Client, project: str, job: dict) -> dict:
    latest = time.monotonic() + PATIENCE
    while job["state"] in ("waiting", "running"):
        assert time.monotonic() < latest, job
        time.sleep(0.1)
        job = client.get(f"/api/projects/{project}/jobs/{job['id']}").json()
    return job


def project_with_plan(client: httpx.Client) -> str:
    name = client.post("/api/projects", json={"title": "Patients"}).json()["name"]
    assert client.put(f"/api/projects/{name}/data/patients.csv", content=PATIENTS.encode()).status_code == 201
    assert client.put(f"/api/projects/{name}/plan", json={"text": PLAN}).status_code == 200
    return name
