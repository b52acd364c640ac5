"""The pages Start, Data and Run, without a browser."""

import asyncio

import pytest
import xlsxwriter
from nicegui import ui
from nicegui.elements.upload_files import SmallFileUpload

from krypsis.projects import fill_with_demo, take_in
from web.simulated import visiting

pytestmark = pytest.mark.anyio
ROWS = (f"N{n},{20 + n % 40},{'AB'[n % 2]},{'flu' if n % 3 else 'gout'}\n" for n in range(200))
TABLE = "name,age,city,disease\n" + "".join(ROWS)


def filled(served, table=TABLE, title="Patients"):
    project = served.workspace.create(title)
    (project.folder / "data" / "patients.csv").write_text(table, "utf-8")
    return project


async def over(served, project):
    """Wait for the last job."""
    while not (jobs := served.queue.jobs(project)) or not jobs[0].is_over:  # noqa: ASYNC110  another process ends it
        await asyncio.sleep(0.05)
    return jobs[0]


async def test_the_demo_begins_with_one_click(tmp_path):
    async with visiting(tmp_path) as (user, served):
        await user.open("/")
        user.find("Start with the demo data").click()
        await user.should_see("5,000 records")
        (project,) = served.workspace.projects()
        assert project.has_table


async def test_a_project_is_deleted_after_a_question(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = served.workspace.create("Old table")
        await user.open("/")
        await user.should_see("Old table")
        user.find(kind=ui.button, marker="delete-old-table").click()
        await user.should_see("This cannot be undone.")
        user.find("Delete the project").click()
        await user.should_not_see("Old table")
        assert not project.folder.exists()


async def test_a_project_without_data_asks_for_it_and_other_pages_lead_there(tmp_path):
    async with visiting(tmp_path, allow_paths=True) as (user, served):
        project = served.workspace.create("New")
        await user.open(f"/projects/{project.name}/run")
        await user.should_see("Upload a file")
        await user.should_see("A file on this machine")
        await user.should_see("A table of a database")


async def test_columns_are_shown_with_their_role_and_the_reason(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = filled(served)
        take_in(project)
        await user.open(f"/projects/{project.name}/data")
        await user.should_see("patients.csv: 200 records, 4 columns")
        await user.should_see("the name suggests age, which others may know")
        await user.should_see("rows 1 to 20 of 200")


async def test_another_role_is_written_into_the_plan(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = filled(served)
        take_in(project)
        await user.open(f"/projects/{project.name}/data")
        user.find(kind=ui.select, marker="role-city").elements.pop().set_value("sensitive")
        await user.should_see("city: sensitive, written into the plan")
        assert project.plan().columns["city"].role.value == "sensitive"


async def test_a_file_that_is_no_table_is_told_and_can_be_read_in_another_way(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = filled(served, "a;b\n1;2;3\n")
        served.queue.submit(project, "read")
        job = await over(served, project)
        assert job.state == "failed"
        await user.open(f"/projects/{project.name}/data")
        await user.should_see(job.error)
        await user.should_see("Read again")


async def test_a_run_is_followed_to_its_release(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = served.workspace.create("Demo")
        fill_with_demo(project)
        await user.open(f"/projects/{project.name}/run")
        await user.should_see("Every record looks like at least 4 others")
        user.find("Anonymize").click()
        job = await over(served, project)
        assert job.state == "done", job.error
        await user.open(f"/projects/{project.name}/run")
        await user.should_see("Release 1 is written and checked")
        assert project.releases == (1,)


async def test_why_a_run_failed_is_told(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = filled(served)
        take_in(project)
        project.write_plan(project.plan_text.replace("k-anonymity:k=5", "k-anonymity:k=500"))
        served.queue.submit(project, "run")
        job = await over(served, project)
        await user.open(f"/projects/{project.name}/run")
        await user.should_see(f"Not possible: {job.error}")
        assert "500" in job.error


async def test_a_broken_plan_is_told_on_the_page(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = filled(served)
        take_in(project)
        (project.folder / "plan.yaml").write_text("data: [", "utf-8")
        await user.open(f"/projects/{project.name}/run")
        await user.should_see("is not valid YAML")


async def test_what_is_in_the_data_is_shown_as_text_and_never_as_a_part_of_the_page(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = filled(served, "name,<b>note</b>\nAnn,<script>alert(1)</script>\nBob,\n")
        take_in(project)
        await user.open(f"/projects/{project.name}/data")
        await user.should_see("&lt;script&gt;alert(1)&lt;/script&gt;")
        await user.should_see("&lt;b&gt;note&lt;/b&gt;")
        await user.should_not_see("<script>alert")


async def test_an_upload_that_is_refused_leaves_no_project_behind(tmp_path):
    async with visiting(tmp_path) as (user, served):
        await user.open("/")
        upload = user.find(kind=ui.upload).elements.pop()
        await upload.handle_uploads([SmallFileUpload("empty.csv", "text/csv", b"")])
        await user.should_see("empty.csv is empty")
        assert served.workspace.projects() == []


@pytest.mark.parametrize("settings", [{}, {"host": "0.0.0.0", "token": "correct horse battery"}])
async def test_files_and_databases_of_this_machine_are_offered_to_nobody_by_default(tmp_path, settings):
    async with visiting(tmp_path, **settings) as (user, served):
        project = served.workspace.create("New")
        await user.open("/")
        await user.should_not_see("It is on the server or in a database")
        await user.open(f"/projects/{project.name}/data")
        await user.should_see("Upload a file")
        await user.should_not_see("A file on this machine")
        await user.should_not_see("A table of a database")


async def test_who_follows_a_job_of_a_project_that_is_deleted_elsewhere_comes_to_the_first_page(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = filled(served)
        take_in(project)
        served.queue.submit(project, "run")
        await user.open(f"/projects/{project.name}/run")
        await user.should_see("Cancel")
        served.delete(project.name)
        await user.should_see("Make personal data safe to publish")


async def test_a_cancelled_run_is_told_in_plain_words(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = filled(served)
        take_in(project)
        served.queue.cancel(project, served.queue.submit(project, "run").id)
        await over(served, project)
        await user.open(f"/projects/{project.name}/run")
        await user.should_see("Cancelled. No unfinished release is kept.")


async def test_of_many_columns_only_a_few_are_named_in_a_sentence(tmp_path):
    async with visiting(tmp_path) as (user, served):
        names = [f"c{number}" for number in range(30)]
        project = filled(served, ",".join(names) + "\n" + ",".join("1" * 30) + "\n" + "," * 29 + "\n")
        take_in(project)
        await user.open(f"/projects/{project.name}/data")
        await user.should_see("c6, c7, 22 more")


async def test_what_will_be_done_is_said_in_greek_with_the_parameters_of_the_promise(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = filled(served)
        take_in(project)
        user.http_client.headers["Accept-Language"] = "el"
        await user.open(f"/projects/{project.name}/run")
        await user.should_see("Κάθε εγγραφή μοιάζει με τουλάχιστον k - 1 άλλες")
        await user.should_see("(k=5)")
        await user.should_see("Αυτόματη επιλογή")
        await user.should_not_see("every record")


async def test_reasons_are_told_in_the_language_of_the_visitor(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = filled(served)
        take_in(project)
        user.http_client.headers["Accept-Language"] = "el"
        await user.open(f"/projects/{project.name}/data")
        await user.should_see("το όνομα δείχνει ηλικία, που μπορεί να γνωρίζουν άλλοι")
        await user.should_not_see("the name suggests age")


async def test_what_a_workbook_holds_besides_its_table_is_shown_on_the_page(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = served.workspace.create("Patients")
        with xlsxwriter.Workbook(project.folder / "data" / "patients.xlsx") as book:
            book.add_worksheet("Data").write_column(0, 0, ["age", *range(20, 40)])
            book.add_worksheet("Names").write_column(0, 0, ["name", "Ann"])
        served.queue.submit(project, "read")
        assert (await over(served, project)).state == "done"
        await user.open(f"/projects/{project.name}/data")
        await user.should_see("1 further sheet named 'Names'")


async def test_warnings_of_a_run_are_shown_in_the_language_of_the_visitor(tmp_path):
    async with visiting(tmp_path) as (user, served):
        rows = (f"{'AB'[n % 2]},{('flu', 'gout')[n % 2]},{n}\n" for n in range(40))
        project = filled(served, "city,disease,ticket\n" + "".join(rows))
        take_in(project)
        project.write_plan(
            "data: data/patients.csv\n"
            "columns: {city: quasi-identifier, disease: sensitive, ticket: insensitive}\n"
            "promises: ['k-anonymity:k=5']\n"
        )
        served.queue.submit(project, "run")
        job = await over(served, project)
        assert (job.state, len(job.warnings)) == ("done", 2), job.error
        user.http_client.headers["Accept-Language"] = "el"
        await user.open(f"/projects/{project.name}/run")
        await user.should_see("Καμία εγγύηση δεν προστατεύει τη στήλη 'disease'. 40 από τις 40")
        await user.should_see("'ticket' (")
        for english in job.warnings:
            await user.should_not_see(english)
