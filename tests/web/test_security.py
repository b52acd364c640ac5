"""What the guard lets in, and what it adds."""

import logging
import re
import stat

import httpx
import pytest
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from krypsis.errors import UsageError
from krypsis.projects import Workspace
from krypsis.web.security import limited
from krypsis.web.served import Served, ServerSettings
from krypsis.web.server import Discreet, create_api
from krypsis.web.sessions import COOKIE, Sessions
from patience import PATIENCE
from web.calling import calling, listening

TOKEN = "correct horse battery staple"


@pytest.fixture(scope="module")
def refusing(tmp_path_factory):
    """A server of which nothing is asked that it does."""
    with calling(tmp_path_factory.mktemp("refusing")) as client:
        yield client


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    """A server with a token, to which nobody comes signed in."""
    with calling(tmp_path_factory.mktemp("door"), token=TOKEN) as client:
        yield client


@pytest.fixture
def client(tmp_path):
    with calling(tmp_path) as client:
        yield client


@pytest.fixture
def locked(tmp_path):
    with calling(tmp_path, token=TOKEN) as client:
        yield client


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.com", ""])
def test_another_address_is_refused_without_a_token(tmp_path, host):
    with pytest.raises(UsageError, match="other machines could read the data"):
        create_api(Served(Workspace(tmp_path), ServerSettings(host=host)))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.1.2.3"])
def test_this_machine_needs_no_token(tmp_path, host):
    assert create_api(Served(Workspace(tmp_path), ServerSettings(host=host)))


def test_another_address_is_served_with_a_token(tmp_path):
    assert create_api(Served(Workspace(tmp_path), ServerSettings(host="0.0.0.0", token=TOKEN)))


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS"])
@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://127.0.0.1:1",
        "http://localhost.evil.example",
        "http://[",
        "",
        "127.0.0.1",
    ],
)
def test_requests_of_pages_of_other_origins_are_refused(refusing, method, origin):
    answer = refusing.request(method, "/api/projects", headers={"Origin": origin}, json={"title": "Stolen"})
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    assert refusing.get("/api/projects").json() == []


def test_requests_of_its_own_pages_are_answered(client):
    own = str(client.base_url).rstrip("/")
    answer = client.post("/api/projects", headers={"Origin": own}, json={"title": "Mine"})
    assert answer.status_code == 201


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_calls_foreign_is_refused_unless_it_is_a_link(refusing, site):
    sent = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}
    assert refusing.get("/api/projects", headers=sent).status_code == 403
    assert refusing.post("/api/projects", headers=sent | {"Sec-Fetch-Mode": "navigate"}, json={}).status_code == 403
    assert refusing.get("/api/projects", headers=sent | {"Sec-Fetch-Mode": "navigate"}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "", "127.0.0.1.evil.example", "["])
def test_a_name_that_somebody_else_gave_this_machine_is_refused(refusing, host):
    """Else a page could make its own name lead to this machine, and read what is served here."""
    assert refusing.get("/api/projects", headers={"Host": host}).status_code in (400, 421)


@pytest.mark.parametrize("path", ["/api/projects", "/api/openapi.json", "/", "/projects/x/data", "/nowhere", "/login"])
def test_every_answer_has_the_headers_that_protect(door, path):
    headers = door.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    policy = headers["content-security-policy"]
    assert "frame-ancestors" in policy
    assert "http" not in policy  # nothing from other servers
    assert not re.search(r"[ ;]\*", policy)


def test_nothing_but_the_sign_in_is_shown_without_the_token(door):
    assert door.get("/api/projects").status_code == 401
    assert door.get("/api/openapi.json").status_code == 401
    assert door.post("/api/projects", json={"title": "x"}).status_code == 401
    led = door.get("/projects/x/plan")
    assert (led.status_code, led.headers["location"]) == (303, "/login?next=/projects/x/plan")
    assert 'type="password"' in door.get("/login").text


def test_the_token_in_a_header_opens_the_api(door):
    assert door.get("/api/projects", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    for wrong in ("Bearer wrong", f"Basic {TOKEN}", TOKEN, "Bearer"):
        assert door.get("/api/projects", headers={"Authorization": wrong}).status_code == 401


def test_signing_in_gives_a_cookie_that_scripts_and_other_sites_cannot_use(locked):
    answer = locked.post("/login?next=/api/projects", data={"token": TOKEN})
    assert (answer.status_code, answer.headers["location"]) == (303, "/api/projects")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie
    assert locked.get("/api/projects").status_code == 200
    locked.post("/logout")
    assert locked.get("/api/projects").status_code == 401


def test_a_wrong_token_is_told_in_the_language_of_the_visitor(locked):
    answer = locked.post("/login", data={"token": "wrong"}, headers={"Accept-Language": "el-GR,el;q=0.9"})
    assert answer.status_code == 401
    assert "Δεν είναι το σωστό διακριτικό" in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "place", ["https://evil.example", "//evil.example", "/\\evil.example", "/a\nb", "javascript:x"]
)
def test_signing_in_never_leads_to_another_server(locked, place):
    answer = locked.post("/login", params={"next": place}, data={"token": TOKEN})
    assert answer.headers["location"] == "/"
    assert place not in locked.get("/login", params={"next": place}).text


