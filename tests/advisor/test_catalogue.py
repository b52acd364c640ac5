"""The catalogue of all models."""

import pytest

from krypsis import registry
from krypsis.advisor.choice import catalogue
from krypsis.advisor.results import results
from krypsis.advisor.texts import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_model_is_there_once_with_a_reference(language):
    found = [entry.name for entry in catalogue(language)]
    assert len(found) == len(set(found))
    assert set(found) == set(registry.classes("model")) | {result.model for result in results().values()}
    assert all(entry.references and entry.promise and entry.protects for entry in catalogue(language))


def test_models_that_cannot_be_promised_are_marked():
    known = registry.classes("model")
    assert {entry.name for entry in catalogue() if not entry.is_available} == {
        result.model for result in results().values() if result.model not in known
    }


def test_a_model_is_found_by_a_word_of_its_reference():
    assert "l-diversity" in {entry.title for entry in catalogue() if entry.holds("machanavajjhala")}
    assert not [entry for entry in catalogue() if entry.holds("no such word")]
