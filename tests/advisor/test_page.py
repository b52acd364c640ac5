"""The page about the advisor shows the trees as they are."""

import re
from pathlib import Path

import pytest

from advisor.drawing import drawn
from krypsis.advisor import load_tree
from krypsis.advisor.texts import LANGUAGES, load_texts
from krypsis.advisor.tree import TREES

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "advise.md"


@pytest.mark.parametrize("name", TREES)
def test_the_tree_on_the_page_is_the_tree_that_is_walked(name):
    assert f"```text\n{drawn(load_tree(name), load_texts('en'))}\n```" in PAGE.read_text("utf-8")


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_drawing_asks_every_question_once_and_shows_every_result(name, language):
    tree, texts = load_tree(name), load_texts(language)
    drawing = drawn(tree, texts)
    for page, question in tree.questions.items():
        asked = re.escape(f"{page} {texts.questions[question.text].question}")
        assert len(re.findall(rf"(?<!\w){asked}", drawing)) == 1
    for result in tree.results.values():
        assert f"▸ {texts.results[result].title}" in drawing
