"""What somebody learns from a value that is generalized and later published as another one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from krypsis.arrays import BoolArray, IntArray
from krypsis.attacks.chances import EXACT_PEOPLE
from krypsis.attacks.exclusions import chances_with_exclusions
from krypsis.attacks.learned import Learned
from krypsis.attacks.taxonomy import Nodes, coarsened
from krypsis.attacks.trails import Trails
from krypsis.checker.invariance import number_sets
from krypsis.datasets.history import Version
from krypsis.hierarchies.base import Hierarchy

NAME = "sibling"


def sibling_attack(versions: Sequence[Version], hierarchy: Hierarchy, *, exact_people: int = EXACT_PEOPLE) -> Learned:
    """Return what a value tells that is published as another one of its family after it was generalized.

    Whoever was in the group all the time has a value that all releases cover. If flu became a disease of the lungs, and
    that became asthma, it was the record of somebody who left: those who stayed have neither, so they are among fewer
    values than the releases show, and those who left had the flu.

    Parameters
    ----------
    versions
        the releases, with who is in which group.
    hierarchy
        of the sensitive attribute.
    exact_people
        how many people are counted exactly in each release; for the others there are bounds that hold for certain.

    Notes
    -----
    It is about people who are among the same families in all releases; what others give away, the comparison of their
    groups tells (:func:`krypsis.attacks.intersection.posterior_attack`).

    Examples
    --------
    >>> from fractions import Fraction
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> versions = [Version.of_signatures({"Ann": [value, "ulcer"]}) for value in ("flu", "lungs", "asthma")]
    >>> [finding.sentence() for finding in sibling_attack(versions, disease).breaches(Fraction(1, 2))]
    ["Ann has 'ulcer' certainly"]
    """
    trails = Trails.of(versions)
    nodes = Nodes.of(trails.values.to_list(), hierarchy)
    if not nodes.levels.any():
        return Learned.of(NAME, [])
    kind = _sequences(trails, _signatures(trails))
    families = Trails.of(coarsened(versions, hierarchy))
    is_open = ~_changing(families) & _changing(trails)
    allowed = _allowed(trails, nodes, kind, is_open)
    return chances_with_exclusions(trails, kind, allowed, NAME, exact_people)


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


def _allowed(trails: Trails, nodes: Nodes, kind: IntArray, is_open: BoolArray) -> BoolArray:
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


def _covered(nodes: Nodes) -> BoolArray:
    """Say for each label which values of the hierarchy are below it."""
    table = nodes.hierarchy.table
    return np.asarray(table[nodes.levels] == table[nodes.levels, nodes.below][:, None])
