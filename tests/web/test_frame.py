"""The frame of the pages."""

from string import Formatter

import pytest

from krypsis.web.texts import LANGUAGES, catalogue
from web.simulated import visiting

pytestmark = pytest.mark.anyio


async def test_the_first_page_is_shown(tmp_path):
    async with visiting(tmp_path) as (user, _):
        await user.open("/")
        await user.should_see("Make personal data safe to publish")


async def test_a_project_that_does_not_exist_is_told(tmp_path):
    async with visiting(tmp_path) as (user, _):
        await user.open("/projects/nothing/plan")
        await user.should_see("there is no project 'nothing'")


async def test_an_address_that_leads_nowhere_shows_the_way_back(tmp_path):
    async with visiting(tmp_path) as (user, _):
        answer = await user.http_client.get("/nothing/here")
        assert answer.status_code == 404
        assert "There is no page at this address." in answer.text
        assert "All projects" in answer.text


async def test_files_of_pages_that_are_not_there_are_no_pages(tmp_path):
    async with visiting(tmp_path) as (user, _):
        answer = await user.http_client.get("/static/nothing.css")
        assert (answer.status_code, answer.json()) == (404, {"detail": "Not Found"})


async def test_the_address_of_a_project_leads_to_its_first_page(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = served.workspace.create("New")
        answer = await user.http_client.get(f"/projects/{project.name}")
        assert (answer.status_code, answer.headers["location"]) == (307, f"/projects/{project.name}/data")


async def test_a_page_that_fails_tells_where_and_nothing_of_the_data(tmp_path, monkeypatch, caplog):
    def fail(_):
        raise ValueError("Ann has flu")

    monkeypatch.setattr("krypsis.web.pages.data.show_sources", fail)
    async with visiting(tmp_path) as (user, served):
        project = served.workspace.create("New")
        answer = await user.http_client.get(f"/projects/{project.name}/data")
        assert answer.status_code == 500
        assert "This page has failed" in answer.text
        assert "ValueError in data.py" in answer.text
        assert "Ann has flu" not in answer.text
        caplog.clear()  # the visitor of a test complains about errors in the log


async def test_a_visitor_is_met_in_the_language_of_the_browser_until_another_is_chosen(tmp_path):
    async with visiting(tmp_path) as (user, _):
        user.http_client.headers["Accept-Language"] = "el-GR,el;q=0.9,en;q=0.8"
        await user.open("/")
        await user.should_see("Τα δικά σας δεδομένα")
        user.find("EN").click()
        await user.open("/")
        await user.should_see("Your own data")


async def test_an_error_of_a_button_that_nobody_expected_is_told_without_its_message(tmp_path, monkeypatch, caplog):
    def fail(_):
        raise ValueError("Ann has flu")

    monkeypatch.setattr("krypsis.web.pages.start.fill_with_demo", fail)
    async with visiting(tmp_path) as (user, _):
        await user.open("/")
        user.find("Start with the demo data").click()
        await user.should_see("Something went wrong that should not: ValueError")
        await user.should_not_see("Ann has flu")
        caplog.clear()


async def test_both_languages_have_the_same_texts_with_the_same_values():
    english, greek = (catalogue(language) for language in LANGUAGES)
    assert english.keys() == greek.keys()
    for key, text in english.items():
        assert sorted(_fields(text)) == sorted(_fields(greek[key])), key


def _fields(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name}
