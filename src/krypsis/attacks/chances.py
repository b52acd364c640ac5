"""The chances of all people at once: known, by symmetry, by counting worlds, or within bounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, IntArray
from krypsis.attacks.history_attack import COLUMNS, Learned, bounds_of, reduced
from krypsis.attacks.matching import PersonTrail, count_worlds
from krypsis.attacks.trails import PEOPLE_AT_ONCE, Cascade, Trails
from krypsis.checker.invariance import number_sets
from krypsis.data.ordering import distinct
from krypsis.errors import DataError

Puzzle = tuple[list[PersonTrail], list[dict[int, int]], list[dict[int, int]]]
"""People, the records of their groups, and for each person value → pair."""


def sizes_of_companies(cascade: Cascade) -> IntArray:
    """Return for each person how many of those whose value is not known are in the same groups in all releases.

    Only people who are excluded from the same values beforehand count as together.
    """
    trails = cascade.trails
    company = cascade.kind
    for release in np.unique(trails.member_release).tolist():
        members = np.flatnonzero(trails.member_release == release)
        group = np.zeros(len(company), dtype=np.int64)
        group[trails.member_person[members]] = trails.member_group[members] + 1
        _, company, _ = distinct(company * (trails.groups + 1) + group)
    counted = np.bincount(company[~cascade.known], minlength=int(company.max(initial=0)) + 1)
    return np.asarray(np.where(cascade.known, 1, counted[company]))


class Paths:
    """Everybody's groups and pairs, sorted by person."""

    def __init__(self, cascade: Cascade) -> None:
        trails = cascade.trails
        self.cascade = cascade
        order = np.argsort(trails.member_person, kind="stable")
        self.groups = trails.member_group[order]
        self.group_starts = np.append(0, np.cumsum(trails.lives))
        self.pairs = np.searchsorted(cascade.pair_person, np.arange(len(trails.people) + 1))

    def puzzle(self, people: IntArray) -> Puzzle:
        """Return the people of a cluster with what is possible for them and the free records of their groups."""
        numbers: dict[int, int] = {}
        suspects, pairs = [], []
        for person in people.tolist():
            own = self._groups_of(person)
            possible = self._values_of(person)
            suspects.append(PersonTrail(tuple(numbers.setdefault(g, len(numbers)) for g in own), frozenset(possible)))
            pairs.append(possible)
        return suspects, [self._records_of(group) for group in numbers], pairs

    def _groups_of(self, person: int) -> list[int]:
        found: list[int] = self.groups[self.group_starts[person] : self.group_starts[person + 1]].tolist()
        return found

    def _values_of(self, person: int) -> dict[int, int]:
        pairs = range(int(self.pairs[person]), int(self.pairs[person + 1]))
        return {int(self.cascade.pair_value[pair]): pair for pair in pairs if self.cascade.alive[pair]}

    def _records_of(self, group: int) -> dict[int, int]:
        trails = self.cascade.trails
        slots = range(int(trails.starts[group]), int(trails.starts[group + 1]))
        return {int(trails.slot_value[s]): int(self.cascade.free[s]) for s in slots if self.cascade.free[s] > 0}


def chances_of(cascade: Cascade, name: str, exact_people: int) -> Learned:
    """Return the chances of all values that a cascade leaves, as what the named attack has learned."""
    chances = _Chances.known(cascade)
    clusters = _Clusters.of(cascade)
    # Risk by counting: closed forms where symmetry gives them, …
    chances.share_records(clusters)
    chances.share_signatures(clusters)
    # … bounds for all other clusters, made exact by counting worlds where that is feasible.
    chances.bound(clusters)
    chances.count(clusters, exact_people)
    return chances.learned(name)


