"""The page Attack lab, without a browser."""

import pytest
from nicegui import ui

from krypsis.attacks.base import percent
from krypsis.projects.attack_trials import Knowledge, Lab
from krypsis.projects.published_release import PublishedRelease
from web.simulated import visiting
from web.small import grouped_people, people, published_people

pytestmark = pytest.mark.anyio


async def test_without_a_release_there_is_nothing_to_attack(tmp_path):
    async with visiting(tmp_path) as (user, served):
        people(served)
        await user.open("/projects/people/attack")
        await user.should_see("Nothing was published yet")


async def test_who_is_exposed_is_shown_before_and_after(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = published_people(served)
        await user.open("/projects/people/attack")
        trials = Lab(PublishedRelease.of(project, 1)).try_attacks(Knowledge(("age", "sex"), "disease"))
        for trial in trials:
            for side, found in (("Before", trial.success_before), ("After", trial.success_after)):
                interval = f"95 % confidence: {percent(found.low)} to {percent(found.high)}"
                figures = f"{percent(found.rate)} of {found.targets:.0f} targets ({interval})"
                await user.should_see(f"{side}: succeeds for {figures}")
                await user.should_see(f"Certain about {found.certain:.0f}.")
            await user.should_see(trial.attack.knowledge[1:])
            await user.should_see(trial.attack.success[1:])
            await user.should_see(f"Without the release the attacker succeeds for {percent(found.baseline)}")


async def test_less_knowledge_exposes_fewer(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = published_people(served)
        await user.open("/projects/people/attack")
        await user.should_see("Linkage")
        columns = next(one for one in user.find(ui.select).elements if one.multiple and one.value)
        columns.set_value(["sex"])
        sure = next(one for one in user.find(ui.select).elements if one.value == 1.0)
        sure.set_value(0.2)
        user.find(marker="try").click()
        trial = Lab(PublishedRelease.of(project, 1)).try_attacks(Knowledge(("sex",), "disease", 1, 0.2))[0]
        await user.should_see(f"Before: succeeds for {percent(trial.success_before.rate)} of 60 targets")
        await user.should_see(f"Certain about {trial.success_before.certain:.0f}.")


async def test_one_person_of_the_table_is_looked_for(tmp_path):
    async with visiting(tmp_path) as (user, served):
        published_people(served)
        await user.open("/projects/people/attack")
        await user.should_see("One person")
        user.find("Look for this person").click()
        # ages repeat every 7 rows, sexes every 2: of 60 rows, those like the first are 0, 14, 28, 42 and 56
        await user.should_see("Records that fit before: 5.")
        await user.should_see("Records that fit after: 60.")


async def test_a_value_that_nobody_has_is_told(tmp_path):
    async with visiting(tmp_path) as (user, served):
        published_people(served)
        await user.open("/projects/people/attack")
        await user.should_see("One person")
        field = next(one for one in user.find(ui.input).elements if one.props["label"] == "age")
        field.set_value("999")
        user.find("Look for this person").click()
        await user.should_see("lacks 1 value(s)")


async def test_a_release_in_groups_is_attacked_by_what_its_groups_tell(tmp_path):
    async with visiting(tmp_path) as (user, served):
        grouped_people(served)
        await user.open("/projects/people/attack")
        # in every group are two different values or more, so of nobody is one certain
        await user.should_see("Certain about 0.")
        user.find("Look for this person").click()
        await user.should_see("Records that fit after: 5.")


async def test_both_languages_are_spoken(tmp_path):
    async with visiting(tmp_path) as (user, served):
        published_people(served)
        await user.open("/projects/people/attack")
        user.find(kind=ui.button, content="EL").click()
        await user.open("/projects/people/attack")
        await user.should_see("Τι γνωρίζει ο επιτιθέμενος")
