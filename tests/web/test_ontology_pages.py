"""The journey of an ontology through the pages, without a browser."""

import pytest
from nicegui import ui
from nicegui.elements.upload_files import SmallFileUpload

from krypsis.kinds.publishing import publish
from krypsis.progress import NO_PROGRESS
from krypsis.projects import Reading, take_in
from krypsis.projects.jobs.kinds import check
from web.simulated import over, until, visiting

pytestmark = pytest.mark.anyio

PREFIX = "Prefix(:=<http://example.org/h#>)\nOntology(\n{}\n)\n"
FACTS = PREFIX.format(
    "ClassAssertion(:Patient :ann)\n"
    "ClassAssertion(:Patient :bob)\n"
    "ClassAssertion(ObjectSomeValuesFrom(:takes :Insulin) :ann)\n"
    "ClassAssertion(ObjectSomeValuesFrom(:takes :Aspirin) :bob)"
)
RULES = PREFIX.format("SubClassOf(ObjectSomeValuesFrom(:takes :Insulin) :Diabetic)")
SECRET = "ClassAssertion(:Diabetic ?)"


def hospital(served):
    """Return a project with facts, public rules, and the plan that was proposed for them."""
    project = served.workspace.create("Hospital")
    (project.folder / "files").mkdir()
    (project.folder / "files" / "rules.ofn").write_text(RULES)
    (project.folder / "data" / "facts.ofn").write_text(FACTS)
    take_in(project, Reading(kind="ontology", public="files/rules.ofn"))
    return project


def published_hospital(served):
    """Return a project with a release of the facts."""
    project = hospital(served)
    project.write_plan(project.plan_text.replace("secrets:", f"secrets:\n  - {SECRET}"))
    publish(project.plan(), project.release_folder(1))
    return project


async def test_an_ontology_and_what_is_public_are_uploaded(tmp_path):
    async with visiting(tmp_path) as (user, served):
        await user.open("/")
        upload = next(iter(user.find(ui.upload).elements))
        await upload.handle_uploads([SmallFileUpload("facts.ofn", "text/plain", FACTS.encode())])
        (project,) = await until(served.workspace.projects)
        job = await over(served, project)
        assert job.state == "done", job.error
        await user.open(f"/projects/{project.name}/data")
        await user.should_see("facts.ofn: 4 axioms about 3 classes, 2 individuals, 1 roles")
        await user.should_see("What everybody knows")
        upload = next(one for one in user.find(ui.upload).elements if "functional syntax" in one.props["label"])
        await upload.handle_uploads([SmallFileUpload("rules.ofn", "text/plain", RULES.encode())])
        await until(lambda: len(served.queue.jobs(project)) == 2)
        job = await over(served, project)
        assert job.state == "done", job.error
        assert project.plan().public == "files/rules.ofn"
        await user.open(f"/projects/{project.name}/data")
        await user.should_see("1 membership of an individual in a class follows without being stated")


async def test_secrets_are_named_and_the_release_is_made_checked_and_explained(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = hospital(served)
        await user.open("/projects/hospital/plan")
        await user.should_see("no secret is named")
        field = next(iter(user.find(kind=ui.textarea, marker="secrets").elements))
        field.set_value(SECRET)
        user.find(marker="secrets").trigger("blur")
        await until(lambda: project.plan().secrets == (SECRET,))
        await user.should_see("The plan fits the data.")
        await user.open("/projects/hospital/run")
        await user.should_see(SECRET)
        user.find("Anonymize").click()
        job = await over(served, project)
        assert job.state == "done", job.error
        assert check.run(project, NO_PROGRESS, release=1)["holds"]
        await user.open("/projects/hospital/result")
        await user.should_see("Secrets that followed before")
        await user.should_see("ann : ∃takes.Insulin")


async def test_a_secret_that_names_nothing_known_is_reported(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = hospital(served)
        project.write_plan(project.plan_text.replace("secrets:", "secrets: ['ClassAssertion(:Diabetik ?)']"))
        await user.open("/projects/hospital/plan")
        await user.should_see("Did you mean 'http://example.org/h#Diabetic'?")


async def test_the_attacker_derives_the_secret_before_and_not_after(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = published_hospital(served)
        await user.open("/projects/hospital/attack")
        next(iter(user.find(kind=ui.select, marker="attacks").elements)).set_value("derivation")
        user.find(marker="try").click()
        job = await over(served, project)
        assert job.state == "done", job.error
        (found,) = job.result["attacks"]
        assert (found["before"]["rate"], found["after"]["rate"]) == (1.0, 0.0)
        await user.open("/projects/hospital/attack")
        await user.should_see("Derivation of secrets")


async def test_the_advisor_asks_for_the_secrets_and_writes_them_into_the_plan(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = hospital(served)
        await user.open("/projects/hospital/advisor")
        await user.should_see("The data holds 4 axioms about 2 individuals.")
        user.find(kind=ui.button, content="Accept what the data says").click()
        await user.should_see("The model that fits: inference safety")
        await user.should_see("This model needs something from you first: secrets.")
        user.find(kind=ui.input, content="secrets").type(SECRET)
        await user.should_see("The plan will say:")
        user.find(kind=ui.button, content="Write this into the plan").click()
        await user.should_see("The plan promises this now.")
        assert project.plan().secrets == (SECRET,)


async def test_the_pages_of_an_ontology_speak_greek(tmp_path):
    async with visiting(tmp_path) as (user, served):
        published_hospital(served)
        user.http_client.headers["Accept-Language"] = "el"
        for step, text in {
            "data": "Ό,τι γνωρίζουν όλοι",
            "plan": "Μυστικά",
            "run": "Μυστικά",
            "result": "Μυστικά που προέκυπταν",
            "attack": "Ποια επίθεση",
        }.items():
            await user.open(f"/projects/hospital/{step}")
            await user.should_see(text)
