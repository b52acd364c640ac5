"""``krypsis serve`` as a whole: pages, websockets, files and its end."""

import shutil
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import sync_playwright
from typer.testing import CliRunner

from jobs.following import with_endless_work
from krypsis.cli.main import app
from krypsis.projects import Workspace
from krypsis.projects.jobs.job import JobFiles
from krypsis.web.server import VISITORS
from patience import PATIENCE, wait_until
from web.calling import PATIENTS, finished
from web.running import running


def websocket(address: str, **headers: str) -> int:
    """Ask for a websocket and return the status of the answer."""
    place = urlsplit(address)
    sent = {
        "Host": place.netloc,
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    } | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    with socket.create_connection((place.hostname, place.port), timeout=PATIENCE) as connection:
        way = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
        connection.sendall(f"GET {way} HTTP/1.1\r\n{lines}\r\n".encode())
        return int(connection.recv(100).split()[1])


def test_the_pages_are_served_and_only_to_their_own_origin(tmp_path):
    with running(tmp_path) as address:
        page = httpx.get(address + "/", timeout=PATIENCE)
        assert "Make personal data safe to publish" in page.text
        cookie = page.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert "connect-src 'self'" in page.headers["content-security-policy"]
        assert httpx.get(address + "/static/krypsis.css", timeout=PATIENCE).status_code == 200

        assert websocket(address, Origin=address) == 101
        assert websocket(address, Origin="https://evil.example") == 403
        assert websocket(address, Origin="null") == 403
        assert websocket(address, Origin=address, Host="evil.example") == 403
        polling = address + "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
        assert httpx.get(polling, headers={"Origin": "https://evil.example"}, timeout=PATIENCE).status_code == 403
        assert httpx.post(polling, headers={"Origin": "https://evil.example"}, timeout=PATIENCE).status_code == 403


def test_a_token_guards_pages_files_and_websockets(tmp_path):
    with running(tmp_path, KRYPSIS_TOKEN="correct horse battery") as address:
        assert httpx.get(address + "/", timeout=PATIENCE).headers["location"] == "/login?next=/"
        assert websocket(address, Origin=address) == 403
        assert httpx.get(address + "/_nicegui_ws/socket.io/?EIO=4&transport=polling", timeout=PATIENCE).status_code in (
            303,
            401,
        )
        assert httpx.get(address + "/static/login.css", timeout=PATIENCE).status_code == 200
        with httpx.Client(base_url=address, timeout=PATIENCE) as client:
            client.post("/login", data={"token": "correct horse battery"})
            assert "Make personal data safe to publish" in client.get("/").text
            session = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
            assert websocket(address, Origin=address, Cookie=session) == 101
    assert "correct horse battery" not in (tmp_path / "server.log").read_text()


def test_everything_stays_in_the_workspace_and_is_private(tmp_path):
    with (
        running(tmp_path, "--workspace", "mine") as address,
        httpx.Client(base_url=address, timeout=PATIENCE) as client,
    ):
        client.get("/")
        name = client.post("/api/projects", json={"title": "Patients"}).json()["name"]
        client.put(f"/api/projects/{name}/data/patients.csv", content=PATIENTS.encode())
        finished(client, name, client.post(f"/api/projects/{name}/jobs", json={"kind": "read"}).json())
        client.get(f"/projects/{name}/data")
        job = client.post(f"/api/projects/{name}/jobs", json={"kind": "run"}).json()
        assert finished(client, name, job)["state"] == "done"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "server.log"]
    open_to_others = [path for path in (tmp_path / "mine").rglob("*") if path.stat().st_mode & 0o077]
    assert open_to_others == []
    assert "asthma" not in (tmp_path / "server.log").read_text()


def test_a_browser_loads_everything_from_the_server_and_keeps_what_is_chosen_there(tmp_path):
    asked, complaints = [], []
    with running(tmp_path, "--workspace", "mine") as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(address)
        page.get_by_role("button", name="Light or dark").click()
        page.wait_for_function("document.body.classList.contains('body--dark')")
        visitors = tmp_path / "mine" / VISITORS
        kept = wait_until(lambda: list(visitors.glob("*.json")))
        browser.close()
    assert [file.stat().st_mode & 0o777 for file in kept] == [0o600]
    assert complaints == []
    assert {urlsplit(url).netloc for url in asked if not url.startswith("data:")} == {urlsplit(address).netloc}
    assert not (tmp_path / ".nicegui").exists()


def test_a_server_that_is_stopped_stops_its_jobs(tmp_path):
    project = with_endless_work(Workspace(tmp_path / "mine"))
    with (
        running(tmp_path, "--workspace", "mine") as address,
        httpx.Client(base_url=address, timeout=PATIENCE) as client,
    ):
        client.post(f"/api/projects/{project.name}/jobs", json={"kind": "run"})
        while not (job := client.get(f"/api/projects/{project.name}/jobs").json()[0])["judged"]:
            assert job["state"] in ("waiting", "running")
            time.sleep(0.1)
    files = JobFiles(project)
    assert files.read(job["id"]).state == "cancelled"
    assert files.holder(job["id"]) is None


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--host", "0.0.0.0", "--no-token"], "other machines could read the data"),
        (["--host", "0.0.0.0", "--token", "short"], "at least 12 characters, got 5"),
        (["--host", "no.such.host.invalid", "--token", "correct horse battery"], "nothing can listen on"),
    ],
)
def test_settings_that_cannot_be_are_refused(tmp_path, monkeypatch, options, told):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KRYPSIS_TOKEN", raising=False)
    result = CliRunner().invoke(app, ["serve", *options])
    assert result.exit_code == 2
    assert told in result.stderr


def test_a_port_that_is_taken_is_told(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(app, ["serve", "--port", port, "--workspace", str(Path(tmp_path, "mine"))])
    assert result.exit_code == 2
    assert f"port {port}" in result.stderr
    assert "--port 0" in result.stderr
