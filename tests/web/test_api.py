"""The REST API: the whole journey, and what is refused."""

import contextlib
import io
import json
import zipfile

import httpx
import pytest

from krypsis import checker
from web.calling import PATIENTS, PLAN, calling, finished, project_with_plan


@pytest.fixture
def client(tmp_path):
    with calling(tmp_path) as client:
        yield client


def test_the_journey_from_an_upload_to_a_release_that_is_checked(client, tmp_path):
    name = client.post("/api/projects", json={"title": "Patients of 2024"}).json()["name"]
    stored = client.put(f"/api/projects/{name}/data/patients.csv", content=PATIENTS.encode())
    assert stored.json() == {"place": "data/patients.csv", "size": len(PATIENTS)}

    read = finished(client, name, client.post(f"/api/projects/{name}/jobs", json={"kind": "read"}).json())
    assert read["result"] == {"rows": 200, "columns": 3}
    profile = client.get(f"/api/projects/{name}/profile").json()
    assert [column["name"] for column in profile["columns"]] == ["age", "sex", "disease"]
    page = client.get(f"/api/projects/{name}/rows", params={"start": 1, "count": 2}).json()
    assert page == {
        "columns": ["age", "sex", "disease"],
        "rows": [["21", "m", "asthma"], ["22", "f", "flu"]],
        "total": 200,
    }
    assert "data: data/patients.csv" in client.get(f"/api/projects/{name}/plan").json()["text"]

    assert client.put(f"/api/projects/{name}/plan", json={"text": PLAN}).status_code == 200
    ran = finished(client, name, client.post(f"/api/projects/{name}/jobs", json={"kind": "run"}).json())
    assert (ran["state"], ran["result"]["release"], ran["result"]["holds"]) == ("done", 1, True)
    assert client.get(f"/api/projects/{name}").json()["releases"] == [1]
    assert client.get(f"/api/projects/{name}/releases").json() == [1]
    assert client.get(f"/api/projects/{name}/releases/1").json()["algorithm"]

    packed = client.get(f"/api/projects/{name}/releases/1/release.zip")
    assert packed.headers["content-type"] == "application/zip"
    zipfile.ZipFile(io.BytesIO(packed.content)).extractall(tmp_path / "taken")
    (folder,) = (tmp_path / "taken").iterdir()
    assert all(checker.check(folder))

    report = client.get(f"/api/projects/{name}/releases/1/report.html")
    assert report.text.startswith("<!doctype html>") or report.text.startswith("<!DOCTYPE html>")
    assert "script-src" not in report.headers["content-security-policy"]
    assert client.get(f"/api/projects/{name}/releases/1/report.json").json()
    assert client.get(f"/api/projects/{name}/releases/1/private.json").json()["release_id"]

    checked = client.post(f"/api/projects/{name}/jobs", json={"kind": "check", "release": 1}).json()
    assert finished(client, name, checked)["result"]["holds"] is True
    checked = client.post(f"/api/projects/{name}/checks/mine.zip", content=packed.content).json()
    assert finished(client, name, checked)["result"]["holds"] is True
    kinds = [job["kind"] for job in client.get(f"/api/projects/{name}/jobs").json()]
    assert kinds == ["check", "check", "run", "read"]

    assert client.delete(f"/api/projects/{name}").status_code == 204
    assert client.get(f"/api/projects/{name}").status_code == 404
    assert not (tmp_path / "workspace" / name).exists()


def test_a_table_of_another_tool_is_checked_for_a_promise(client):
    name = client.post("/api/projects", json={"title": "Theirs"}).json()["name"]
    table = "age,disease\n[30-40),flu\n[30-40),asthma\n[40-50),flu\n"
    asked = {"promise": "k-anonymity:k=2", "qi": "age"}
    job = client.post(f"/api/projects/{name}/checks/theirs.csv", content=table.encode(), params=asked).json()
    assert finished(client, name, job)["result"]["holds"] is False
    wrong = client.post(f"/api/projects/{name}/checks/x.csv", content=b"a\n1\n", params={"promise": "k-anonimity:k=2"})
    assert wrong.status_code == 422
    assert "Did you mean 'k-anonymity'" in wrong.json()["error"]


def test_a_changed_release_is_refused_by_the_check(client):
    name = project_with_plan(client)
    finished(client, name, client.post(f"/api/projects/{name}/jobs", json={"kind": "run"}).json())
    packed = client.get(f"/api/projects/{name}/releases/1/release.zip").content
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as before, zipfile.ZipFile(changed, "w") as after:
        for member in before.namelist():
            content = before.read(member)
            after.writestr(member, content.replace(b"flu", b"flo") if member.endswith(".csv") else content)
    job = client.post(f"/api/projects/{name}/checks/changed.zip", content=changed.getvalue()).json()
    job = finished(client, name, job)
    assert job["state"] == "failed"
    assert "checksum" in job["error"] or "changed" in job["error"]


def test_a_wrong_plan_is_told_and_not_kept(client):
    name = project_with_plan(client)
    wrong = PLAN.replace("k-anonymity:k=5", "k-anonymity:k=0")
    opinion = client.post(f"/api/projects/{name}/plan/validate", json={"text": PLAN}).json()
    assert opinion == {"valid": True, "error": None}
    assert client.put(f"/api/projects/{name}/plan", json={"text": "columns: ["}).status_code == 422
    refused = client.put(f"/api/projects/{name}/plan", json={"text": PLAN + "shoes: 5\n"})
    assert (refused.status_code, "shoes" in refused.json()["error"]) == (422, True)
    assert client.get(f"/api/projects/{name}/plan").json()["text"] == PLAN
    assert wrong != PLAN


