"""Which sensitive values are published more generally, so that nobody guesses what people guard."""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.base import Algorithm, Method
from krypsis.algorithms.tables.mondrian.mondrian import Mondrian
from krypsis.algorithms.tables.optimal.optimal import Optimal
from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Domain, Groups, JointDomain
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.errors import UsageError
from krypsis.kernels._jit import compiled
from krypsis.models.base import TOLERANCE, GroupModel, PrivacyModel
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.personalized_privacy import Meaning, PersonalizedPrivacy, leaves_at, leaves_of_nodes

SLACK = 5e-13
"""Chances are computed in floating point; half of what counts as equal when they are judged."""

WORTH = 1e-12
"""A step that lowers the chances by less does nothing."""


@compiled
def soften(
    starts: IntArray,
    values: IntArray,
    limit_starts: IntArray,
    limits: IntArray,
    weights: FloatArray,
    costs: FloatArray,
    p: float,
    shown: IntArray,
    reached: FloatArray,
) -> None:
    """Raise levels of single records in each group, greedily, until no limit of the group is exceeded.

    ``values[starts[g]:starts[g + 1]]`` are the sensitive values of group ``g``; ``shown[entry, level]`` says how many
    of its records are published at each level and is changed. ``limits`` are in the same way the chances that must be
    at most ``p``; ``weights[limit, value, level]`` is what a record contributes, ``costs[value, level]`` what it loses.
    ``reached`` becomes the largest chance that is left in each group.
    """
    # One group per iteration: greedy steps while P_breach exceeds p for a guarding node, then undo what is not needed.
    for group in range(len(starts) - 1):
        own, here = values[starts[group] : starts[group + 1]], shown[starts[group] : starts[group + 1]]
        asked = limits[limit_starts[group] : limit_starts[group + 1]]
        size = here.sum()
        allowed = (p + SLACK) * size
        sums = _sums(own, here, asked, weights)
        while sums.max() > allowed and _raise_some(own, here, asked, weights, costs, sums, allowed):
            sums = _sums(own, here, asked, weights)
        if sums.max() <= allowed:
            _take_back(own, here, asked, weights, sums, allowed)
            sums = _sums(own, here, asked, weights)
        reached[group] = sums.max() / size


@compiled
def _sums(own: IntArray, here: IntArray, asked: IntArray, weights: FloatArray) -> FloatArray:
    """Return how many records are expected to be what each limit is about."""
    sums = np.zeros(len(asked))
    for place, limit in enumerate(asked):
        for entry, value in enumerate(own):
            for level in range(here.shape[1]):
                sums[place] += here[entry, level] * weights[limit, value, level]
    return sums


@compiled
def _raise_some(
    own: IntArray,
    here: IntArray,
    asked: IntArray,
    weights: FloatArray,
    costs: FloatArray,
    sums: FloatArray,
    allowed: float,
) -> bool:
    """Take the step that lowers the excess most for what it loses, with as many records as it stays such a step for."""
    best, entry, low, high = 0.0, -1, 0, 0
    for one, value in enumerate(own):
        for before in range(here.shape[1]):
            if not here[one, before]:
                continue
            for after in range(before + 1, here.shape[1]):
                gain = _gain(asked, weights[:, value, before], weights[:, value, after], sums, allowed)
                if gain > WORTH and gain > best * (costs[value, after] - costs[value, before]):
                    best = gain / (costs[value, after] - costs[value, before])
                    entry, low, high = one, before, after
    if entry < 0:
        return False
    value = own[entry]
    records = _records(here[entry, low], asked, weights[:, value, low], weights[:, value, high], sums, allowed)
    here[entry, low] -= records
    here[entry, high] += records
    return True


@compiled
def _gain(asked: IntArray, before: FloatArray, after: FloatArray, sums: FloatArray, allowed: float) -> float:
    """Return by how much the excess over all limits falls if one record is published more generally."""
    gain = 0.0
    for place, limit in enumerate(asked):
        # Only what lies above a limit counts: lowering a chance that is allowed is no gain.
        gain += max(sums[place] - allowed, 0.0) - max(sums[place] - allowed + after[limit] - before[limit], 0.0)
    return gain


@compiled
def _records(
    most: int, asked: IntArray, before: FloatArray, after: FloatArray, sums: FloatArray, allowed: float
) -> int:
    """Return how many records can take a step before a limit comes to be kept, or to be exceeded."""
    records = most
    for place, limit in enumerate(asked):
        excess, change = sums[place] - allowed, after[limit] - before[limit]
        if excess > 0 and change < 0:
            records = min(records, int(np.ceil(min(excess / -change, float(most)))))
        elif excess <= 0 and change > 0:
            records = min(records, int(np.floor(min(-excess / change, float(most)))))
    return max(records, 1)


