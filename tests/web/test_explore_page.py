"""The page Explore, without a browser."""

import pytest
from nicegui import ui

from krypsis.projects.exploration import explored
from web.simulated import visiting
from web.small import PLAN, explored_people, people

pytestmark = pytest.mark.anyio


async def test_the_solution_space_is_worked_out_in_the_background_and_shown(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = people(served)
        await user.open("/projects/people/explore")
        user.find("Try all ways").click()
        await user.should_see("ways were tried")
        await user.should_see("Risk and loss")
        assert explored(project).is_current


async def test_the_best_solution_is_shown_with_its_figures_and_some_records(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = explored_people(served)
        space = explored(project).space
        best = space.optimum()
        await user.open("/projects/people/explore")
        await user.should_see(f"{space.size} of {space.size} ways were tried")
        await user.should_see(f"{best['level:age']} of {space.heights[0]}")
        await user.should_see(f"{best['groups']}")
        await user.should_see("A few records in solution 1")
        await user.should_not_see("Solution 2")


async def test_one_of_the_best_trade_offs_is_compared_with_the_first_solution(tmp_path):
    async with visiting(tmp_path) as (user, served):
        explored_people(served)
        await user.open("/projects/people/explore")
        await _compare_last(user)
        await user.should_see("Two solutions side by side")
        await user.should_see("Solution 2")
        user.find("Compare others with solution 2").click()
        await user.should_not_see("Solution 2")


async def _compare_last(user):
    await user.should_see("The best trade-offs")
    user.find(marker="compare-last").click()


@pytest.mark.parametrize(("chart", "data_type"), [("cloud", None), ("hasse", "node")])
async def test_a_click_on_a_dot_or_a_node_puts_it_beside_the_first_solution(tmp_path, chart, data_type):
    async with visiting(tmp_path) as (user, served):
        explored_people(served)
        await user.open("/projects/people/explore")
        await user.should_not_see("Solution 2")
        (drawn,) = user.find(marker=chart).elements
        series, one = next((place, one) for place, one in enumerate(drawn.options["series"]) if one["data"])
        user.find(marker=chart).trigger("componentClick", _click(series, len(one["data"]) - 1, data_type))
        await user.should_see("Solution 2")


def _click(series, place, data_type):
    told = {"componentType": "series", "seriesType": "", "seriesIndex": series, "seriesName": "", "name": ""}
    return {**told, "dataIndex": place, "data": {}, "dataType": data_type, "value": []}


async def test_names_of_columns_are_text_in_the_charts_and_never_markup(tmp_path):
    async with visiting(tmp_path) as (user, served):
        explored_people(served)
        await user.open("/projects/people/explore")
        for chart in user.find(ui.echart).elements:
            assert chart.options["tooltip"]["renderMode"] == "richText"


async def test_a_solution_is_published_at_its_levels(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = explored_people(served)
        space = explored(project).space
        await user.open("/projects/people/explore")
        user.find("Publish solution 1").click()
        await user.should_see("Cancel")
        (job,) = served.queue.jobs(project)
        assert (job.kind, job.parameters) == ("run", {"levels": ",".join(map(str, space.levels(space.optimum())))})
        served.queue.cancel(project, job.id)


async def test_a_plan_that_has_changed_makes_the_exploration_outdated(tmp_path):
    async with visiting(tmp_path) as (user, served):
        explored_people(served).write_plan(PLAN.replace("k=4", "k=6"))
        await user.open("/projects/people/explore")
        await user.should_see("The plan or the data has changed")
        await user.should_see("Try all ways again")


async def test_where_nothing_keeps_the_promises_the_least_needed_is_told_and_nothing_can_be_published(tmp_path):
    async with visiting(tmp_path) as (user, served):
        explored_people(served, plan=PLAN.replace("k=4", "k=61"))
        await user.open("/projects/people/explore")
        await user.should_see("the least that any way needs is 60")
        (button,) = user.find("Publish solution 1").elements
        assert not button.enabled