@pytest.mark.parametrize("place", ["/etc/passwd", "../other/data/x.csv", "~/x.csv", "C:\\x.csv"])
def test_a_plan_cannot_name_files_outside_of_its_project(client, place):
    name = project_with_plan(client)
    text = PLAN.replace("data/patients.csv", json.dumps(place))
    refused = client.put(f"/api/projects/{name}/plan", json={"text": text})
    assert (refused.status_code, "outside the project" in refused.json()["error"]) == (422, True)
    assert client.post(f"/api/projects/{name}/plan/validate", json={"text": text}).json()["valid"] is False


@pytest.mark.parametrize("sent", ["..%2f..%2fevil.csv", "..%5cevil.csv", "%2e%2e%2fproject.json", "evil.csv"])
def test_an_upload_lands_in_its_folder_whatever_its_name(client, tmp_path, sent):
    name = client.post("/api/projects", json={"title": "Patients"}).json()["name"]
    answer = client.put(f"/api/projects/{name}/data/{sent}", content=b"age\n1\n")
    assert answer.status_code in (201, 404), answer.text
    files = [path for path in tmp_path.rglob("*") if path.name.endswith(("evil.csv", "data/project.json"))]
    assert all(path.parent == tmp_path / "workspace" / name / "data" for path in files)
    assert client.get(f"/api/projects/{name}").json()["title"] == "Patients"


@pytest.mark.parametrize("name", ["..", "%2e%2e", "..%2f..", ".secret", "a%00b", "A", "x" * 200])
def test_a_project_is_never_looked_for_elsewhere(client, name):
    for way in (f"/api/projects/{name}", f"/api/projects/{name}/plan"):
        assert client.get(way).status_code in (404, 422)


def test_an_upload_that_is_too_large_leaves_the_earlier_data(tmp_path):
    with calling(tmp_path, largest_upload=1000) as client:
        name = client.post("/api/projects", json={"title": "Patients"}).json()["name"]
        client.put(f"/api/projects/{name}/data/small.csv", content=b"age\n1\n")
        refused = client.put(f"/api/projects/{name}/data/large.csv", content=b"x" * 1001)
        assert (refused.status_code, "larger than" in refused.json()["error"]) == (413, True)
        assert client.get(f"/api/projects/{name}").json()["data"] == "small.csv"
        far_too_large = client.put(f"/api/projects/{name}/data/large.csv", content=b"x" * 200_000)
        assert far_too_large.status_code == 413
        assert [path.name for path in (tmp_path / "workspace" / name / "data").iterdir()] == ["small.csv"]


def test_a_stream_that_does_not_say_its_size_is_cut_off(tmp_path):
    endless = (b"x" * 1000 for _ in range(10_000))
    with calling(tmp_path, largest_upload=1000) as client:
        name = client.post("/api/projects", json={"title": "Patients"}).json()["name"]
        with contextlib.suppress(httpx.TransportError):  # the server may close the connection before it has all
            assert client.put(f"/api/projects/{name}/data/a.csv", content=endless).status_code == 413
        assert list((tmp_path / "workspace" / name / "data").iterdir()) == []


def test_what_is_no_file_may_have_a_few_megabytes(client):
    assert client.post("/api/projects", content=b'{"title": "' + b"x" * 9 * 1024**2 + b'"}').status_code == 413


def test_an_empty_upload_is_refused(client):
    name = client.post("/api/projects", json={"title": "Patients"}).json()["name"]
    refused = client.put(f"/api/projects/{name}/data/empty.csv", content=b"")
    assert (refused.status_code, "is empty" in refused.json()["error"]) == (422, True)


def test_what_is_not_there_is_told(client):
    name = client.post("/api/projects", json={"title": "Patients"}).json()["name"]
    for path in ("releases/1", "releases/1/release.zip", "jobs/20260102-030405-678901-ab"):
        assert client.get(f"/api/projects/{name}/{path}").status_code == 404, path
    for path in ("plan", "profile", "rows"):
        assert "upload a file" in client.get(f"/api/projects/{name}/{path}").json()["error"]
    assert "there is no project 'nobody'" in client.get("/api/projects/nobody").json()["error"]
    assert client.get("/api/nowhere").status_code == 404


def test_a_job_can_be_cancelled(client):
    name = project_with_plan(client)
    first = client.post(f"/api/projects/{name}/jobs", json={"kind": "run"}).json()
    second = client.post(f"/api/projects/{name}/jobs", json={"kind": "run"}).json()
    assert client.post(f"/api/projects/{name}/jobs/{second['id']}/cancel").json()["state"] == "cancelled"
    assert finished(client, name, first)["state"] == "done"


def test_wrong_requests_name_what_is_wrong_and_do_not_repeat_it(client):
    name = client.post("/api/projects", json={"title": "Patients"}).json()["name"]
    refused = client.post(f"/api/projects/{name}/jobs", json={"kind": "run", "shoes": "secret value"})
    assert refused.status_code == 422
    assert "shoes" in refused.json()["error"]
    assert "secret value" not in refused.text


def test_the_catalogue_tells_what_there_is(client):
    names = [entry["name"] for entry in client.get("/api/catalogue/models").json()]
    assert "k-anonymity" in names
    (k,) = client.get("/api/catalogue/models/k-anonymity").json()["parameters"]
    assert (k["name"], k["required"]) == ("k", True)
    missing = client.get("/api/catalogue/metrics/los")
    assert (missing.status_code, "Did you mean 'loss'" in missing.json()["error"]) == (404, True)
