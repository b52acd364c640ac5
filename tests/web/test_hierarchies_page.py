"""The page Hierarchies."""

import asyncio

import polars as pl
import pytest
from nicegui import events, ui
from nicegui.elements.upload_files import SmallFileUpload

from krypsis.data.hierarchies import TOP
from krypsis.data.hierarchies.resolve import resolve
from krypsis.io.yaml_file import scalar
from krypsis.projects import take_in
from krypsis.projects.plan_changes import value_counts
from krypsis.web.parts.frame import address
from web.demo import patients
from web.simulated import until, visiting

pytestmark = pytest.mark.anyio


async def opened(user, served, column="age", view="rule"):
    project = patients(served)
    await user.open(address(project.name, "hierarchies"))
    await user.should_see("Effect on the data")
    if column != "age":
        click_column(user, column)
    await until(lambda: column in [one.content for one in user.find(kind=ui.html).elements])
    next(iter(user.find(kind=ui.tabs).elements)).set_value(view)
    await asyncio.sleep(0.3)
    return project


def click_column(user, column):
    label = next(one for one in user.find(kind=ui.label, content=column).elements if one.text == column)
    label.parent_slot.parent.parent_slot.parent.mark("column")
    user.find(marker="column").click()


def labelled(user, label, kind=ui.input):
    return max(
        (one for one in user.find(kind=kind).elements if one.props.get("label") == label), key=lambda one: one.id
    )


def box(user, name):
    return max((one for one in user.find(kind=ui.checkbox).elements if one.text == name), key=lambda one: one.id)


async def choose(user, *names):
    for name in names:  # a tree is shown anew a moment after the plan was written
        await until(lambda name=name: name in [one.text for one in user.find(kind=ui.checkbox).elements])
        box(user, name).set_value(True)
    await user.should_see(f"{len(names)} chosen")
    await asyncio.sleep(0.1)


def levels(project, column):
    spec = project.plan().columns[column].hierarchy
    return resolve(spec, list(value_counts(project, column)), column, project.folder)


async def test_the_width_of_intervals_is_in_the_plan_at_once_and_its_effect_is_shown(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served)
        labelled(user, "Width").set_value("25")
        await until(lambda: project.plan().columns["age"].hierarchy == {"kind": "intervals", "width": "25"})
        await user.should_see("[50-75)")
        assert "width: 25}" in project.plan_text  # a number, not a text
        assert "weight: 2" in project.plan_text


async def test_a_rule_that_does_not_fit_is_told_and_the_plan_stays(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served, "sex")
        labelled(user, "How values become more general", ui.select).set_value("dates")
        await user.should_see("are not ISO dates")
        assert project.plan().columns["sex"].hierarchy == {"kind": "flat"}


async def test_intervals_are_made_by_own_cuts(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served)
        next(iter(user.find(kind=ui.radio).elements)).set_value("cuts")
        await user.should_see("exactly one of width, cuts and quantiles")
        labelled(user, "Cuts").set_value("18, 65")
        await until(lambda: project.plan().columns["age"].hierarchy == {"kind": "intervals", "cuts": ["18", "65"]})
        assert set(levels(project, "age").labels[1]) == {"<18", "[18-65)", ">=65"}


async def test_another_kind_begins_with_options_that_fit_the_column(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served, "age")
        labelled(user, "How values become more general", ui.select).set_value("masking")
        await until(lambda: project.plan().columns["age"].hierarchy["kind"] == "masking")
        labelled(user, "How values become more general", ui.select).set_value("intervals")
        await until(lambda: project.plan().columns["age"].hierarchy["kind"] == "intervals")
        assert "width" in project.plan().columns["age"].hierarchy


async def test_values_are_chosen_and_grouped_and_the_change_is_taken_back(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served, "job", "tree")
        await choose(user, "pupil", "retired")
        labelled(user, "Name of the group").set_value("young and old")
        user.find(kind=ui.button, content="Group").click()
        await until(lambda: project.plan().columns["job"].hierarchy == "hierarchies/job.csv")
        found = levels(project, "job")
        assert found.label("pupil", found.height - 2) == "young and old"
        assert found.label("retired", found.height - 1) == "not at work"
        await until(lambda: "young and old" in [one.text for one in user.find(kind=ui.checkbox).elements])
        user.find(kind=ui.button, content="Undo").click()
        await until(lambda: "young and old" not in (project.folder / "hierarchies" / "job.csv").read_text())


async def test_nodes_are_moved_without_a_mouse(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served, "job", "tree")
        await choose(user, "nurse")
        target = labelled(user, "Move into", ui.select)
        target.set_value(next(key for key, text in target.options.items() if text.endswith("in education")))
        user.find(kind=ui.button, content="Move").click()
        await until(lambda: project.plan().columns["job"].hierarchy == "hierarchies/job.csv")
        assert levels(project, "job").label("nurse", 1) == "in education"


