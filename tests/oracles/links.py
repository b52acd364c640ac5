"""Who could be who, the slow way: every pair of records, and every assignment of all of them."""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

Row = tuple[Any, ...]
Covers = Callable[[Row, Row], bool]
"""Says whether a published row generalizes an original one."""


def links_of_originals(original: Sequence[Row], published: Sequence[Row], covers: Covers) -> list[int]:
    """For each original record, the number of published records that generalize it."""
    return [sum(covers(label, row) for label in published) for row in original]


def links_of_published(original: Sequence[Row], published: Sequence[Row], covers: Covers) -> list[int]:
    """For each published record, the number of original records that it generalizes."""
    return [sum(covers(label, row) for row in original) for label in published]


def matches_of_originals(original: Sequence[Row], published: Sequence[Row], covers: Covers) -> list[int]:
    """For each original record, the number of published records it is given in some assignment of all records."""
    given: list[set[int]] = [set() for _ in original]
    for assignment in permutations(range(len(published))):
        if all(covers(published[place], row) for place, row in zip(assignment, original, strict=True)):
            for record, place in enumerate(assignment):
                given[record].add(place)
    return [len(places) for places in given]
