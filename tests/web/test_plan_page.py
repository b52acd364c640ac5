"""The page Plan."""

import asyncio

import pytest
from nicegui import ui

from krypsis import registry
from krypsis.data.hierarchies.resolve import builders
from krypsis.web.parts.forms import fields_of
from krypsis.web.parts.frame import address
from web.demo import patients
from web.simulated import until, visiting

pytestmark = pytest.mark.anyio


async def opened(user, served):
    project = patients(served)
    await user.open(address(project.name, "plan"))
    await user.should_see("The plan fits the data.")
    return project


def field(user, label, kind=ui.input):
    """Return the field of a label; the last one, where there are several."""
    found = [one for one in user.find(kind=kind).elements if one.props.get("label") == label]
    return max(found, key=lambda one: one.id)


def editor(user):
    return next(iter(user.find(kind=ui.textarea).elements))


def click(user, label):
    """Click the button that is known to readers of screens by a label."""
    for one in user.find(kind=ui.button).elements:
        if one.props.get("aria-label") == label:
            one.mark("labelled")
    user.find(marker="labelled").click()


async def test_a_parameter_changes_the_text_and_the_plan_and_comments_stay(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served)
        field(user, "k").set_value("7")
        await until(lambda: "k-anonymity:k=7" in editor(user).value)
        assert [model.spec for model in project.plan().models()] == ["k-anonymity:k=7", "distinct-l-diversity:l=2"]
        assert "# What nobody should be able to attach to a person." in project.plan_text
        await user.should_see("Every record looks like at least 6 others in the attributes an attacker may know.")


async def test_a_value_that_cannot_be_is_told_beside_it_and_the_plan_stays(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served)
        before = project.plan_text
        field(user, "k").set_value("0")
        await user.should_see("k of k-anonymity must be at least 1, got 0")
        assert project.plan_text == before


async def test_a_promise_is_added_with_usual_values_and_removed_again(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served)
        field(user, "Add a promise", ui.select).set_value("t-closeness")
        await until(lambda: len(project.plan().promises) == 3)
        assert project.plan().promises[2].startswith("t-closeness:t=")
        click(user, "Remove k-anonymity")
        await until(lambda: len(project.plan().promises) == 2)
        assert not any("k-anonymity" in promise for promise in project.plan().promises)


async def test_a_promise_that_needs_a_value_waits_for_it(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served)
        field(user, "Add a promise", ui.select).set_value("average-risk")
        await user.should_see("average-risk needs threshold")
        assert len(project.plan().promises) == 2
        field(user, "threshold").set_value("0.1")
        await until(lambda: "average-risk:threshold=0.1" in project.plan().promises)


async def test_the_last_promise_cannot_go(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served)
        editor(user).set_value(project.plan_text.replace("  - distinct-l-diversity:l=2\n", ""))
        user.find(kind=ui.button, content="Save").click()
        await until(lambda: len(project.plan().promises) == 1)
        click(user, "Remove k-anonymity")
        await asyncio.sleep(0.3)
        assert project.plan().promises == ("k-anonymity:k=5",)


async def test_the_text_changes_the_forms(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served)
        editor(user).set_value(
            project.plan_text.replace("k=5", "k=11 # eleven").replace("algorithm: optimal", "algorithm: datafly")
        )
        user.find(kind=ui.button, content="Save").click()
        await until(lambda: field(user, "k").value == "11")
        assert field(user, "Algorithm", ui.select).value == "datafly"
        assert "# eleven" in project.plan_text


async def test_a_text_that_is_no_plan_is_told_and_stays_to_be_corrected(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served)
        before = project.plan_text
        wrong = before.replace("metric: loss", "metrik: loss")
        editor(user).set_value(wrong)
        user.find(kind=ui.button, content="Save").click()
        await user.should_see("Did you mean 'metric'?")
        assert editor(user).value == wrong
        assert project.plan_text == before
        user.find(kind=ui.button, content="Discard changes").click()
        await until(lambda: editor(user).value == before)


async def test_a_plan_that_does_not_fit_the_data_is_told_before_the_run(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served)
        await user.should_see("Next: Run")
        editor(user).set_value(project.plan_text.replace("  ward:  ", "  wart:  "))
        user.find(kind=ui.button, content="Save").click()
        await user.should_see("column 'wart' not found")
        await user.should_not_see("Next: Run")


async def test_algorithm_metric_and_limits_are_chosen_by_forms(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served)
        field(user, "Algorithm", ui.select).set_value("mondrian")
        field(user, "Metric", ui.select).set_value("discernibility")
        field(user, "Records that may be left out").set_value("5%")
        field(user, "Records that are left out", ui.select).set_value("keep")
        field(user, "Formats", ui.select).set_value(["parquet", "csv"])
        await until(lambda: project.plan().output.formats == ("csv", "parquet"))
        plan = project.plan()
        assert (plan.algorithm, plan.metric, plan.suppression, plan.suppressed) == (
            "mondrian",
            "discernibility",
            "5%",
            "keep",
        )
        field(user, "Records that may be left out").set_value("")
        await until(lambda: project.plan().suppression is None)


async def test_weights_and_levels_of_a_column_are_numbers_in_the_plan(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served)
        for one in user.find(kind=ui.input).elements:
            if one.props.get("aria-label") in ("Weight of sex", "Highest level of age"):
                one.set_value("3")
        await until(lambda: project.plan().columns["age"].max_level == 3)
        assert project.plan().columns["sex"].weight == 3
        assert "sex:            {role: quasi-identifier, hierarchy: {kind: flat}, weight: 3}" in project.plan_text


async def test_a_broken_plan_is_shown_as_text_with_what_is_wrong(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = patients(served)
        (project.folder / "plan.yaml").write_text("data: x.csv\npromises: [k-anonymity:5]\ncolumns: {age: QI}\n")
        await user.open(address(project.name, "plan"))
        await user.should_see("expected 'name:parameter=value', got '5'")
        assert "k-anonymity:5" in editor(user).value


ALL = [
    *(cls for kind in registry.KINDS for cls in registry.classes(kind).values()),
    *builders().values(),
]


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
async def test_every_registered_class_has_a_form_with_all_its_parameters(cls):
    fields = fields_of(cls)
    assert {one.name for one in fields} == set(cls.model_fields)
    assert {one.name for one in fields if one.is_needed} == {
        name for name, field in cls.model_fields.items() if field.is_required()
    }
    for one in fields:
        assert one.options or one.sort not in ("choice", "choices")
        assert one.description


async def test_what_was_changed_in_another_tab_is_not_overwritten(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served)
        elsewhere = project.plan_text.replace("k-anonymity:k=5", "k-anonymity:k=9")
        project.write_plan(elsewhere)
        field(user, "l").set_value("3")
        await user.should_see("The plan was changed elsewhere")
        assert project.plan_text == elsewhere


async def test_a_plan_counts_as_feasible_only_after_the_search_was_asked(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served)
        await user.should_see("Not checked yet: whether a release keeps the promises.")
        await user.should_not_see("Feasible: ")
        await user.should_see("Feasible: the search found a release")
        field(user, "k").set_value("201")  # of 200 records
        await user.should_not_see("Feasible: ")
        await user.should_see("Not feasible: ")
        assert len([job for job in served.queue.jobs(project) if job.kind == "feasibility"]) >= 2


async def test_each_promise_says_what_it_does_not_protect_from(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served)
        for model in project.plan().models():
            await user.should_see(f"Does not protect from: {model.does_not_protect_from}")
