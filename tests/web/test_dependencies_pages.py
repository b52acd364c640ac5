"""The journey of a table with dependencies through the pages, without a browser."""

import pytest
from nicegui import ui

from krypsis.kinds.publishing import publish
from krypsis.progress import NO_PROGRESS
from krypsis.projects import Reading, take_in
from krypsis.projects.jobs.kinds import check
from web.simulated import until, visiting

pytestmark = pytest.mark.anyio

PATIENTS = """\
drug,ward,diagnosis
insulin,east,E10
aspirin,west,I10
statin,east,E78
statin,west,E78
statin,west,E78
"""
SECRET = "diagnosis where ward = east"
RULE = "drug = insulin => diagnosis in E10, E11"
FUNCTION = "drug -> diagnosis"


def hospital(served):
    """Return a project with patients, and the plan that was proposed for them."""
    project = served.workspace.create("Hospital")
    (project.folder / "data" / "patients.csv").write_text(PATIENTS)
    take_in(project, Reading(kind="dependencies"))
    text = project.plan_text.replace("  - drug\n", "").replace("  drug: sensitive", "  drug: insensitive")
    project.write_plan(text)
    return project


def write(user, marker, lines):
    """Write lines into a form."""
    next(iter(user.find(kind=ui.textarea, marker=marker).elements)).set_value("\n".join(lines))
    user.find(marker=marker).trigger("blur")


async def test_secrets_and_rules_are_written_and_the_release_is_made_checked_and_explained(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = hospital(served)
        await user.open("/projects/hospital/plan")
        write(user, "secrets", [SECRET])
        await until(lambda: project.plan().secrets == (SECRET,))
        write(user, "dependencies", [RULE, FUNCTION])
        await until(lambda: [one.rule for one in project.plan().dependencies] == [RULE, FUNCTION])
        await user.should_see("The plan fits the data.")
        await user.open("/projects/hospital/run")
        await user.should_see(f"{RULE}; {FUNCTION}")
        publish(project.plan(), project.release_folder(1))
        assert check.run(project, NO_PROGRESS, release=1)["holds"]
        await user.open("/projects/hospital/result")
        await user.should_see("Secret cells that followed before")
        await user.should_see("drug = insulin in record 1")


async def test_a_rule_that_cannot_be_read_is_reported_and_the_plan_stays(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = hospital(served)
        await user.open("/projects/hospital/plan")
        write(user, "dependencies", ["drug"])
        await user.should_see("concludes nothing")
        assert project.plan().dependencies == ()


async def test_rules_with_a_public_mapping_are_shown_and_not_edited_as_lines(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = hospital(served)
        (project.folder / "drugs.csv").write_text("drug,diagnosis\nstatin,E78\n")
        rule = "dependencies: [{rule: drug -> diagnosis, public: drugs.csv}]\nunused:"
        project.write_plan(project.plan_text.replace("dependencies:", rule).replace("unused:", "#"))
        await user.open("/projects/hospital/plan")
        field = next(iter(user.find(kind=ui.textarea, marker="dependencies").elements))
        assert (field.value, field.enabled) == (FUNCTION, False)


async def test_the_pages_speak_greek(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = hospital(served)
        project.write_plan(project.plan_text.replace("dependencies:", f"dependencies:\n  - {RULE}", 1))
        publish(project.plan(), project.release_folder(1))
        user.http_client.headers["Accept-Language"] = "el"
        for step, text in {"plan": "Κανόνες", "run": "Μυστικά", "result": "Μυστικά κελιά που προέκυπταν"}.items():
            await user.open(f"/projects/hospital/{step}")
            await user.should_see(text)
