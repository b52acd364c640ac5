"""The journey of sets of items through the pages, without a browser."""

import pytest
from nicegui import ui
from nicegui.elements.upload_files import SmallFileUpload

from krypsis.progress import NO_PROGRESS
from krypsis.projects.jobs.kinds import check
from web.simulated import over, until, visiting

pytestmark = pytest.mark.anyio

# Everybody buys bread and milk, every third tea; one alone buys each of the last two.
BASKETS = "".join(f"bread,milk{',tea' * (not number % 3)}\n" for number in range(12)) + "bread,gin\nmilk,snuff\n"


async def test_uploaded_sets_are_published_checked_and_attacked(tmp_path):
    async with visiting(tmp_path) as (user, served):
        await user.open("/")
        upload = next(iter(user.find(ui.upload).elements))
        await upload.handle_uploads([SmallFileUpload("baskets.csv", "text/plain", BASKETS.encode())])
        (project,) = await until(served.workspace.projects)
        await over(served, project)
        await user.open(f"/projects/{project.name}/data")
        next(iter(user.find(kind=ui.select, marker="kind").elements)).set_value("transactions")
        user.find("Read again").click()
        await user.should_see("baskets.csv: 14 records")
        assert project.plan().kind == "transactions"
        project.write_plan(f"{project.plan_text}\nmeasures: [tkd:top=3, mre]\n")
        await user.open(f"/projects/{project.name}/run")
        user.find("Anonymize").click()
        await user.should_see("Kept:")
        page = (project.folder / "releases" / "1.report.html").read_text("utf-8")
        assert "Measured on request" in page
        assert "tkd:top=3" in page
        assert check.run(project, NO_PROGRESS, release=1)["holds"]
        await user.open(f"/projects/{project.name}/attack")
        next(iter(user.find(kind=ui.select, marker="attacks").elements)).set_value("cover")
        user.find(marker="try").click()
        await until(lambda: served.queue.jobs(project)[0].kind == "attack")
        (found,) = (await over(served, project)).result["attacks"]
        await user.open(f"/projects/{project.name}/attack")  # the page of the run may lead on to its result meanwhile
        await user.should_see("After: succeeds for")
        assert found["spec"] == "cover"
        assert found["after"]["targets"] > 0
