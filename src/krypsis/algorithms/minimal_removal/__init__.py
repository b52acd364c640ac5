"""Removing as little as possible so that nothing unwanted can be derived from the rest, whatever the rules are."""

from krypsis.algorithms.minimal_removal.closed_sets import remove_by_closed_sets
from krypsis.algorithms.minimal_removal.consequences import (
    remove_minimally_then_few_lost,
    remove_with_few_lost,
    remove_with_fewest_lost,
)
from krypsis.algorithms.minimal_removal.derivations import Derivations
from krypsis.algorithms.minimal_removal.enumeration import minimal_justifications
from krypsis.algorithms.minimal_removal.hitting_sets import Removal, remove_greedily, remove_minimally

__all__ = [
    "Derivations",
    "Removal",
    "minimal_justifications",
    "remove_by_closed_sets",
    "remove_greedily",
    "remove_minimally",
    "remove_minimally_then_few_lost",
    "remove_with_few_lost",
    "remove_with_fewest_lost",
]
