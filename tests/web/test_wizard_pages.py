"""The advisor without data: both trees, every result of the original tool with its paper, and the way to a project."""

import csv
import io
import re

import pytest
from nicegui import ui
from nicegui.elements.upload_files import SmallFileUpload

from advisor.test_trees import NAMES, PATHS
from krypsis import registry
from krypsis.advisor.results import references, results
from krypsis.projects import Workspace, fill_with_demo
from krypsis.web.pages.wizard import demo_kind
from web.simulated import over, until, visiting
from web.test_advisor_page import button, next_button, radio

pytestmark = pytest.mark.anyio
SHORT = {"Y": "yes", "N": "no"}


def shown(user, kind):
    """Return what is shown now, also nothing."""
    with user.client:
        return [one for one in user.client.elements.values() if isinstance(one, kind)]


async def walk(user, answers):
    """Answer the open question and those after it; each page comes only after an answer."""
    for number, answer in enumerate(answers, start=1):
        await user.should_see(f"Question {number} of at most")
        assert not next_button(user).enabled
        radio(user).set_value(SHORT[answer])
        button(user, "Next").click()


async def reach(user, answers):
    """Answer to the end, and wait for the result."""
    await walk(user, answers)
    await user.should_see(kind=ui.html, marker="result")


async def test_the_original_tree_is_walked_without_data_to_all_18_models(tmp_path):
    """Section 6.3: every path of the original tool ends on the page of its model, with the paper as a link."""
    async with visiting(tmp_path) as (user, served):
        await user.open("/advisor")
        button(user, "Start the 17 questions").click()
        for path in csv.DictReader(io.StringIO(PATHS)):
            await reach(user, path["answers"])
            name = NAMES[path["model"]]
            links = {link.props["href"] for link in shown(user, ui.link)}
            assert {references()[number].link for number in results()[name].references} <= links
            button(user, "Start again").click()
        assert not served.workspace.projects()


async def test_back_and_cancel_lead_where_they_should(tmp_path):
    async with visiting(tmp_path) as (user, _):
        await user.open("/advisor/seed")
        await walk(user, "YN")
        button(user, "Back").click()
        await user.should_see("Question 2 of at most")
        await user.open("/advisor/seed")
        await user.should_see("Question 2 of at most")
        user.find("Cancel").click()
        await user.should_see("Start the extended questions")


async def test_the_last_page_lists_the_18_models_with_their_papers(tmp_path):
    async with visiting(tmp_path) as (user, _):
        await user.open("/advisor/seed")
        await reach(user, "NY")
        button(user, "Next").click()
        await user.should_see("The 18 models of the original questions")
        links = {link.props["href"] for link in shown(user, ui.link)}
        assert {references()[number].link for name in NAMES.values() for number in results()[name].references} <= links
        button(user, "Finish").click()
        await user.should_see("Start the extended questions")


@pytest.mark.parametrize("name", ["tool", "anonymization"])
async def test_instructions_are_pages_of_their_own(tmp_path, name):
    async with visiting(tmp_path) as (user, _):
        await user.open(f"/advisor/about-{name}")
        await user.should_see("Three threats" if name == "anonymization" else "The two trees")
        button(user, "Start finding a model").click()
        await user.should_see("Start the 17 questions")


async def test_the_extended_tree_knows_dont_know_without_data(tmp_path):
    async with visiting(tmp_path) as (user, _):
        await user.open("/advisor/extended")
        await user.should_see("Question 1 of at most")
        assert set(radio(user).options) == {"yes", "no", "unknown"}


async def test_a_result_is_tried_on_the_built_in_table_and_written_into_its_plan(tmp_path):
    async with visiting(tmp_path) as (user, served):
        await user.open("/advisor/seed")
        await reach(user, "YNNNNY")
        await user.should_see("The model that fits: (α,k)-anonymity")
        button(user, "Try it on the built-in data").click()
        await user.should_see("Write this into the plan")
        button(user, "Write this into the plan").click()
        await user.should_see("The plan promises this now.")
        (project,) = served.workspace.projects()
        assert "alpha-k-anonymity" in [model.name for model in project.plan().models()]
        assert project.has_table


async def test_a_result_is_tried_on_a_file_that_is_dropped(tmp_path):
    rows = (f"{20 + n % 4},{'AB'[n % 2]},{'flu' if n % 3 else 'gout'}\n" for n in range(60))
    table = "age,city,disease\n" + "".join(rows)
    async with visiting(tmp_path) as (user, served):
        await user.open("/advisor/seed")
        await reach(user, "YYYNNNNY")
        await user.should_see("The model that fits: k-anonymity")
        (upload,) = shown(user, ui.upload)
        await upload.handle_uploads([SmallFileUpload("mine.csv", "text/csv", table.encode())])
        await until(lambda: served.workspace.projects() and served.queue.jobs(served.workspace.projects()[0]))
        (project,) = served.workspace.projects()
        await over(served, project)
        await user.open(f"/projects/{project.name}/advisor")
        await user.should_see("The model that fits: k-anonymity")


async def test_an_upload_that_is_refused_leaves_no_project(tmp_path):
    async with visiting(tmp_path) as (user, served):
        await user.open("/advisor/seed")
        await reach(user, "NY")
        await user.should_see(kind=ui.upload)
        (upload,) = shown(user, ui.upload)
        await upload.handle_uploads([SmallFileUpload("empty.csv", "text/csv", b"")])
        await user.should_see("empty.csv is empty")
        assert not served.workspace.projects()


async def test_the_pages_are_there_in_greek(tmp_path):
    async with visiting(tmp_path) as (user, _):
        user.http_client.headers["Accept-Language"] = "el"
        await user.open("/advisor")
        await user.should_see("Έναρξη των 17 ερωτήσεων")


async def test_a_tree_that_does_not_exist_leads_nowhere(tmp_path):
    async with visiting(tmp_path) as (user, _):
        answer = await user.http_client.get("/advisor/none")
        assert answer.status_code == 404


def test_every_result_has_built_in_data():
    found = {demo_kind(result.model) for result in results().values() if result.model in registry.classes("model")}
    assert found == {"table", "transactions", "graph", "ontology", "dependencies"}


@pytest.mark.parametrize("kind", ["transactions", "graph", "ontology", "dependencies"])
def test_built_in_data_of_every_kind_fills_a_project(tmp_path, kind):
    project = Workspace(tmp_path).create("Demo")
    fill_with_demo(project, kind)
    assert project.plan().kind == kind
    named = re.findall(r"\b(?:data|files)/[\w.-]+", project.plan_text)
    assert len(named) == 2
    assert all((project.folder / name).is_file() for name in named)
