"""Sensitive items that occur in several spellings."""

import warnings

import pytest

from krypsis.errors import PrivacyWarning
from krypsis.kinds.sets.plan import PlanItems, SetsPlan

PLAIN = [["bread", "hiv test"], ["bread", "milk"], ["milk", "tea"], ["tea", "bread"]]


def released(sets):
    plan = SetsPlan(promises=["privacy-degree:p=2"], items=PlanItems(sensitive=("hiv test",)))
    return plan.bind(sets).release()


def test_another_spelling_of_a_sensitive_item_is_warned_of():
    with pytest.warns(PrivacyWarning, match="'HIV Test', 'hiv test'"):
        released([*PLAIN, ["tea", "HIV Test"]])


def test_sensitive_items_in_one_spelling_give_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        released(PLAIN)
