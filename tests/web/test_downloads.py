"""What a visitor takes away from the page Result."""

import io
import zipfile

import polars as pl
import pytest

import krypsis
from krypsis.projects import Workspace
from krypsis.projects.published_release import PublishedRelease
from web.calling import calling
from web.small import PEOPLE, published_people

RELEASE = "/api/projects/people/releases/1"
HOSTILE = "<script>alert(1)</script>"


class Folder:
    """A workspace that nobody serves yet."""

    def __init__(self, folder):
        self.workspace = Workspace(folder / "workspace")


@pytest.fixture
def project(tmp_path):
    return published_people(Folder(tmp_path), table=PEOPLE.replace("flu", HOSTILE))


@pytest.fixture
def client(tmp_path, project):
    assert project.releases == (1,)
    with calling(tmp_path) as client:
        yield client


def test_the_release_keeps_its_promise_and_holds_nothing_private(client, project, tmp_path):
    answer = client.get(f"{RELEASE}/release.zip")
    assert answer.headers["content-disposition"] == 'attachment; filename="people-release-1.zip"'
    parcel = zipfile.ZipFile(io.BytesIO(answer.content))
    assert not [name for name in parcel.namelist() if "private" in name or "report" in name]
    parcel.extractall(tmp_path / "taken")
    assert all(verdict.holds for verdict in krypsis.check(tmp_path / "taken" / "people-release-1"))
    record = client.get(f"{RELEASE}/private.json")
    assert "private" in record.headers["content-disposition"]
    assert record.json()["release_id"] == PublishedRelease.of(project, 1).manifest.release_id


def test_formulas_are_neutralized_on_request(client):
    answer = client.get(f"{RELEASE}/release.zip", params={"neutral": True})
    table = pl.read_csv(
        zipfile.ZipFile(io.BytesIO(answer.content)).read("people-release-1/data.csv"), infer_schema=False
    )
    assert set(table["disease"]) == {"'=1+1", HOSTILE, "hiv"}


def test_the_report_may_run_nothing_and_is_shown_by_our_own_pages_only(client):
    answer = client.get(f"{RELEASE}/report.html")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "frame-ancestors 'self'" in policy
    assert HOSTILE not in answer.text


def test_nothing_is_downloaded_from_elsewhere(client):
    for file in ("release.zip", "report.html", "private.json"):
        for place in ("people/releases/7", "nobody/releases/1", "people/releases/x", "..%2F..%2Fetc/releases/1"):
            assert client.get(f"/api/projects/{place}/{file}").status_code in {404, 422}, (place, file)


def test_a_release_that_was_changed_is_not_handed_out(client, project):
    (project.release_folder(1) / "data.csv").write_text("changed")
    answer = client.get(f"{RELEASE}/release.zip")
    assert answer.status_code >= 400
    assert "was changed" in answer.text