def chances_with_exclusions(
    trails: Trails, kind: IntArray, allowed: BoolArray, name: str, exact_people: int
) -> Learned:
    """Return the chances in every group with people who cannot have one of its values.

    ``kind`` is a number for each person, and ``allowed[kind, value]`` says what such people can have. Every release is
    looked at by itself; of several that concern a person, the one with the surest value counts.
    """
    found = []
    concerned = _concerned(trails, kind, allowed)
    for release in np.unique(trails.member_release[concerned]).tolist():
        part = trails.restricted_to(concerned & (trails.member_release == release))
        found.append(chances_of(Cascade.of(part, kind, allowed).run(), name, exact_people).chances)
    return Learned(name, _surest(found))


def _concerned(trails: Trails, kind: IntArray, allowed: BoolArray) -> BoolArray:
    """Return for each member whether somebody in the group is excluded from a value of it."""
    group = np.zeros(trails.groups, dtype=np.bool_)
    members = len(trails.member_person)
    for begin in range(0, members, PEOPLE_AT_ONCE):
        person, slot = trails.links(np.arange(begin, min(begin + PEOPLE_AT_ONCE, members)))
        excluded = ~allowed[kind[person], trails.slot_value[slot]]
        group[trails.slot_group[slot[excluded]]] = True
    return np.asarray(group[trails.member_group])


