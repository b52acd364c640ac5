"""Changing hierarchies, the plan and the promises, in a real browser: with the mouse, and without one."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from web.demo import patients


@pytest.fixture
def project(site):
    return patients(site)


def tree_of_jobs(page, site, project):
    page.goto(site.page_of(project.name, "hierarchies"))
    expect(page.get_by_role("region", name="Effect on the data").get_by_role("row").last).to_be_visible()
    page.get_by_role("navigation", name="Columns").get_by_role("button", name="job").click()
    expect(page.get_by_role("heading", name="job", level=2)).to_be_visible()
    page.get_by_role("tab", name="Tree").click()
    expect(page.get_by_role("checkbox", name="nurse")).to_be_visible()


def row(page, name):
    return page.locator(".kr-node").filter(has=page.get_by_role("checkbox", name=name, exact=True))


def serious(page):
    found = Axe().run(page).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]


def test_a_value_is_dragged_into_a_group(page, site, project):
    tree_of_jobs(page, site, project)
    expect(row(page, "service")).to_contain_text("4 values")
    row(page, "lawyer").drag_to(row(page, "service"))
    expect(row(page, "service")).to_contain_text("5 values")
    assert "lawyer;service;at work;*" in (project.folder / "hierarchies" / "job.csv").read_text("utf-8")


def test_values_are_grouped_with_the_keyboard_alone(page, site, project):
    tree_of_jobs(page, site, project)
    for name in ("nurse", "physician"):
        page.get_by_role("checkbox", name=name).focus()
        page.keyboard.press("Space")
    expect(page.get_by_text("2 chosen")).to_be_visible()
    page.get_by_label("Name of the group").focus()
    page.keyboard.type("health")
    page.keyboard.press("Enter")
    expect(row(page, "health")).to_contain_text("2 values")
    expect(page.get_by_role("group", name="The tree of values")).to_be_focused()
    assert "nurse;health;profession;at work;*" in (project.folder / "hierarchies" / "job.csv").read_text("utf-8")
    assert serious(page) == []


def test_forms_and_text_of_a_plan_follow_each_other(page, site, project):
    page.goto(site.page_of(project.name, "plan"))
    expect(page.get_by_text("The plan fits the data.")).to_be_visible()
    text = page.get_by_role("textbox", name="The plan as text")
    page.get_by_label("k", exact=True).fill("12")
    expect(text).to_have_value(re.compile("k-anonymity:k=12"))
    expect(page.get_by_label("k", exact=True)).to_be_focused()
    text.fill(text.input_value().replace("k-anonymity:k=12", "k-anonymity:k=3"))
    text.press("Control+s")
    expect(page.get_by_label("k", exact=True)).to_have_value("3")
    assert "k-anonymity:k=3" in project.plan_text


@pytest.mark.parametrize("step", ["hierarchies", "advisor", "plan"])
def test_pages_are_readable_in_the_dark_and_on_a_tablet(page, site, project, step):
    page.set_viewport_size({"width": 820, "height": 1180})
    page.goto(site.page_of(project.name, step))
    page.get_by_role("button", name="Light or dark").click()
    ready = {"hierarchies": "Most frequent", "advisor": "Question 1 of", "plan": "The plan fits the data."}
    expect(page.get_by_text(ready[step]).first).to_be_visible()
    page.wait_for_function("document.querySelectorAll('.q-notification').length === 0")
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_values_are_confirmed_once_for_all_columns_before_noisy_counts_are_promised(page, site, project):
    page.goto(site.page_of(project.name, "advisor"))
    question = page.locator("#kr-question")
    for words in (
        "Is the data a network",
        "set of items",
        "facts together with rules",
        "several tables",
        "exactly one record",
        "updated frequently",
    ):
        answer(page, question, words, "Yes" if "exactly" in words else "No")
    for words in ("sensitive information", "up to m values", "Does the attacker know"):
        answer(page, question, words, "No")
    answer(page, question, "Is the database statistical", "Yes")
    expect(question).to_contain_text("ε-differential privacy")
    write = page.get_by_role("button", name="Write this into the plan")
    expect(page.get_by_text("This model needs something from you first: domains.")).to_be_visible()
    expect(write).to_be_hidden()
    assert serious(page) == []
    page.get_by_role("checkbox", name="These values were known without the data").click()
    expect(page.get_by_text("The search found a release that keeps these promises.")).to_be_visible()
    write.click()
    expect(page.get_by_text("The plan promises this now.")).to_be_visible()
    assert [model.name for model in project.plan().models()] == ["differential-privacy"]


def answer(page, question, words, choice):
    expect(question).to_contain_text(words)
    page.get_by_role("radio", name=choice, exact=True).click()
    page.get_by_role("button", name="Next", exact=True).click()