def test_the_sign_in_page_escapes_what_it_is_given(door):
    page = door.get("/login", params={"next": '/"><script>alert(1)</script>'}).text
    assert "<script" not in page


def test_the_sign_in_form_cannot_be_sent_by_another_page(locked):
    answer = locked.post("/login", data={"token": TOKEN}, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403


def test_a_cookie_of_another_token_or_another_server_is_worth_nothing():
    sessions = Sessions(TOKEN, "secret")
    ticket = sessions.ticket()
    assert sessions.is_valid(ticket)
    assert not Sessions("another token", "secret").is_valid(ticket)
    assert not Sessions(TOKEN, "another secret").is_valid(ticket)
    session, _, signature = ticket.partition(".")
    end, _, number = session.partition("-")
    assert not sessions.is_valid(f"{int(end) + 1}-{number}.{signature}")
    for wrong in ("", ".", end, session, f"{session}.", f".{signature}", "x.y", "é.é", ticket + "0"):
        assert not sessions.is_valid(wrong)


def test_a_cookie_runs_out(monkeypatch):
    sessions = Sessions(TOKEN, "secret")
    ticket = sessions.ticket()
    end = int(ticket.partition("-")[0])
    monkeypatch.setattr("krypsis.web.sessions.time.time", lambda: end + 1)
    assert not sessions.is_valid(ticket)


def test_a_copied_cookie_is_worth_nothing_after_its_session_was_ended(tmp_path):
    with calling(tmp_path, token=TOKEN) as server:
        kept, ended = (_signed_in(server) for _ in range(2))
        assert [_status(server, cookie) for cookie in (kept, ended)] == [200, 200]
        server.cookies.clear()
        server.post("/logout", headers={"Cookie": ended})
        assert [_status(server, cookie) for cookie in (kept, ended)] == [200, 401]
    with calling(tmp_path, token=TOKEN) as restarted:
        assert [_status(restarted, cookie) for cookie in (kept, ended)] == [200, 401]
    assert stat.S_IMODE((tmp_path / "workspace" / ".ended-sessions").stat().st_mode) == 0o600


def _signed_in(server):
    server.cookies.clear()
    return server.post("/login", data={"token": TOKEN}).headers["set-cookie"].partition(";")[0]


def _status(server, cookie):
    server.cookies.clear()
    return server.get("/api/projects", headers={"Cookie": cookie}).status_code


def test_the_secret_of_the_server_is_private_and_stays(tmp_path):
    workspace = Workspace(tmp_path)
    create_api(Served(workspace, ServerSettings()))
    secret = (tmp_path / ".secret").read_text()
    create_api(Served(workspace, ServerSettings()))
    assert (tmp_path / ".secret").read_text() == secret
    assert (tmp_path / ".secret").stat().st_mode & 0o777 == 0o600


def test_an_unexpected_error_tells_its_place_and_not_its_message(tmp_path, caplog):
    app = create_api(Served(Workspace(tmp_path), ServerSettings()))

    @app.get("/broken")
    def broken() -> None:
        raise ZeroDivisionError("the secret value")

    with listening(app) as address:
        answer = httpx.get(f"{address}/broken", timeout=PATIENCE)
    assert answer.status_code == 500
    assert "ZeroDivisionError" in answer.json()["error"]
    assert "secret value" not in answer.text
    assert "ZeroDivisionError" in caplog.text
    assert "secret value" not in caplog.text


def test_logs_never_hold_the_message_of_an_error():
    formatter = Discreet("%(message)s")
    try:
        {}["the secret value"]
    except KeyError as error:
        trace = (KeyError, error, error.__traceback__)
        told = formatter.format(logging.LogRecord("x", logging.ERROR, "", 0, error, None, trace))
        named = formatter.format(logging.LogRecord("x", logging.ERROR, "", 0, "it failed", None, trace))
    assert re.fullmatch(r"KeyError in test_security\.py:\d+", told)
    assert named.startswith("it failed: KeyError in")
    assert formatter.format(logging.LogRecord("x", logging.INFO, "", 0, "%s is on", ("it",), None)) == "it is on"


@pytest.mark.anyio
async def test_a_body_is_received_no_further_than_its_limit():
    asked = []

    async def receive():
        asked.append(1)
        return {"type": "http.request", "body": b"x" * 400, "more_body": True}

    receiving = limited(HTTPConnection({"type": "http", "headers": []}), receive, 1000)
    await receiving()
    await receiving()
    with pytest.raises(HTTPException, match="413"):
        await receiving()
    assert len(asked) == 3


def test_two_cookies_of_the_same_name_do_not_confuse(locked):
    locked.post("/login", data={"token": TOKEN})
    (name,) = (cookie.name for cookie in locked.cookies.jar if cookie.name.startswith(COOKIE))
    locked.cookies.clear()
    assert locked.get("/api/projects", headers={"Cookie": f"{name}=x; {name}=y"}).status_code == 401
