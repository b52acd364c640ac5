"""The token: how a browser and a program use it, and that nothing is reached without it."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from typer.testing import CliRunner

from krypsis.cli.main import app
from patience import PATIENCE
from web.calling import calling
from web.raw import status_of
from web.running import run_default, running

TOKEN = "correct horse battery staple"


@pytest.fixture
def locked(tmp_path):
    with calling(tmp_path, token=TOKEN) as client:
        yield client


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """The address that a server prints which was started without any option about tokens, and its log."""
    folder = tmp_path_factory.mktemp("default")
    with run_default(folder) as address:
        yield address, folder / "server.log"


def test_the_printed_address_signs_a_browser_in_and_the_token_leaves_the_address(printed):
    address, log = printed
    (token,) = parse_qs(urlsplit(address).query)["token"]
    home = address.partition("?")[0]
    assert len(token) >= 32
    assert httpx.get(home, timeout=PATIENCE).headers["location"] == "/login?next=/"
    assert httpx.get(home + "api/projects", timeout=PATIENCE).status_code == 401
    with httpx.Client(base_url=home, timeout=PATIENCE) as client:
        entered = client.get(address)
        assert (entered.status_code, entered.headers["location"]) == (303, "/")
        session = [cookie for cookie in entered.headers.get_list("set-cookie") if "krypsis_session" in cookie]
        assert all(flag in session[0].lower() for flag in ("httponly", "samesite=strict", "path=/"))
        assert token not in str(entered.headers)
        assert "Make personal data safe to publish" in client.get("/").text
        assert client.get("/api/projects").status_code == 200
    assert (
        httpx.get(home + "api/projects", headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE).status_code
        == 200
    )
    assert token not in log.read_text()


def test_every_start_has_another_token(tmp_path, printed):
    with run_default(tmp_path) as address:
        assert urlsplit(address).query != urlsplit(printed[0]).query


HIDDEN = [
    "/api/projects",
    "//api/projects",
    "/api//projects",
    "/api/../api/projects",
    "/%61pi/projects",
    "/api%2fprojects",
    "/API/projects",
    "/api/projects/",
    "/api/projects.",
    "/api/projects;x",
    "/login/../api/projects",
    "/login/api/projects",
    "/loginx",
    "/login/",
    "/login.",
    "//login",
    "/LOGIN",
    "/login%2f..%2fapi%2fprojects",
    "/static/krypsis.css",
    "/static/../api/projects",
    "/static/..%2fapi%2fprojects",
    "/static/login.css/../../api/projects",
    "/static/",
    "/_nicegui/3/static/nicegui.js",
    "/_nicegui_ws/socket.io/?EIO=4&transport=polling",
    "/projects/x/data",
    "http://127.0.0.1/api/projects",
    "/api/projects?/login",
    "/api/projects?token=" + TOKEN.replace(" ", "%20"),
]


@pytest.mark.parametrize("path", HIDDEN)
def test_no_spelling_of_an_address_is_answered_without_the_token(printed, path):
    for method in ("GET", "HEAD", "POST", "OPTIONS", "FOO"):
        assert status_of(printed[0], path, method) in (303, 400, 401), method


@pytest.mark.parametrize("host", ["127.0.0.1/login?", "127.0.0.1/login#", "127.0.0.1\\login", "x@127.0.0.1/login?"])
def test_no_name_of_the_server_changes_what_the_guard_looks_at(printed, host):
    assert status_of(printed[0], "/api/projects", Host=host) in (400, 401, 421)


@pytest.mark.parametrize(
    "path",
    ["/_nicegui_ws/socket.io/?EIO=4&transport=websocket", "//_nicegui_ws/socket.io/", "/login", "/static/login.css"],
)
def test_no_websocket_is_opened_without_the_token(printed, path):
    headers = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    key = {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    assert status_of(printed[0], path, **headers, **key) == 403


def test_wrong_tokens_wait_and_the_right_one_does_not(locked):
    """Visitors behind a proxy share an address, so whoever guesses there must not keep the others out."""

    def guess(way: int) -> tuple[int, float]:
        began = time.monotonic()
        if way % 3 == 0:
            answer = locked.get("/api/projects", headers={"Authorization": "Bearer wrong"})
        elif way % 3 == 1:
            answer = locked.post("/login", data={"token": "wrong"})
        else:
            answer = locked.get("/", params={"token": "wrong"})
        return answer.status_code, time.monotonic() - began

    with ThreadPoolExecutor(30) as pool:
        guesses = list(pool.map(guess, range(30)))
        assert {status for status, _ in guesses} == {401, 303}
        assert min(seconds for _, seconds in guesses) > 0.9
        waiting = [pool.submit(guess, way) for way in range(29)]
        began = time.monotonic()
        assert locked.get("/api/projects", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
        assert locked.post("/login", data={"token": TOKEN}).status_code == 303
        assert time.monotonic() - began < 0.8
        assert all(one.result() for one in waiting)


@pytest.mark.parametrize("path", ["/", "/projects/x/data", "//evil.example/x", "/\\evil.example", "/login"])
def test_signing_in_by_the_address_leads_to_the_same_place_of_this_server(locked, path):
    answer = locked.get(str(locked.base_url).rstrip("/") + path, params={"token": TOKEN, "n": "1 2"})
    place = answer.headers.get("location", "/")
    assert "token" not in place
    assert re.match(r"/(?![/\\])", place)
    if path.startswith("/projects"):
        assert place == "/projects/x/data?n=1+2"


def test_a_wrong_token_in_an_address_signs_nobody_out(locked):
    locked.post("/login", data={"token": TOKEN})
    answer = locked.get("/", params={"token": "wrong"})
    assert answer.headers["location"] == "/"
    assert "set-cookie" not in answer.headers
    assert locked.get("/api/projects").status_code == 200


def test_servers_of_two_workspaces_keep_their_visitors_apart(tmp_path):
    """Browsers send cookies of one port of a machine to all its ports."""
    with httpx.Client(timeout=PATIENCE) as browser:
        for name in ("one", "two"):
            with calling(tmp_path / name, token=TOKEN) as client:
                browser.post(f"{client.base_url}/login", data={"token": TOKEN})
        names = [cookie.name for cookie in browser.cookies.jar if "session" in cookie.name]
    assert len(set(names)) == 2


def test_a_token_of_ones_own_is_not_printed(tmp_path):
    with running(tmp_path, KRYPSIS_TOKEN=TOKEN) as address:
        assert re.fullmatch(r"http://127.0.0.1:\d+", address)
        assert (
            httpx.get(
                address + "/api/projects", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=PATIENCE
            ).status_code
            == 200
        )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--no-token", "--host", "0.0.0.0"], "other machines could read the data"),
        (["--no-token", "--token", TOKEN], "--no-token"),
        (["--allow-paths", "--host", "0.0.0.0"], "--allow-paths"),
    ],
)
def test_options_that_would_open_the_server_are_refused(tmp_path, monkeypatch, options, reason):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KRYPSIS_TOKEN", raising=False)
    result = CliRunner().invoke(app, ["serve", *options])
    assert result.exit_code == 2
    assert reason in result.stderr
