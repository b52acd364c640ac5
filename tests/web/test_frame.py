"""The frame of the pages."""

from string import Formatter

import pytest

from krypsis.web.texts import LANGUAGES, catalogue
from web.simulated import visiting

pytestmark = pytest.mark.anyio


async def test_the_first_page_is_shown(tmp_path):
    async with visiting(tmp_path) as (user, _):
        await user.open("/")
        await user.should_see("Make personal data safe to publish")


async def test_a_project_that_does_not_exist_is_told(tmp_path):
    async with visiting(tmp_path) as (user, _):
        await user.open("/projects/nothing/plan")
        await user.should_see("there is no project 'nothing'")


async def test_both_languages_have_the_same_texts_with_the_same_values():
    english, greek = (catalogue(language) for language in LANGUAGES)
    assert english.keys() == greek.keys()
    for key, text in english.items():
        assert sorted(_fields(text)) == sorted(_fields(greek[key])), key


def _fields(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name}