@compiled
def _take_back(
    own: IntArray, here: IntArray, asked: IntArray, weights: FloatArray, sums: FloatArray, allowed: float
) -> None:
    """Publish records as exactly as the limits allow: a later step may have made an earlier one needless."""
    for entry, value in enumerate(own):
        for high in range(here.shape[1] - 1, 0, -1):
            for low in range(high):
                records = here[entry, high]
                for place, limit in enumerate(asked):
                    change = weights[limit, value, low] - weights[limit, value, high]
                    if change > 0:
                        room = max(allowed - sums[place], 0.0)
                        records = min(records, int(np.floor(min(room / change, float(records)))))
                for place, limit in enumerate(asked):
                    sums[place] += records * (weights[limit, value, low] - weights[limit, value, high])
                here[entry, high] -= records
                here[entry, low] += records


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


GROUPINGS: dict[str, type[Algorithm]] = {"mondrian": Mondrian, "optimal": Optimal}


class SAGeneralization(Method):
    """Generalizes the quasi-identifiers, and then single sensitive values where somebody guards more than that hides.

    Notes
    -----
    First records are put into groups of at least ``k`` by generalizing the quasi-identifiers, then in each group
    sensitive values are published more generally, record by record: *infection* for *flu*, *any* for *infection*. That
    takes away from what can be guessed, and nothing from what people do not guard.

    In each group the step is taken that lowers the chances above ``p`` most for what it loses: a record goes from one
    label to one above it, not necessarily the next. What a step loses is the share of all values that the label stands
    for, as in the paper. When no chance is above ``p``, records go back as far as that stays so. Of records with the
    same value, those of people who guard something are generalized first. Where only one node is guarded in a group,
    the steps find a way if there is one; with several, which may want opposite things, they may find none. Groups are
    made so that all of them can be settled; if even the whole table as one group cannot, the promise is infeasible.

    Large groups need little from the second part, small groups little from the first: ``k`` decides. Missing values
    stay missing. The tree must not come from the data: the number of values below a node is part of the chance.

    References
    ----------
    Xiao, Tao, "Personalized privacy preservation", SIGMOD 2006, Section 5. The paper chooses the groups top-down by
    the loss of both parts together; here they are those of ``groups``.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> table = pl.DataFrame({"age": [31, 34], "disease": ["flu", "cold"], "guard": ["flu", None]})
    >>> tree = {"any": {"infection": ["flu", "cold"], "heart": ["angina", "stroke"]}}
    >>> release = krypsis.anonymize(table, {"age": "quasi-identifier", "disease": "sensitive", "guard": "identifier"},
    ...                             hierarchies={"disease": tree}, algorithm="sa-generalization",
    ...                             models="personalized-privacy:p=0.25,guarding=guard")
    >>> sorted(release.table.rows())
    [('[31-34]', 'cold'), ('[31-34]', 'infection')]
    """

    name: ClassVar[str] = "sa-generalization"
    aliases: ClassVar[tuple[str, ...]] = ("personalized",)
    scheme: ClassVar[str] = "CG_"
    family: ClassVar[str] = "personalized"
    reference: ClassVar[str] = "Xiao, Tao, Personalized privacy preservation, SIGMOD 2006"
    keeps: ClassVar[type[PrivacyModel]] = PersonalizedPrivacy

    groups: Literal["mondrian", "optimal"] = Field(
        default="mondrian", description="the algorithm that generalizes the quasi-identifiers"
    )
    k: int | None = Field(
        default=None, ge=1, description="the smallest number of records in a group; 1/p, rounded up, unless given"
    )

    @property
    def grouping(self) -> Algorithm:
        """The algorithm that makes the groups."""
        return GROUPINGS[self.groups]()

    def models_of_groups(self, promise: PersonalizedPrivacy, records: int) -> tuple[GroupModel, ...]:
        """Return what the groups of so many records must be, before their sensitive values are generalized."""
        k = max(min(ceil(1 / promise.p), records), 1) if self.k is None else self.k
        return (KAnonymity(k=k), Generalizable(promised=promise))

    def levels(self, group: IntArray, value: IntArray, node: IntArray, ladder: Ladder, p: float) -> IntArray:
        """Return the level at which the sensitive value of each record is published.

        ``group`` numbers the groups from 0 on; ``value`` and ``node`` are the codes of the ladder, -1 where nobody
        guards anything.
        """
        keys, entry_of, counts = np.unique(group * len(ladder.labels) + value, return_inverse=True, return_counts=True)
        wishes = np.unique(np.stack([group, node], axis=1)[node >= 0], axis=0)
        entries = Entries(
            keys // len(ladder.labels), keys % len(ladder.labels), counts, wishes, int(group.max(initial=-1)) + 1
        )
        shown, _ = levels_for(entries, ladder, p)
        descending = np.arange(shown.shape[1])[::-1]
        levels = np.empty(len(group), dtype=np.int64)
        # Within an entry, people who guard something come first and get the most general labels.
        levels[np.lexsort((node < 0, entry_of))] = np.repeat(np.tile(descending, len(shown)), shown[:, ::-1].ravel())
        return levels
