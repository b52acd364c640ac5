"""Sensitive values that must have changed: no value per person, the same in all releases, explains their groups."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any, ClassVar

import numpy as np
import polars as pl
from pydantic import Field

from krypsis.arrays import IntArray
from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.history_attack import HistoryAttack, ReleaseSequence
from krypsis.attacks.trails import Trails
from krypsis.io.history import Version

MOST_STEPS = 200_000
"""How many values are tried for the people of all clusters together, before the rest stays undecided."""

SHOWN = 10
"""How many people of a cluster are named."""


@dataclass(frozen=True)
class Changes:
    """Clusters of people, linked by common groups, in each of which somebody's value has changed for certain."""

    clusters: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    undecided: int = 0
    """How many people are in clusters with too many cases to decide."""

    def sentences(self) -> list[str]:
        """Return what is learned in plain words."""
        found = [
            f"changed values: of {len(cluster)} people at least one has another sensitive value than before "
            f"({', '.join(cluster[:SHOWN])}{', …' * (len(cluster) > SHOWN)}); which value anybody has stays hidden"
            for cluster in self.clusters[:SHOWN]
        ]
        more = len(self.clusters) - SHOWN
        return [
            *(f"{one}." for one in found),
            *([f"changed values: the same is seen in {more} more cluster(s) of people."] if more > 0 else []),
            *([f"changed values: not decided for {self.undecided} people: too many cases."] if self.undecided else []),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the findings by name."""
        return {"clusters": [list(one) for one in self.clusters], "undecided": self.undecided}


class ChangeAttack(HistoryAttack):
    """Sees that somebody's sensitive value has changed, although every signature stayed.

    No value per person that is the same in all releases explains the groups of some people who are linked by common
    groups. Which value anybody has stays hidden.

    Notes
    -----
    With groups {1, 2} {3, 4}, then {1, 3} {2, 4}, then {1, 4} {2, 3} of the same two values, 1 would need a value that
    differs from those of 2, 3 and 4, which differ from each other. Two releases alone never show it: groups of two
    releases with the same values can always be explained.

    Examples
    --------
    >>> def version(*groups):
    ...     rows = [(who, str(number), "ab"[at]) for number, one in enumerate(groups) for at, who in enumerate(one)]
    ...     table = pl.DataFrame(rows, schema=["person", "group", "value"], orient="row")
    ...     return Version.of(table, group="group", sensitive="value", person="person")
    >>> ChangeAttack().find([version("12", "34"), version("13", "24"), version("14", "23")]).clusters
    (('1', '2', '3', '4'),)
    """

    name: ClassVar[str] = "changed-values"
    title: ClassVar[str] = "changed values"
    knowledge: ClassVar[str] = "the group of everybody in each release, and who is in the table when"
    success: ClassVar[str] = (
        "a person is among a few of whom at least one certainly has another sensitive value than before"
    )
    baseline: ClassVar[str] = "nobody: without the releases no change can be seen, so it is 0"
    reference: ClassVar[str] = "after Xiao, Tao, m-invariance, SIGMOD 2007, for sensitive values that change"

    most_steps: int = Field(
        default=MOST_STEPS,
        ge=0,
        description="how many values are tried in all, before the rest of the people stays undecided",
    )

    def find(self, target: ReleaseSequence | Sequence[Version]) -> Changes:
        """Return where it can be seen; clusters that the known ``values`` of a sequence explain are not examined."""
        releases = self.sequence(target)
        if len(releases.versions) < 3:
            return Changes()
        trails, steps, undecided, found = releases.trails, self.most_steps, 0, []
        for people in _clusters(trails, _doubtful(trails, releases.values)):
            puzzle = _Puzzle.of(trails, people)
            is_explained = puzzle.solve(steps)
            steps -= puzzle.steps
            if is_explained is None:
                undecided += len(people)
            elif not is_explained:
                found.append(tuple(trails.people.gather(people).to_list()))
        return Changes(tuple(found), undecided)

    def evaluate(self, found: Changes, target: ReleaseSequence | Sequence[Version]) -> AttackSuccess:
        """Return the share of the people who are among such few; undecided ones count as if they were."""
        people, seen = self.sequence(target).people, sum(map(len, found.clusters))
        undecided = f"{found.undecided:,} people are undecided: too many cases. They are counted as found."
        return AttackSuccess.of(
            self.name,
            targets=people,
            rate=(seen + found.undecided) / people if people else 0.0,
            at_least=seen / people if people else None,
            baseline=0.0,
            certain=float(seen),
            cannot_say=["Who of them has changed is not learned.", undecided if found.undecided else ""],
        )


def _doubtful(trails: Trails, values: pl.DataFrame | None) -> IntArray:
    """Return the groups that given values do not explain: more people have a value than records hold it."""
    if values is None:
        return np.arange(trails.groups)
    names = pl.DataFrame({"person": trails.people}).with_row_index("number")
    labels = pl.DataFrame({"value": trails.values}).with_row_index("code")
    given = values.with_columns(pl.col("person").cast(pl.String)).unique("person", keep="last")
    coded = names.join(given, on="person", how="left", maintain_order="left").join(
        labels, on="value", how="left", nulls_equal=True, maintain_order="left"
    )
    code = coded.get_column("code").cast(pl.Int64).fill_null(-1).to_numpy()
    radix = max(len(trails.values), 1)
    room = trails.slot_group * radix + trails.slot_value
    taken, counts = np.unique(trails.member_group * radix + code[trails.member_person], return_counts=True)
    place = np.minimum(np.searchsorted(room, taken), len(room) - 1)
    is_wrong = (room[place] != taken) | (counts > trails.slot_count[place])
    unknown = trails.member_group[code[trails.member_person] < 0]
    return np.union1d(taken[is_wrong & (taken >= 0)] // radix, unknown)


def _clusters(trails: Trails, groups: IntArray) -> Iterator[IntArray]:
    """Yield the people of clusters that hold one of the groups, small clusters first."""
    from scipy.sparse import coo_array  # noqa: PLC0415  costs time to import
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    people, size = len(trails.people), len(trails.people) + trails.groups
    edges = trails.member_person, people + trails.member_group
    graph = coo_array((np.ones(len(edges[0]), dtype=np.int8), edges), shape=(size, size))
    _, label = connected_components(graph, directed=False)
    wanted = np.flatnonzero(np.isin(label[:people], np.unique(label[people + groups])))
    order = wanted[np.argsort(label[wanted], kind="stable")]
    parts = np.split(order, np.flatnonzero(np.diff(label[order])) + 1) if len(order) else []
    yield from sorted(parts, key=len)


@dataclass(eq=False)
class _Puzzle:
    """A value for each person of a cluster, so that no group gives more records of a value than it has."""

    groups_of: list[list[int]]
    members: dict[int, list[int]]
    room: dict[int, dict[int, int]]
    """Group → value → the records that are left."""
    domains: list[set[int]]
    chosen: list[int | None]
    heap: list[tuple[int, int]] = field(default_factory=list)
    steps: int = 0

    @classmethod
    def of(cls, trails: Trails, people: IntArray) -> "_Puzzle":
        number = {person: place for place, person in enumerate(people.tolist())}
        mine = np.flatnonzero(np.isin(trails.member_person, people))
        groups_of: list[list[int]] = [[] for _ in number]
        members: dict[int, list[int]] = {}
        for person, group in zip(trails.member_person[mine].tolist(), trails.member_group[mine].tolist(), strict=True):
            groups_of[number[person]].append(group)
            members.setdefault(group, []).append(number[person])
        room = {group: _records(trails, group) for group in members}
        domains = [set.intersection(*(set(room[group]) for group in own)) for own in groups_of]
        return cls(groups_of, members, room, domains, [None] * len(number))

    def solve(self, most_steps: int) -> bool | None:
        """Say whether there is a solution; ``None`` if the steps do not suffice. Whoever has fewest values is next."""
        if not all(self.domains):
            return False
        self.heap = [(len(domain), person) for person, domain in enumerate(self.domains)]
        self.heap.sort()
        path: list[tuple[int, list[int], list[tuple[int, int]]]] = []
        person = self._next()
        options = [] if person is None else sorted(self.domains[person])
        # Backtracking with forward checking; whoever has fewest values left is next, so contradictions show early.
        while person is not None:
            if not options:
                if not path:
                    return False
                heappush(self.heap, (len(self.domains[person]), person))
                person, options, removed = path.pop()
                self._take_back(person, removed)
                continue
            self.steps += 1
            if self.steps > most_steps:
                return None
            removed = []
            if self._choose(person, options.pop(), removed):
                path.append((person, options, removed))
                person = self._next()
                options = [] if person is None else sorted(self.domains[person])
            else:
                self._take_back(person, removed)
        return True

    def _next(self) -> int | None:
        """Return a person without a value who has fewest values left."""
        while self.heap:
            size, person = heappop(self.heap)
            if self.chosen[person] is None and size == len(self.domains[person]):
                return person
        return None

    def _choose(self, person: int, value: int, removed: list[tuple[int, int]]) -> bool:
        """Give a person a value and exclude it for others where no record is left; say whether all have values left."""
        self.chosen[person] = value
        possible = True
        for group in self.groups_of[person]:
            self.room[group][value] -= 1
            if self.room[group][value]:
                continue
            for other in self.members[group]:
                if self.chosen[other] is None and value in self.domains[other]:
                    self.domains[other].discard(value)
                    removed.append((other, value))
                    heappush(self.heap, (len(self.domains[other]), other))
                    possible &= bool(self.domains[other])
        return possible

    def _take_back(self, person: int, removed: list[tuple[int, int]]) -> None:
        value = self.chosen[person]
        self.chosen[person] = None
        for group in self.groups_of[person]:
            self.room[group][value] += 1  # type: ignore[index]
        for other, excluded in removed:
            self.domains[other].add(excluded)
            heappush(self.heap, (len(self.domains[other]), other))
        heappush(self.heap, (len(self.domains[person]), person))


def _records(trails: Trails, group: int) -> dict[int, int]:
    slots = range(int(trails.starts[group]), int(trails.starts[group + 1]))
    return {int(trails.slot_value[slot]): int(trails.slot_count[slot]) for slot in slots}