async def test_nodes_are_dragged_into_a_group(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served, "job", "tree")
        for name, event in (("nurse", "dragstart"), ("in education", "drop")):
            row = box(user, name).parent_slot.parent
            listener = next(one for one in row._event_listeners.values() if one.type.startswith(event))
            events.handle_event(listener.handler, events.GenericEventArguments(sender=row, client=row.client, args={}))
            await asyncio.sleep(0.2)
        await until(lambda: project.plan().columns["job"].hierarchy == "hierarchies/job.csv")
        assert levels(project, "job").label("nurse", 1) == "in education"


async def test_a_group_is_renamed_and_dissolved(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served, "marital_status", "tree")
        await choose(user, "without partner")
        labelled(user, "Name of the group").set_value("alone")
        user.find(kind=ui.button, content="Rename").click()
        await until(lambda: project.plan().columns["marital_status"].hierarchy == "hierarchies/marital-status.csv")
        assert levels(project, "marital_status").label("widowed", 1) == "alone"
        await choose(user, "alone")
        user.find(kind=ui.button, content="Dissolve").click()
        await until(lambda: levels(project, "marital_status").label("widowed", 1) == "widowed")


async def test_what_cannot_be_grouped_is_told(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served, "job", "tree")
        before = project.plan_text
        await choose(user, "nurse")
        user.find(kind=ui.button, content="Group").click()
        await until(lambda: any("a group needs a name" in message for message in user.notify.messages))
        assert project.plan_text == before


async def test_a_file_is_taken_in_if_it_has_all_values_and_sent_again(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = await opened(user, served, "sex", "file")
        before = project.plan_text
        await upload(user, b"M;person;*\n")
        await until(lambda: any("lacks 1 value(s) of the data: 'F'" in message for message in user.notify.messages))
        assert project.plan_text == before
        await upload(user, b"M;person;*\nF;person;*\n")
        await until(lambda: project.plan().columns["sex"].hierarchy == "hierarchies/sex.csv")
        assert levels(project, "sex").label("F", 1) == "person"
        user.find(kind=ui.button, content="Download as CSV").click()
        sent = await user.download.next()
        assert sent.text == "M;person;*\nF;person;*\n"
        assert levels(project, "sex").labels[-1] == (TOP,)


async def upload(user, content):
    place = next(iter(user.find(kind=ui.upload).elements))
    await place.handle_uploads([SmallFileUpload("sex.csv", "text/csv", content)])


async def test_a_file_that_is_gone_leaves_a_way_to_begin_again(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = patients(served)
        project.write_plan(project.plan_text.replace("{kind: intervals, width: 5}", "hierarchies/lost.csv"))
        await user.open(address(project.name, "hierarchies"))
        await user.should_see("no file lost.csv")
        next(iter(user.find(kind=ui.tabs).elements)).set_value("tree")
        user.find(kind=ui.button, content="Start with all values ungrouped").click()
        await until(lambda: project.plan().columns["age"].hierarchy == {"kind": "flat"})


async def test_without_columns_to_generalize_the_page_leads_back_to_the_data(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = patients(served)
        project.write_plan("data: data/patients.csv\ncolumns: {age: insensitive}\npromises: [k-anonymity:k=2]\n")
        await user.open(address(project.name, "hierarchies"))
        await user.should_see("nothing to generalize")
        await user.should_see("Next: Data")


async def test_a_column_with_very_many_values_is_left_to_rules_and_files(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = served.workspace.create("Many")
        (project.folder / "data" / "many.csv").write_text("age,sex\n" + "".join(f"{n},f\n" for n in range(2500)))
        take_in(project)
        project.write_plan("data: data/many.csv\ncolumns: {age: QI}\npromises: [k-anonymity:k=2]\n")
        await user.open(address(project.name, "hierarchies"))
        await user.should_see("Most frequent")
        next(iter(user.find(kind=ui.tabs).elements)).set_value("tree")
        await user.should_see("This column has 2,500 values.")


ODD = 'a "b" <i> \\ {c}'


async def test_odd_names_and_values_are_shown_as_they_are(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = served.workspace.create("Odd")
        frame = pl.DataFrame({ODD: ["<script>", "x:y", 'q"q', None], "one": ["same"] * 4, "none": [None] * 4})
        frame.write_csv(project.folder / "data" / "odd.csv")
        take_in(project)
        roles = "".join(f"  {scalar(name)}: QI\n" for name in (ODD, "one", "none"))
        project.write_plan(f"data: data/odd.csv\ncolumns:\n{roles}promises: [k-anonymity:k=2]\n")
        await user.open(address(project.name, "hierarchies"))
        await user.should_see("Most frequent")
        next(iter(user.find(kind=ui.tabs).elements)).set_value("tree")
        await user.should_see("<script>")
        await choose(user, "<script>", "x:y")
        labelled(user, "Name of the group").set_value("a;b")
        user.find(kind=ui.button, content="Group").click()
        await until(lambda: str(project.plan().columns[ODD].hierarchy).endswith(".csv"))
        assert levels(project, ODD).label("<script>", 1) == "a;b"
        for name in ("one", "none"):
            click_column(user, name)
            await until(lambda name=name: name in [one.content for one in user.find(kind=ui.html).elements])
        for step, sign in (("plan", "The plan fits the data."), ("advisor", "Question 1 of at most")):
            await user.open(address(project.name, step))
            await user.should_see(sign)