def _surest(found: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return for each person the chances in the release with the surest value."""
    if not found:
        return pl.DataFrame(schema=COLUMNS)
    rows = pl.concat([chances.with_columns(release=pl.lit(place)) for place, chances in enumerate(found)])
    best = rows.group_by("person", "release").agg(
        low_best=(pl.col("low") / pl.col("low_of")).max(), high_best=(pl.col("high") / pl.col("high_of")).max()
    )
    best = best.sort("low_best", "high_best", "release", descending=[True, True, False])
    chosen = best.unique("person", keep="first", maintain_order=True).select("person", "release")
    return rows.join(chosen, on=["person", "release"], how="semi", maintain_order="left").drop("release")


@dataclass(frozen=True, eq=False)
class _Clusters:
    """People whose value is not known, in clusters that share groups; -1 for all others."""

    of_person: IntArray
    limit: int
    is_single: BoolArray
    """For each cluster, whether it has one group and everybody in it can have all of its values."""
    is_even: BoolArray
    """For each cluster, whether all groups hold the same values, each of them equally often, and nobody lacks one."""

    @classmethod
    def of(cls, cascade: Cascade) -> "_Clusters":
        from scipy.sparse import coo_array  # noqa: PLC0415  costs time to import
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

        trails = cascade.trails
        people, groups = len(trails.people), trails.groups
        alike, restricted = _Alike.of(cascade), _restricted(cascade)
        calm = alike.calm_people(cascade, restricted)
        is_open = ~(cascade.known | calm)[trails.member_person]
        edges = trails.member_person[is_open], people + trails.member_group[is_open]
        graph = coo_array((np.ones(len(edges[0]), dtype=np.int8), edges), shape=(people + groups,) * 2)
        limit, label = connected_components(graph, directed=False)
        of_person = np.where(cascade.known | (trails.lives == 0), -1, label[:people])
        of_group = np.full(groups, -1)
        of_group[trails.member_group[is_open]] = label[edges[1]]
        is_free = np.ones(limit, dtype=np.bool_)
        is_free[of_person[restricted]] = False
        is_single = np.bincount(of_group[of_group >= 0], minlength=limit) == 1
        is_even = alike.even_clusters(of_group, int(limit)) & is_free
        is_even[of_person[calm]] = True
        return cls(of_person, int(limit), is_single & is_free, is_even)


@dataclass(frozen=True, eq=False)
class _Alike:
    """Which groups are alike in what is left of them, by number."""

    signature: IntArray
    """Equal where the same values are left."""
    is_even: BoolArray
    """Whether all values that are left are left equally often."""

    @classmethod
    def of(cls, cascade: Cascade) -> "_Alike":
        trails = cascade.trails
        left = np.flatnonzero(cascade.free > 0)
        owner, free = trails.slot_group[left], cascade.free[left]
        sizes = np.bincount(owner, minlength=trails.groups)
        signature = number_sets(sizes, trails.slot_value[left], max(len(trails.values), 1))
        least, most = np.full(trails.groups, np.iinfo(np.int64).max), np.zeros(trails.groups, dtype=np.int64)
        np.minimum.at(least, owner, free)
        np.maximum.at(most, owner, free)
        return cls(signature, least == most)

    def calm_people(self, cascade: Cascade, restricted: IntArray) -> BoolArray:
        """Say whose clusters are even beyond doubt: all groups with the same values left are, and so are their people.

        Nobody of those groups is anywhere else, so it need not be known which of them are linked.
        """
        trails = cascade.trails
        own, person = self.signature[trails.member_group], trails.member_person
        low, high = np.full(len(trails.people), np.iinfo(np.int64).max), np.full(len(trails.people), -1)
        np.minimum.at(low, person, own)
        np.maximum.at(high, person, own)
        is_odd = low != high
        is_odd[restricted] = True
        is_odd &= ~cascade.known
        is_mixed = np.zeros(int(self.signature.max(initial=-1)) + 2, dtype=np.bool_)
        is_mixed[own[is_odd[person]]] = True
        is_mixed[self.signature[~self.is_even]] = True
        return ~cascade.known & (trails.lives > 0) & ~is_mixed[np.where(high < 0, -1, low)]

    def even_clusters(self, of_group: IntArray, limit: int) -> BoolArray:
        """Say for each cluster whether all its groups have the same values left, each of them equally often."""
        groups = np.flatnonzero(of_group >= 0)
        first, last = np.full(limit, np.iinfo(np.int64).max), np.full(limit, -1)
        np.minimum.at(first, of_group[groups], self.signature[groups])
        np.maximum.at(last, of_group[groups], self.signature[groups])
        even: BoolArray = first == last
        even[of_group[groups[~self.is_even[groups]]]] = False
        return even


def _restricted(cascade: Cascade) -> IntArray:
    """Return the people with an unknown value who cannot have every value that is left in one of their groups."""
    trails = cascade.trails
    left = np.bincount(trails.slot_group[cascade.free > 0], minlength=trails.groups)
    fewer = cascade.choices()[trails.member_person] < left[trails.member_group]
    return trails.member_person[fewer & ~cascade.known[trails.member_person]]


@dataclass(eq=False)
class _Chances:
    """The bounds of each pair: ``low / low_of`` and ``high / high_of``."""

    cascade: Cascade
    low: IntArray
    low_of: IntArray
    high: IntArray
    high_of: IntArray

    @classmethod
    def known(cls, cascade: Cascade) -> "_Chances":
        """Return 1 for what is known, and nothing yet for the rest."""
        ones = np.ones(len(cascade.pair_person), dtype=np.int64)
        low = cascade.known[cascade.pair_person].astype(np.int64)
        return cls(cascade, low, ones.copy(), ones.copy(), ones.copy())

    def share_records(self, clusters: _Clusters) -> None:
        """In a single group, everybody has a value as often as it stands among the records that are left."""
        cascade = self.cascade
        of_link = clusters.of_person[cascade.pair_person[cascade.link_pair]]
        links = np.flatnonzero(cascade.alive[cascade.link_pair] & (of_link >= 0) & clusters.is_single[of_link])
        left = np.bincount(
            cascade.trails.slot_group, weights=np.maximum(cascade.free, 0), minlength=cascade.trails.groups
        ).astype(np.int64)
        slots = cascade.link_slot[links]
        self._set(cascade.link_pair[links], cascade.free[slots], left[cascade.trails.slot_group[slots]])

    def share_signatures(self, clusters: _Clusters) -> None:
        """Where all groups are alike, all values are: exchanging two of them everywhere explains the groups as well."""
        pairs = self._pairs(clusters, clusters.is_even)
        choices = self.cascade.choices()[self.cascade.pair_person[pairs]]
        self._set(pairs, np.ones(len(pairs), dtype=np.int64), choices)

    def bound(self, clusters: _Clusters) -> None:
        """People who are always together share the records of a value, of which no group has more than it has."""
        cascade = self.cascade
        pairs = self._pairs(clusters, ~clusters.is_even & ~clusters.is_single)
        if not len(pairs):
            return
        together = sizes_of_companies(cascade)[cascade.pair_person]
        fewest = np.full(len(cascade.alive), np.iinfo(np.int64).max)
        np.minimum.at(fewest, cascade.link_pair, cascade.free[cascade.link_slot])
        self.high[pairs] = np.minimum(fewest[pairs], together[pairs])
        self.high_of[pairs] = together[pairs]
        # What the other values leave at least. All bounds of a person have the same denominator here.
        given = np.zeros(len(cascade.known), dtype=np.int64)
        np.add.at(given, cascade.pair_person[pairs], self.high[pairs])
        others = given[cascade.pair_person[pairs]] - self.high[pairs]
        self.low[pairs], self.low_of[pairs] = np.maximum(together[pairs] - others, 0), together[pairs]

    def count(self, clusters: _Clusters, most: int) -> None:
        """Count the worlds of irregular clusters, the smallest first."""
        irregular = ~clusters.is_even & ~clusters.is_single
        people = np.flatnonzero((clusters.of_person >= 0) & irregular[clusters.of_person])
        if not len(people):
            return
        sizes = np.bincount(clusters.of_person[people], minlength=clusters.limit)
        order = people[np.lexsort((clusters.of_person[people], sizes[clusters.of_person[people]]))]
        ends = np.flatnonzero(np.diff(clusters.of_person[order], append=-1)) + 1
        paths = Paths(self.cascade)
        for start, end in zip(np.append(0, ends[:-1]).tolist(), ends[ends <= most].tolist(), strict=False):
            self._count_one(paths, order[start:end])

    def _count_one(self, paths: Paths, people: IntArray) -> None:
        suspects, groups, pairs = paths.puzzle(people)
        try:
            shares = count_worlds(suspects, groups)
        except ValueError as error:
            names = self.cascade.trails.people.gather(people[:5]).to_list()
            raise DataError(f"the releases contradict each other about {', '.join(names)}: {error}") from None
        if shares is None:
            return
        for own, share in zip(pairs, shares, strict=True):
            for value, pair in own.items():
                chance = share.get(value, Fraction(0))
                self.low[pair], self.low_of[pair], self.high[pair], self.high_of[pair] = bounds_of(chance, chance)

    def learned(self, name: str) -> Learned:
        """Return the chances of all pairs that are possible; pairs are in the order of people, then of values."""
        shown = np.flatnonzero(self.cascade.alive & (self.high > 0))
        trails = self.cascade.trails
        low, low_of = reduced(self.low[shown], self.low_of[shown])
        high, high_of = reduced(self.high[shown], self.high_of[shown])
        names = trails.people.gather(self.cascade.pair_person[shown])
        values = trails.values.gather(self.cascade.pair_value[shown])
        columns = (names, values, low, low_of, high, high_of)
        return Learned(name, pl.DataFrame(dict(zip(COLUMNS, columns, strict=True)), schema=COLUMNS))

    def _pairs(self, clusters: _Clusters, chosen: BoolArray) -> IntArray:
        of_pair = clusters.of_person[self.cascade.pair_person]
        return np.flatnonzero(self.cascade.alive & (of_pair >= 0) & chosen[of_pair])

    def _set(self, pairs: IntArray, numerator: IntArray, denominator: IntArray) -> None:
        self.low[pairs] = self.high[pairs] = numerator
        self.low_of[pairs] = self.high_of[pairs] = denominator
