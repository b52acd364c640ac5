"""The page Result and its downloads, without a browser."""

import pytest
from nicegui import ui

from krypsis.projects.published_release import PublishedRelease
from web.simulated import visiting
from web.small import grouped_people, people, published_people

pytestmark = pytest.mark.anyio
RELEASE = "/api/projects/people/releases/1"


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


async def test_where_nobody_knows_whose_record_is_whose_the_tables_stand_beside_each_other(tmp_path):
    async with visiting(tmp_path) as (user, served):
        grouped_people(served)
        await user.open("/projects/people/result")
        await user.should_see("nobody can tell whose published record is whose")
        await user.should_see("rows 1 to 10 of 60")


async def test_the_copy_for_spreadsheets_is_downloaded_where_it_is_asked_for(tmp_path):
    async with visiting(tmp_path) as (user, served):
        published_people(served)
        await user.open("/projects/people/result")
        (button,) = user.find(kind=ui.button, content="Download the release (zip)").elements
        assert button.props["href"] == f"{RELEASE}/release.zip"
        user.find("Neutralize formulas").click()
        assert button.props["href"] == f"{RELEASE}/release.zip?neutral=true"
        user.find("Neutralize formulas").click()
        assert button.props["href"] == f"{RELEASE}/release.zip"


async def test_the_verdict_is_told_in_the_language_of_the_visitor(tmp_path):
    async with visiting(tmp_path) as (user, served):
        published_people(served)
        user.http_client.headers["Accept-Language"] = "el"
        await user.open("/projects/people/result")
        await user.should_see("Τηρείται:")
        await user.should_not_see("Kept:")
