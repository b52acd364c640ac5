"""Journeys of people through all pages, in a real browser."""

import re
import zipfile

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import krypsis
from jobs.following import with_endless_work
from krypsis.projects import take_in
from krypsis.web.parts.frame import STEPS

TRUE_OF_A_CENSUS = ("exactly one record", "person they look for is in the database")


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def compare(page):
    return page.get_by_role("button", name=re.compile("^Compare: "))


def step(page, name):
    page.get_by_role("navigation", name="Steps").get_by_role("link", name=name).click()


def downloaded(page, folder):
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download the release (zip)").click()
    zipfile.ZipFile(waiting.value.path()).extractall(folder)
    (release,) = folder.iterdir()
    return release


@pytest.mark.data
def test_from_adult_to_a_release_that_was_chosen_among_all(page, site, choose_file, data_folder, tmp_path):
    adult = data_folder / "relational" / "adult"
    page.goto(site.address)
    choose_file(adult / "adult.csv")
    expect(page.get_by_text("30,162 records")).to_be_visible()
    page.get_by_role("combobox", name="Role of workclass").click()
    page.get_by_role("option", name="other").click()
    expect(page.get_by_text("workclass: other, written into the plan")).to_be_visible()

    step(page, "Hierarchies")
    expect(page.get_by_role("region", name="Effect on the data").get_by_role("row").last).to_be_visible()
    page.get_by_role("navigation", name="Columns").get_by_role("button", name="education").click()
    expect(page.get_by_role("heading", name="education", level=2)).to_be_visible()
    page.get_by_role("tab", name="CSV file").click()
    choose_file(adult / "adult_hierarchy_education.csv")
    expect(page.get_by_text("The file is the hierarchy of education now.")).to_be_visible()

    step(page, "Advisor")
    answer_all(page)
    button(page, "Write this into the plan").click()
    button(page, "Next: Run").click()
    button(page, "Anonymize").click()
    expect(page.get_by_role("heading", name="Before and after")).to_be_visible()

    step(page, "Explore")
    button(page, "Try all ways").click()
    expect(page.get_by_text("ways were tried")).to_be_visible()
    compare(page).last.click()
    expect(page.get_by_role("heading", name="Two solutions side by side")).to_be_visible()
    button(page, "Publish solution 2").click()
    expect(page.get_by_text("Which release")).to_be_visible()
    expect(page.frame_locator("iframe").get_by_role("heading", level=1)).to_be_visible()
    assert all(verdict.holds for verdict in krypsis.check(downloaded(page, tmp_path)))


def answer_all(page):
    """Follow the data as far as it knows; say yes to what holds of a census, and no to the rest."""
    question, done = page.locator("#kr-question"), button(page, "Write this into the plan")
    expect(question).to_be_visible()
    while not done.is_visible():
        before = question.inner_text()
        if button(page, "Accept what the data says").is_visible():
            button(page, "Accept what the data says").click()
        else:
            is_true = any(words in before for words in TRUE_OF_A_CENSUS)
            page.get_by_role("radio", name="Yes" if is_true else "No", exact=True).click()
            button(page, "Next").click()
        expect(question).not_to_have_text(before)
        expect(page.get_by_role("radio").first.or_(done)).to_be_visible()


def test_the_demo_is_published_and_taken_away_in_less_than_ten_clicks(page, site, tmp_path):
    page.goto(site.address)
    button(page, "Start with the demo data").click()
    button(page, "Anonymize as proposed").click()
    button(page, "Anonymize").click()
    expect(page.locator(".kr-notice.kr-good").first).to_contain_text("Kept: every record looks like at least")
    expect(page.frame_locator("iframe").get_by_role("heading", level=1)).to_be_visible()
    assert all(verdict.holds for verdict in krypsis.check(downloaded(page, tmp_path)))


# A star of six with a triangle at one of its ends: the center is the only vertex with five edges.
FRIENDS = "# Undirected graph\n# FromNodeId ToNodeId\n0 1\n0 2\n0 3\n0 4\n0 5\n1 2\n3 6\n4 7\n6 7\n"


