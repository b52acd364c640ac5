"""What somebody learns from sensitive values that are generalized in some releases and not in others."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, IntArray
from krypsis.attacks.chances import chances_with_exclusions
from krypsis.attacks.history_attack import CountingAttack, Learned, LearnedValue, ReleaseSequence, ValueInferenceAttack
from krypsis.attacks.taxonomy import TaxonomyNodes, published_labels
from krypsis.attacks.trails import Trails, members_of
from krypsis.checker.invariance import number_sets
from krypsis.data.hierarchies.base import Label
from krypsis.io.history import Version


class TimingAttack(ValueInferenceAttack):
    """Uses the time at which a value is generalized: just when somebody leaves its group.

    Where all who stay in the table also stay together, the attacker sees which published values of the group went up
    the hierarchy from one release to the next. If that happens just when people leave, the old values were theirs.
    Nothing is learned where a group that nobody left shows the same change, for then it follows a rule.

    Notes
    -----
    If one person leaves and one value goes up, the chance is 1; if more people leave than values go up, they share.

    Examples
    --------
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> table = pl.DataFrame({"g": [1, 1], "disease": ["flu", "ulcer"], "name": ["Ann", "Bob"]})
    >>> first = Version.of(table, group="g", sensitive="disease", person="name")
    >>> second = Version.of_signatures({"Bob": ["lungs", "ulcer"]})
    >>> learned = TimingAttack().find(ReleaseSequence([first, second], disease))
    >>> [finding.sentence() for finding in learned.breaches(Fraction(1, 2))]
    ["Ann has 'flu' certainly"]
    """

    name: ClassVar[str] = "generalization-timing"
    title: ClassVar[str] = "timing of generalization"
    needs: ClassVar[str] = "hierarchy"
    knowledge: ClassVar[str] = (
        "the group of everybody in each release, who is in the table when, and the hierarchy of the sensitive values"
    )
    success: ClassVar[str] = "the value that was generalized when a person left was that of the person"
    reference: ClassVar[str] = "after Xiao, Tao, m-invariance, SIGMOD 2007, for sensitive values that are generalized"

    def find(self, target: ReleaseSequence | Sequence[Version]) -> Learned:
        """Return what people had who left when a value of their group was generalized."""
        releases = self.sequence(target)
        versions, hierarchy = releases.versions, releases.needed_hierarchy()
        labels = published_labels(versions) if versions else []
        nodes, number = TaxonomyNodes.of(labels, hierarchy), {label: place for place, label in enumerate(labels)}
        if not nodes.levels.any():
            return Learned.of(self.title, [])
        findings: dict[tuple[str, Label], LearnedValue] = {}
        for before, after in pairwise(versions):
            # Compare releases j and j + 1: a value that went up just when somebody left was that person's.
            moves = list(_moves(before, after, nodes, number))
            # A group that nobody left shows the same change: then it follows a rule.
            by_rule = {change for move in moves if not move.left for change in move.raised}
            for move in moves:
                findings |= {(found.person, found.value): found for found in _old_values(move, by_rule)}
        return Learned.of(self.title, list(findings.values()))


class SiblingAttack(CountingAttack):
    """Uses a value that is generalized and later published as another one of its family.

    Whoever was in the group all the time has a value that all releases cover. If flu became a disease of the lungs, and
    that became asthma, it was the record of somebody who left: those who stayed have neither, so they are among fewer
    values than the releases show, and those who left had the flu.

    Notes
    -----
    It is about people who are among the same families in all releases; what others give away, the comparison of their
    groups finds (:class:`krypsis.attacks.intersection.IntersectionAttack`).

    Examples
    --------
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> versions = [Version.of_signatures({"Ann": [value, "ulcer"]}) for value in ("flu", "lungs", "asthma")]
    >>> learned = SiblingAttack().find(ReleaseSequence(versions, disease))
    >>> [finding.sentence() for finding in learned.breaches(Fraction(1, 2))]
    ["Ann has 'ulcer' certainly"]
    """

    name: ClassVar[str] = "sibling"
    title: ClassVar[str] = "sibling"
    needs: ClassVar[str] = "hierarchy"
    knowledge: ClassVar[str] = (
        "the group of everybody in each release, who is in the table when, and the hierarchy of the sensitive values"
    )
    success: ClassVar[str] = "the most likely of the values that all releases of a person cover is that of the person"
    reference: ClassVar[str] = "after Xiao, Tao, m-invariance, SIGMOD 2007, for sensitive values that are generalized"

    def find(self, target: ReleaseSequence | Sequence[Version]) -> Learned:
        """Return how likely the values are that no release excludes after one was published as another."""
        releases = self.sequence(target)
        trails = releases.published_trails
        nodes = TaxonomyNodes.of(trails.values.to_list(), releases.needed_hierarchy())
        if not nodes.levels.any():
            return Learned.of(self.title, [])
        kind = _sequences(trails, _signatures(trails))
        is_open = ~_changing(releases.trails) & _changing(trails)
        # The values of a signature position must form a chain; where they do not, the occupant has changed.
        allowed = _allowed(trails, nodes, kind, is_open)
        return chances_with_exclusions(trails, kind, allowed, self.title, self.exact_people)


@dataclass(frozen=True)
class _Move:
    """A group whose people stayed together, with the values that were generalized there and the people who left."""

    raised: Counter[tuple[Label, Label]]
    """How many records went from which value to which."""
    left: tuple[str, ...]


def _old_values(move: _Move, by_rule: set[tuple[Label, Label]]) -> Iterator[LearnedValue]:
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
            yield LearnedValue(person, value, chance, chance)


def _moves(before: Version, after: Version, nodes: TaxonomyNodes, number: dict[Label, int]) -> Iterator[_Move]:
    """Yield the groups with values that went up the hierarchy."""
    pairs = _kept_together(before, after)
    left = members_of(before).join(members_of(after), on="person", how="anti")
    gone = dict(left.group_by("group").agg("person").iter_rows())
    for group, changed in _changes(pairs, before, after).items():
        if raised := _raised(changed, nodes, number):
            yield _Move(raised, tuple(sorted(gone.get(group, []))))


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


def _raised(changed: dict[Label, int], nodes: TaxonomyNodes, number: dict[Label, int]) -> Counter[tuple[Label, Label]]:
    """Return how many records went from a value to one above it, the nearest first."""
    lost = Counter({value: -difference for value, difference in changed.items() if difference < 0})
    gained = Counter({value: difference for value, difference in changed.items() if difference > 0})
    raised = Counter[tuple[Label, Label]]()
    # The nearest node above takes the value first, as a generalization by the rule would.
    for upper in sorted(gained, key=lambda label: int(nodes.levels[number[label]])):
        for value in lost:
            if nodes.covers(number[upper], number[value]):
                moved = min(lost[value], gained[upper])
                raised[value, upper] += moved
                lost[value] -= moved
                gained[upper] -= moved
    return +raised


def _signatures(trails: Trails) -> IntArray:
    """Return a number for each group, the same for groups with the same values."""
    return number_sets(np.diff(trails.starts), trails.slot_value, max(len(trails.values), 1))


def _sequences(trails: Trails, signature: IntArray) -> IntArray:
    """Return a number for each person, the same for those who are among the same values in the same releases."""
    kind = np.zeros(len(trails.people), dtype=np.int64)
    for release in np.unique(trails.member_release).tolist():
        members = np.flatnonzero(trails.member_release == release)
        own = np.zeros(len(kind), dtype=np.int64)
        own[trails.member_person[members]] = signature[trails.member_group[members]] + 1
        _, kind = np.unique(kind * (int(signature.max(initial=0)) + 2) + own, return_inverse=True)
    return kind


def _changing(trails: Trails) -> BoolArray:
    """Say for each person whether the values of the groups are not always the same."""
    own = _signatures(trails)[trails.member_group]
    least, most = np.full(len(trails.people), np.iinfo(np.int64).max), np.full(len(trails.people), -1)
    np.minimum.at(least, trails.member_person, own)
    np.maximum.at(most, trails.member_person, own)
    return np.asarray(least != most)


def _allowed(trails: Trails, nodes: TaxonomyNodes, kind: IntArray, is_open: BoolArray) -> BoolArray:
    """Say for each kind of people which published values cover a value that all of their releases cover."""
    covered = _covered(nodes)
    allowed = np.ones((int(kind.max(initial=-1)) + 1, len(trails.values)), dtype=np.bool_)
    order = np.argsort(trails.member_person, kind="stable")
    starts = np.append(0, np.cumsum(trails.lives))
    _, first = np.unique(kind, return_index=True)
    for person in first[is_open[first]].tolist():
        possible = np.ones(covered.shape[1], dtype=np.bool_)
        for group in trails.member_group[order[starts[person] : starts[person + 1]]].tolist():
            own = trails.slot_value[trails.starts[group] : trails.starts[group + 1]]
            possible &= covered[own].any(axis=0)
        allowed[kind[person]] = (covered & possible).any(axis=1)
    return allowed


def _covered(nodes: TaxonomyNodes) -> BoolArray:
    """Say for each label which values of the hierarchy are below it."""
    table = nodes.hierarchy.table
    return np.asarray(table[nodes.levels] == table[nodes.levels, nodes.below][:, None])
