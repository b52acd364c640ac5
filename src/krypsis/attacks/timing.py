"""What somebody learns from a value that is generalized just when somebody leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import polars as pl

from krypsis.attacks.learned import Finding, Learned
from krypsis.attacks.taxonomy import Nodes, published_labels
from krypsis.attacks.trails import members_of
from krypsis.datasets.history import Version
from krypsis.hierarchies.base import Hierarchy, Label

NAME = "timing of generalization"


@dataclass(frozen=True)
class Move:
    """A group whose people stayed together, with the values that were generalized there and the people who left."""

    raised: Counter[tuple[Label, Label]]
    """How many records went from which value to which."""
    left: tuple[str, ...]


def timing_attack(versions: Sequence[Version], hierarchy: Hierarchy) -> Learned:
    """Return what people had who left when a value of their group was generalized.

    Where all who stay in the table also stay together, the attacker sees which published values of the group went up
    the hierarchy from one release to the next. If that happens just when people leave, the old values were theirs. It
    tells nothing where a group that nobody left shows the same change, for then it follows a rule.

    Parameters
    ----------
    versions
        the releases, with who is in which group.
    hierarchy
        of the sensitive attribute.

    Notes
    -----
    If one person leaves and one value goes up, the chance is 1; if more people leave than values go up, they share.

    Examples
    --------
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> table = pl.DataFrame({"g": [1, 1], "disease": ["flu", "ulcer"], "name": ["Ann", "Bob"]})
    >>> first = Version.of(table, group="g", sensitive="disease", person="name")
    >>> second = Version.of_signatures({"Bob": ["lungs", "ulcer"]})
    >>> [finding.sentence() for finding in timing_attack([first, second], disease).breaches(Fraction(1, 2))]
    ["Ann has 'flu' certainly"]
    """
    labels = published_labels(versions) if versions else []
    nodes, number = Nodes.of(labels, hierarchy), {label: place for place, label in enumerate(labels)}
    if not nodes.levels.any():
        return Learned.of(NAME, [])
    findings: dict[tuple[str, Label], Finding] = {}
    for before, after in pairwise(versions):
        moves = list(_moves(before, after, nodes, number))
        by_rule = {change for move in moves if not move.left for change in move.raised}
        for move in moves:
            findings |= {(one.person, one.value): one for one in _told(move, by_rule)}
    return Learned.of(NAME, list(findings.values()))


def _told(move: Move, by_rule: set[tuple[Label, Label]]) -> Iterator[Finding]:
    """Yield for everybody who left the share of each value that was generalized and follows no rule."""
    old = Counter[Label]()
    for (value, upper), number in move.raised.items():
        if (value, upper) not in by_rule:
            old[value] += number
    if old.total() > len(move.left):
        return  # more values went up than people left: leaving does not explain them
    for person in move.left:
        for value, number in old.items():
            chance = Fraction(number, len(move.left))
            yield Finding(person, value, chance, chance)


def _moves(before: Version, after: Version, nodes: Nodes, number: dict[Label, int]) -> Iterator[Move]:
    """Yield the groups with values that went up the hierarchy."""
    pairs = _kept_together(before, after)
    left = members_of(before).join(members_of(after), on="person", how="anti")
    gone = dict(left.group_by("group").agg("person").iter_rows())
    for group, changed in _changes(pairs, before, after).items():
        if raised := _raised(changed, nodes, number):
            yield Move(raised, tuple(sorted(gone.get(group, []))))


def _kept_together(before: Version, after: Version) -> pl.DataFrame:
    """Return the groups of which somebody stays, and all who stay are in one group afterwards: ``group``, ``next``."""
    both = members_of(before).join(members_of(after), on="person", suffix="_next")
    together = both.group_by("group").agg(next=pl.col("group_next").first(), different=pl.col("group_next").n_unique())
    return together.filter(pl.col("different") == 1).select("group", "next").sort("group", "next")


def _changes(pairs: pl.DataFrame, before: Version, after: Version) -> dict[str, dict[Label, int]]:
    """Return for each group the values that it has more or less often afterwards: value → difference."""
    old = pairs.join(before.records, on="group").group_by("group", "value").agg(before=pl.len().cast(pl.Int64))
    new = pairs.join(after.records, left_on="next", right_on="group").group_by("group", "value")
    both = old.join(
        new.agg(after=pl.len().cast(pl.Int64)), on=["group", "value"], how="full", coalesce=True, nulls_equal=True
    )
    more = both.select("group", "value", more=pl.col("after").fill_null(0) - pl.col("before").fill_null(0))
    found: dict[str, dict[Label, int]] = {}
    for group, value, difference in more.filter(pl.col("more") != 0).sort("group", "value").iter_rows():
        found.setdefault(group, {})[value] = difference
    return found


def _raised(changed: dict[Label, int], nodes: Nodes, number: dict[Label, int]) -> Counter[tuple[Label, Label]]:
    """Return how many records went from a value to one above it, the nearest first."""
    lost = Counter({value: -difference for value, difference in changed.items() if difference < 0})
    gained = Counter({value: difference for value, difference in changed.items() if difference > 0})
    raised = Counter[tuple[Label, Label]]()
    for upper in sorted(gained, key=lambda label: int(nodes.levels[number[label]])):
        for value in lost:
            if nodes.covers(number[upper], number[value]):
                moved = min(lost[value], gained[upper])
                raised[value, upper] += moved
                lost[value] -= moved
                gained[upper] -= moved
    return +raised