def test_an_edge_list_is_published_reported_and_attacked(page, site, choose_file, tmp_path):
    (tmp_path / "friends.txt").write_text(FRIENDS)
    found = {}
    page.goto(site.address)
    choose_file(tmp_path / "friends.txt")
    expect(page.get_by_text("friends.txt: 8 vertices, 9 edges").first).to_be_visible()
    found["data"] = serious(page)
    step(page, "Plan")
    expect(page.get_by_role("textbox", name="The plan as text")).to_be_visible()
    found["plan"] = serious(page)
    step(page, "Run")
    button(page, "Anonymize").click()
    expect(page.get_by_role("heading", name="The graph before and after")).to_be_visible()
    expect(page.frame_locator("iframe").get_by_role("heading", level=1)).to_be_visible()
    found["result"] = serious(page)
    assert all(verdict.holds for verdict in krypsis.check(downloaded(page, tmp_path / "taken")))
    step(page, "Attack lab")
    page.get_by_role("combobox", name="Which attack").click()
    page.get_by_role("option", name="vertex refinement").click()
    button(page, "Attack").click()
    expect(page.get_by_text("Before: succeeds for")).to_be_visible()
    found["attack"] = serious(page)
    assert found == {name: [] for name in found}


def test_a_job_goes_on_while_the_page_is_loaded_again_and_is_cancelled_on_request(page, site):
    project = with_endless_work(site.workspace)
    plan = project.plan_text
    take_in(project)
    project.write_plan(plan)
    page.goto(site.page_of(project.name, "run"))
    button(page, "Anonymize").click()
    expect(page.get_by_text("ways to generalize tried")).to_be_visible()
    page.reload()
    expect(page.get_by_text("ways to generalize tried")).to_be_visible()
    button(page, "Cancel").click()
    expect(page.get_by_text("Cancelled").first).to_be_visible()
    assert project.releases == ()


def test_a_file_that_is_no_table_is_told_and_another_one_can_be_given(page, site, choose_file, tmp_path):
    (tmp_path / "photo.csv").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)))
    (tmp_path / "table.csv").write_text("age,sex\n31,F\n32,M\n31,M\n")
    page.goto(site.address)
    choose_file(tmp_path / "photo.csv")
    expect(page.locator(".kr-notice.kr-bad")).to_be_visible()
    choose_file(tmp_path / "table.csv")
    expect(page.get_by_text("3 records")).to_be_visible()


def test_a_plan_with_a_mistake_is_told_and_not_kept(page, site, people):
    before = site.workspace.project(people).plan_text
    page.goto(site.page_of(people, "plan"))
    text = page.get_by_role("textbox", name="The plan as text")
    expect(text).to_have_value(before)
    text.fill(before.replace("sensitive", "sensitiv"))
    button(page, "Save").click()
    expect(page.get_by_text("Did you mean 'sensitive'?").first).to_be_visible()
    assert site.workspace.project(people).plan_text == before


def test_the_pages_can_be_used_with_the_keyboard_alone(page, site, people):
    page.goto(site.page_of(people, "explore"))
    expect(page.get_by_role("heading", name="The best trade-offs")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the content")
    page.keyboard.press("Enter")
    expect(page.locator("#content")).to_be_focused()
    compare(page).last.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Two solutions side by side")).to_be_visible()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_page_shuts_anybody_out(page, site, people, dark):
    page.goto(site.address)
    if dark:
        button(page, "Light or dark").click()
        expect(page.locator("body.body--dark")).to_be_visible()
    found = {"start": serious(page)}
    for name in STEPS:
        page.goto(site.page_of(people, name))
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.wait_for_load_state("networkidle")
        found[name] = serious(page)
    assert found == {name: [] for name in found}


def serious(page):
    """What keeps people with other senses or tools from using a page."""
    found = Axe().run(page).response["violations"]
    return [
        (one["id"], one["nodes"][0]["html"][:200], one["nodes"][0]["failureSummary"])
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]
