"""The page Advisor."""

import asyncio

import pytest
from nicegui import ui

from krypsis.web.parts.frame import address
from web.demo import patients
from web.simulated import visiting

pytestmark = pytest.mark.anyio


def button(user, text):
    return user.find(kind=ui.button, content=text)


def radio(user):
    return next(iter(user.find(kind=ui.radio).elements))


def next_button(user):
    return next(one for one in user.find(kind=ui.button, content="Next").elements if one.text == "Next")


async def answer_all(user, answers, then):
    """Answer by the beginning of the question, and all other questions in the same way."""
    while await asked(user):
        text = next(iter(user.find(marker="question").elements)).content
        answer = next((answer for beginning, answer in answers.items() if text.startswith(beginning)), then)
        radio(user).set_value(answer)
        button(user, "Next").click()


async def asked(user):
    await asyncio.sleep(0.05)
    return any(one.text.startswith("Question ") for one in user.find(kind=ui.label).elements)


async def opened(user, project):
    await user.open(address(project.name, "advisor"))
    await user.should_see("Question 1 of at most")


async def test_a_question_that_the_data_answers_is_answered_already(tmp_path):
    async with visiting(tmp_path) as (user, served):
        await opened(user, patients(served))
        await user.should_see("The data suggests: no.")
        assert radio(user).value == "no"
        assert next_button(user).enabled


async def test_next_waits_for_an_answer_where_the_data_says_nothing(tmp_path):
    async with visiting(tmp_path) as (user, served):
        await opened(user, patients(served))
        button(user, "Accept what the data says").click()
        await user.should_see("Will the contents of the table be updated frequently")
        assert radio(user).value is None
        assert not next_button(user).enabled
        radio(user).set_value("no")
        assert next_button(user).enabled


async def test_back_and_start_again_take_answers_back_and_a_reload_keeps_them(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = patients(served)
        await opened(user, project)
        button(user, "Next").click()
        await user.should_see("Question 2 of at most")
        await user.open(address(project.name, "advisor"))
        await user.should_see("Question 2 of at most")
        button(user, "Next").click()
        await user.should_see("Question 3 of at most")
        button(user, "Back").click()
        await user.should_see("Question 2 of at most")
        button(user, "Start again").click()
        await user.should_see("Question 1 of at most")


async def test_the_advice_is_written_into_the_plan_with_the_parameters_of_the_visitor(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = patients(served)
        await opened(user, project)
        await answer_all(
            user, {"Does each person": "yes", "Does the attacker know": "yes", "Are the quasi": "yes"}, "no"
        )
        await user.should_see("The model that fits")
        await user.should_see("The plan will say:")
        user.find(kind=ui.input, content="k").clear().type("7")
        await user.should_see("k=7")
        button(user, "Write this into the plan").click()
        await user.should_see("The plan promises this now.")
        await user.should_see("Next: Plan")
        assert "k=7" in project.plan_text
        assert any(getattr(model, "k", None) == 7 for model in project.plan().models())
        assert "# What nobody should be able to attach to a person." in project.plan_text


async def test_what_is_promised_besides_counts_among_what_is_protected_from(tmp_path):
    async with visiting(tmp_path) as (user, served):
        await opened(user, patients(served))
        await answer_all(
            user, {"Does each person": "yes", "Does the attacker know": "yes", "Is there an attribute": "yes"}, "no"
        )
        await user.should_see("The model that fits: l-diversity")
        await user.should_see("finding the record of a person (")
        await user.should_see("concluding a person's sensitive value (l-diversity)")


async def test_a_value_that_the_model_refuses_is_told_and_nothing_is_written(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = patients(served)
        before = project.plan_text
        await opened(user, project)
        await answer_all(
            user, {"Does each person": "yes", "Does the attacker know": "yes", "Are the quasi": "yes"}, "no"
        )
        user.find(kind=ui.input, content="k").clear().type("many")
        await user.should_see("k of ")
        await user.should_not_see("Write this into the plan")
        assert project.plan_text == before


async def test_all_models_can_be_searched_for(tmp_path):
    async with visiting(tmp_path) as (user, served):
        await opened(user, patients(served))
        next(iter(user.find(kind=ui.expansion, content="All models").elements)).set_value(True)
        await user.should_see("Search in all models")
        user.find(kind=ui.input, content="Search").type("machanavajjhala")
        await user.should_see("l-diversity")
        await user.should_not_see("(c,t)-isolation")


async def test_the_original_questions_can_be_asked_about_a_project_and_a_reload_keeps_them(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = patients(served)
        await opened(user, project)
        next(iter(user.find(kind=ui.toggle, marker="tree").elements)).set_value("seed")
        await user.should_see("Question 1 of at most 10")
        await user.open(address(project.name, "advisor"))
        await user.should_see("Question 1 of at most 10")
        await user.should_see("Does the attacker know that the person")


async def test_the_questions_are_asked_in_greek_too(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = patients(served)
        await opened(user, project)
        button(user, "EL").click()
        await user.open(address(project.name, "advisor"))
        await user.should_see("Ερώτηση 1 από")
