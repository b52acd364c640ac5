"""Sensitive items that occur in several spellings."""

import warnings

import pytest

from krypsis import registry
from krypsis.datasets.baskets import transactions_of
from krypsis.errors import PrivacyWarning
from krypsis.pipeline.transactions import SetPlan, sets_release

PLAIN = [["bread", "hiv test"], ["bread", "milk"], ["milk", "tea"], ["tea", "bread"]]


def released(sets):
    model = registry.create("model", "privacy-degree:p=2")
    return sets_release(transactions_of(sets), SetPlan([model], sensitive=["hiv test"]))


def test_another_spelling_of_a_sensitive_item_is_warned_of():
    with pytest.warns(PrivacyWarning, match="'HIV Test', 'hiv test'"):
        released([*PLAIN, ["tea", "HIV Test"]])


def test_sensitive_items_in_one_spelling_give_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        released(PLAIN)
