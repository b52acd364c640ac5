"""Which sensitive values are published more generally, so that nobody guesses what people guard."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.errors import UsageError
from krypsis.groups import Domain, Groups, JointDomain
from krypsis.hierarchies.base import Hierarchy, Label
from krypsis.kernels.softening import soften
from krypsis.models.base import TOLERANCE, GroupModel
from krypsis.models.guarding import Meaning, leaves_at, leaves_of_nodes
from krypsis.models.personalized_privacy import PersonalizedPrivacy


@dataclass(frozen=True, eq=False)
class Ladder:
    """What the values of a sensitive attribute may be published as, level by level, and what that does.

    ``labels[value][level]`` is the published text, ``costs[value, level]`` what is lost by it. The values, and the
    nodes that guard people, are those of two domains.
    """

    labels: tuple[tuple[Label, ...], ...]
    costs: FloatArray
    weights: FloatArray
    """``weights[limit, value, level]``: the chance that the label is what a limit is about."""
    limits_of: tuple[IntArray, ...]
    """The limits of each node, by its code; none for a missing one."""


@lru_cache(maxsize=4)
def ladder_of(promise: PersonalizedPrivacy, values: Domain, nodes: Domain) -> Ladder:
    """Return what the values may be published as, under a promise about some nodes."""
    rows = _rows(promise, values)
    labels = Domain(tuple(dict.fromkeys(label for row in rows for label in row)), values.hierarchy, values.name)
    meaning = Meaning.of(labels, promise.spec)
    place = {label: number for number, label in enumerate(labels.values)}
    places = np.array([[place[label] for label in row] for row in rows], dtype=np.int64)
    found: list[FloatArray] = []
    limits_of = [np.empty(0, dtype=np.int64)] * len(nodes)
    for node, leaves in meaning.guarded(nodes, values.name).items():
        chances = list(promise.limited(meaning, leaves))
        limits_of[node] = np.arange(len(found), len(found) + len(chances))
        found += chances
    weights = np.array(found, dtype=np.float64).reshape(-1, len(labels))[:, places]
    all_leaves = sum(value is not None for value in meaning.hierarchy.values)
    costs = (meaning.stands_for.sum(axis=0)[places] - 1) / max(all_leaves - 1, 1)
    return Ladder(rows, costs, weights, tuple(limits_of))


def _rows(promise: PersonalizedPrivacy, values: Domain) -> tuple[tuple[Label, ...], ...]:
    """Return the labels of each value; a missing value stays missing, for it tells of nobody."""
    if values.hierarchy is None:
        raise UsageError(
            f"{promise.spec} is kept by generalizing {values.name!r} and it has no hierarchy; give it one, such as a "
            "file or a taxonomy"
        )
    hierarchy = values.hierarchy.covering(values.values, values.name)
    _refuse_two_meanings(hierarchy, values.name)
    levels = range(len(hierarchy.labels))
    return tuple(
        tuple(None if value is None else hierarchy.label(value, level) for level in levels) for value in values.values
    )


def _refuse_two_meanings(hierarchy: Hierarchy, name: str) -> None:
    """Raise if a label stands for other values at one level than at another: nobody could tell which are meant."""
    together = leaves_of_nodes(hierarchy)
    for level, labels in enumerate(hierarchy.labels):
        for code, label in enumerate(labels):
            if label in together and not np.array_equal(together[label], leaves_at(hierarchy, level, code)):
                raise UsageError(
                    f"{label!r} in the hierarchy of {name!r} stands for other values at level {level} than elsewhere, "
                    "so a published value would have two meanings; rename one of them"
                )


@dataclass(frozen=True, eq=False)
class Entries:
    """The sensitive values of groups, and the nodes that guard somebody there.

    ``group`` and ``value`` ascend together, and ``count`` says how many records there are; ``wishes[i]`` is a group and
    a node, each pair once, ascending.
    """

    group: IntArray
    value: IntArray
    count: IntArray
    wishes: IntArray
    groups: int


def levels_for(entries: Entries, ladder: Ladder, p: float) -> tuple[IntArray, FloatArray]:
    """Return how many records of each entry are published at each level, and the largest chance left in each group.

    Only groups in which somebody guards something are looked at.
    """
    shown = np.zeros((len(entries.group), ladder.costs.shape[1]), dtype=np.int64)
    shown[:, 0] = entries.count
    limits, limit_groups = _limits(entries, ladder)
    guarded = np.unique(limit_groups)
    number = np.full(entries.groups, -1, dtype=np.int64)
    number[guarded] = np.arange(len(guarded))
    chosen = np.flatnonzero(number[entries.group] >= 0)
    part, left = shown[chosen], np.zeros(len(guarded))
    starts = np.searchsorted(number[entries.group[chosen]], np.arange(len(guarded) + 1))
    limit_starts = np.searchsorted(number[limit_groups], np.arange(len(guarded) + 1))
    arrays = (starts, entries.value[chosen], limit_starts, limits, ladder.weights, ladder.costs)
    soften(*arrays, p, part, left)
    shown[chosen] = part
    reached = np.zeros(entries.groups)
    reached[guarded] = left
    return shown, reached


def _limits(entries: Entries, ladder: Ladder) -> tuple[IntArray, IntArray]:
    """Return the limits of every group, each once, and the group of each, ascending."""
    sizes = np.array([len(limits) for limits in ladder.limits_of], dtype=np.int64)
    groups, nodes = entries.wishes.reshape(-1, 2).T
    limits = np.concatenate([np.empty(0, dtype=np.int64), *(ladder.limits_of[node] for node in nodes.tolist())])
    width = max(len(ladder.weights), 1)
    keys = np.unique(np.repeat(groups, sizes[nodes]) * width + limits)
    return keys % width, keys // width


class Generalizable(GroupModel):
    """The promise that personalized privacy can be kept in every group by generalizing sensitive values there.

    A search for groups asks it in the place of the promise itself.
    """

    protects_from: ClassVar[str] = PersonalizedPrivacy.protects_from
    does_not_protect_from: ClassVar[str] = PersonalizedPrivacy.does_not_protect_from
    reference: ClassVar[str] = PersonalizedPrivacy.reference
    needs_sensitive: ClassVar[bool] = True
    needs_hierarchy: ClassVar[bool] = True
    monotone: ClassVar[bool] = False
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    promised: PersonalizedPrivacy

    @property
    def spec(self) -> str:
        return self.promised.spec

    @property
    def attribute(self) -> str | None:
        """The sensitive attribute."""
        return self.promised.attribute

    @property
    def required(self) -> float:
        return self.promised.required

    def promise(self) -> str:
        return self.promised.promise()

    def combinations(self, sensitive: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:  # type: ignore[override]
        return self.promised.combinations(sensitive)

    def accepts(self, groups: Groups) -> BoolArray:
        return self._reached(groups) <= self.promised.p + TOLERANCE

    def measure(self, groups: Groups) -> float:
        return float(self._reached(groups).max(initial=0.0))

    def _reached(self, groups: Groups) -> FloatArray:
        ((attribute, guarding),) = self.combinations(tuple(groups.histograms()))
        (values,) = groups.histograms(attribute).values()
        together = groups.combination((attribute, guarding))
        if not isinstance(together.domain, JointDomain):
            raise TypeError("a combination of two columns has the domains of both")
        order = np.lexsort((values.value, values.group))
        pairs = np.stack([together.group, together.domain.codes[together.value, 1]], axis=1)
        entries = Entries(
            values.group[order], values.value[order], values.count[order], np.unique(pairs, axis=0), len(groups)
        )
        ladder = ladder_of(self.promised, values.domain, together.domain.columns[1])
        return levels_for(entries, ladder, self.promised.p)[1]
