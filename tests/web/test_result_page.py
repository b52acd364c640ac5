"""The page Result and its downloads, without a browser."""

import io
import zipfile

import polars as pl
import pytest
from nicegui import ui

import krypsis
from krypsis.projects.published import PublishedRelease
from web.simulated import visiting
from web.small import PEOPLE, people, published_people

pytestmark = pytest.mark.anyio
RELEASE = "/projects/people/releases/1"


async def test_a_project_without_a_release_leads_to_the_run(tmp_path):
    async with visiting(tmp_path) as (user, served):
        people(served)
        await user.open("/projects/people/result")
        await user.should_see("Nothing was published yet")
        await user.should_see("Next: Run")


async def test_the_verdict_the_table_and_what_to_take_away_are_shown(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = published_people(served)
        await user.open("/projects/people/result")
        release = PublishedRelease.of(project, 1)
        await user.should_see(release.manifest.verdicts[0].sentence)
        await user.should_see("rows 1 to 10 of 60")
        await user.should_see("Whoever has it can undo the protection")
        (frame,) = [one for one in user.find(ui.element).elements if one.tag == "iframe"]
        assert frame.props["sandbox"] == ""
        assert frame.props["src"] == f"{RELEASE}/report.html"


async def test_pages_are_turned_in_both_tables_together(tmp_path):
    async with visiting(tmp_path) as (user, served):
        release = PublishedRelease.of(published_people(served), 1)
        await user.open("/projects/people/result")
        await user.should_see("rows 1 to 10 of 60")
        user.find(marker="last").click()
        await user.should_see("rows 51 to 60 of 60")
        before = release.before(50, 10)
        for age in before["age"]:
            await user.should_see(age)


async def test_another_release_is_chosen_by_its_number(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = published_people(served, "2,1", "1,1")
        await user.open("/projects/people/result?release=1")
        (select,) = user.find(kind=ui.select).elements
        assert select.value == 1
        assert set(select.options) == set(project.releases) == {1, 2}


async def test_a_release_that_does_not_exist_is_told(tmp_path):
    async with visiting(tmp_path) as (user, served):
        published_people(served)
        for asked in ("9", "x", "-1", "1e3", "٣", "9" * 40):
            await user.open(f"/projects/people/result?release={asked}")
            await user.should_see("releases: 1")


async def test_the_downloaded_release_keeps_its_promise(tmp_path):
    async with visiting(tmp_path / "served") as (user, served):
        published_people(served)
        answer = await user.http_client.get(f"{RELEASE}/release.zip")
        assert answer.headers["content-disposition"] == 'attachment; filename="people-release-1.zip"'
        zipfile.ZipFile(io.BytesIO(answer.content)).extractall(tmp_path)
        assert all(verdict.holds for verdict in krypsis.check(tmp_path / "people-release-1"))


async def test_formulas_are_neutralized_on_request(tmp_path):
    async with visiting(tmp_path) as (user, served):
        published_people(served)
        answer = await user.http_client.get(f"{RELEASE}/release.zip?neutral=true")
        parcel = zipfile.ZipFile(io.BytesIO(answer.content))
        table = pl.read_csv(parcel.read("people-release-1/data.csv"), infer_schema=False)
        assert sorted(set(table["disease"])) == ["'=1+1", "flu", "hiv"]


async def test_the_report_may_run_nothing(tmp_path):
    async with visiting(tmp_path) as (user, served):
        published_people(served, table=PEOPLE.replace("flu", "<script>alert(1)</script>"))
        answer = await user.http_client.get(f"{RELEASE}/report.html")
        assert answer.status_code == 200
        assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
        assert "<script>alert(1)" not in answer.text


async def test_the_private_record_is_a_download_of_its_own(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = published_people(served)
        answer = await user.http_client.get(f"{RELEASE}/private.json")
        assert "PRIVATE" in answer.headers["content-disposition"]
        assert answer.json()["release_id"] == PublishedRelease.of(project, 1).manifest.release_id
        parcel = zipfile.ZipFile(io.BytesIO((await user.http_client.get(f"{RELEASE}/release.zip")).content))
        assert not [name for name in parcel.namelist() if "private" in name or "report" in name]


async def test_nothing_is_downloaded_from_elsewhere(tmp_path):
    async with visiting(tmp_path) as (user, served):
        published_people(served)
        for file in ("release.zip", "report.html", "private.json"):
            for place in ("people/releases/7", "nobody/releases/1", "people/releases/x", "..%2F..%2Fetc/releases/1"):
                answer = await user.http_client.get(f"/projects/{place}/{file}")
                assert answer.status_code in {404, 422}, (place, file)


async def test_a_release_that_was_changed_is_not_handed_out(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = published_people(served)
        (project.release_folder(1) / "data.csv").write_text("changed")
        answer = await user.http_client.get(f"{RELEASE}/release.zip")
        assert answer.status_code == 409
        assert "was changed" in answer.json()["detail"]
