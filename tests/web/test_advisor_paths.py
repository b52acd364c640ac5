"""Every result of the advisor leads to a checked release in the browser, too."""

import asyncio
import time

import pytest
from nicegui import ui

from advisor.journeys import TABLES, extended_paths, what_is_asked
from krypsis import checker
from krypsis.progress import Progress
from krypsis.projects import take_in
from krypsis.projects.jobs.kinds import work_of
from krypsis.web.parts import advisor_talk
from krypsis.web.parts.frame import address
from patience import PATIENCE
from web.simulated import visiting

pytestmark = pytest.mark.anyio


def project_of(served, name):
    project = served.workspace.create(name)
    TABLES[name].rows.write_csv(project.folder / "data" / f"{name}.csv")
    for file, content in TABLES[name].files.items():
        content.write_csv(project.folder / file)
    take_in(project)
    return project


async def settled(user):
    """Wait until the search has answered; return the buttons that write a plan."""
    latest = time.monotonic() + PATIENCE
    while time.monotonic() < latest:
        await asyncio.sleep(0.05)
        labels = [one.text for one in user.find(kind=ui.label).elements]
        if any(text.startswith(("Asking the search", "Looking at your data")) for text in labels):
            continue
        if any(text.startswith(("The search found", "This model needs", "The next best is")) for text in labels):
            return writing(user)
    raise AssertionError(f"the search did not answer: {labels}")


def writing(user):
    try:
        return list(user.find(kind=ui.button, content="into the plan").elements)
    except AssertionError:
        return []


async def walk(user, project, answers, said):
    await user.open(address(project.name, "advisor"))
    await settled(user)
    for name, value in said.items():
        if name == "domains" and (boxes := found(user, ui.checkbox)):
            boxes[0].set_value(True)
        fields = [one for one in found(user, ui.input) if one.props.get("label") == name]
        if fields:
            fields[0].set_value(value)
        await settled(user)
    buttons = await settled(user)
    assert buttons, answers
    user.find(kind=ui.button, content="into the plan").click()
    await user.should_see("The plan promises this now.")


def found(user, kind):
    try:
        return list(user.find(kind=kind).elements)
    except AssertionError:
        return []


@pytest.mark.exposed  # some models promise less than that no value is certain
async def test_every_path_of_the_extended_tree_ends_in_a_release_that_the_checker_accepts(tmp_path, monkeypatch):
    async with visiting(tmp_path) as (user, served):
        projects = {name: project_of(served, name) for name in TABLES}
        drafts = {name: project.plan_text for name, project in projects.items()}
        for number, answers in enumerate(extended_paths()):
            name = list(TABLES)[number % len(TABLES)]
            project = projects[name]
            project.write_plan(drafts[name])
            monkeypatch.setattr(
                advisor_talk, "_kept", lambda _, answers=answers: (advisor_talk.USUAL_TREE, tuple(answers))
            )
            await walk(user, project, answers, what_is_asked(name, "extended", answers))
            made = work_of("run")(project, Progress())
            verdicts = checker.check(project.release_folder(made["release"]))
            assert all(verdict.holds is not False for verdict in verdicts), (answers, verdicts)
