"""What somebody learns from values that mean almost the same: the family of a value or the range of a number."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import ClassVar

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.history_attack import HistoryAttack, ReleaseSequence
from krypsis.attacks.taxonomy import TaxonomyNodes
from krypsis.attacks.trails import Cascade, Trails
from krypsis.errors import UsageError
from krypsis.io.history import Version
from krypsis.models.number_line import NumberLine


@dataclass(frozen=True, eq=False)
class KnownFamilies:
    """For each person the narrowest family that the value certainly belongs to.

    ``people`` has ``person``, ``family``, ``leaves`` (how many values the family has) and ``closest`` (the fewest
    values of a family that two different values of one of the person's groups have in common; empty without two).
    """

    people: pl.DataFrame = field(repr=False)
    values: int
    """How many values there are in all."""
    name: str = "family"
    """What a family is called: of numbers it is a range, and the other figures are distances."""

    def about(self, person: str) -> tuple[str | None, Fraction]:
        """Return a person's family, and how strongly it is narrowed: all values by those of the family."""
        family, leaves = self.people.filter(pl.col("person") == person).select("family", "leaves").row(0)
        return family, Fraction(self.values, max(leaves, 1))

    def narrowed(self) -> int:
        """Return the number of people of whom a family is known that does not hold all values."""
        return int((self.people["leaves"] < self.values).sum())

    @cached_property
    def strongest(self) -> Fraction:
        """The largest correlation of two different values of a group; 0 if no group has two."""
        fewest = self.people.get_column("closest").drop_nulls()
        return Fraction(self.values, max(int(str(fewest.min())), 1)) if len(fewest) else Fraction(0)

    def breached(self, e: Fraction) -> pl.DataFrame:
        """Return the people in whose groups two values are more correlated than ``e``, or whose family is."""
        # (e,m)-correlation is breached if some pair has corr = |S| / size(LCA) > e.
        return self.people.filter(pl.min_horizontal("closest", "leaves") < ceil(Fraction(self.values) / e))


class _NarrowingAttack(HistoryAttack):
    """An attack that learns a part of all values which a person's value certainly belongs to."""

    baseline: ClassVar[str] = "nobody: without a release nothing excludes a value, so it is 0"

    def evaluate(self, found: KnownFamilies, target: ReleaseSequence | Sequence[Version]) -> AttackSuccess:  # noqa: ARG002
        """Return the share of the people of whom it is known."""
        people, narrowed = found.people.height, found.narrowed()
        return AttackSuccess.of(
            self.name,
            targets=people,
            rate=narrowed / people if people else 0.0,
            baseline=0.0,
            certain=float(narrowed),
            cannot_say=["How likely the values inside are is not counted here; the attack 'intersection' does it."],
        )


class FamilyAttack(_NarrowingAttack):
    """Learns the family of a value, such as "a cancer", where a group holds values that mean almost the same.

    References
    ----------
    Li, Li, Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", ICDE 2007, section 3: the
    similarity attack.

    Examples
    --------
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> release = Version.of_signatures({"Ann": ["flu", "asthma"], "Bob": ["flu", "ulcer"]})
    >>> found = FamilyAttack().find(ReleaseSequence([release], disease))
    >>> found.about("Ann"), found.about("Bob")
    (('lungs', Fraction(3, 2)), ('*', Fraction(1, 1)))
    """

    name: ClassVar[str] = "family"
    title: ClassVar[str] = "family"
    needs: ClassVar[str] = "hierarchy"
    knowledge: ClassVar[str] = (
        "the group of everybody in each release, who is in the table when, and the hierarchy of the sensitive values"
    )
    success: ClassVar[str] = "a family that does not hold all values certainly holds that of the person"
    reference: ClassVar[str] = (
        "Li, Li, Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007, section 3"
    )

    def find(self, target: ReleaseSequence | Sequence[Version]) -> KnownFamilies:
        """Return for each person the nearest common ancestor of all values that the releases leave."""
        releases = self.sequence(target)
        trails = releases.trails
        cascade = Cascade.of(trails).run()
        nodes = TaxonomyNodes.of(trails.values.to_list(), releases.needed_hierarchy())
        # u = LCA of the values that are left: the value lies below u, with strength |S| / size(u).
        level, below = _common(cascade, nodes)
        tree = nodes.hierarchy
        keys, place = np.unique(level * len(tree.values) + below, return_inverse=True)
        found = zip(*(part.tolist() for part in np.divmod(keys, len(tree.values))), strict=True)
        names = pl.Series([tree.labels[at][int(tree.table[at, leaf])] for at, leaf in found], dtype=pl.String)
        people = pl.DataFrame(
            {
                "person": trails.people,
                "family": names.gather(place),
                "leaves": tree.leaves[level, below],
                "closest": _closest_relatives(trails, nodes),
            }
        )
        return KnownFamilies(people.with_columns(pl.col("closest").replace(0, None)), len(tree.values))


class RangeAttack(_NarrowingAttack):
    """Learns the range of a number where a group holds numbers that lie close together.

    Distances are in the smallest unit in which all numbers are whole; ``values`` of the result is the distance of the
    limits.

    References
    ----------
    Li, Tao, Xiao, "Preservation of proximity privacy in publishing numerical sensitive data", SIGMOD 2008.

    Examples
    --------
    >>> release = Version.of_signatures({"Ann": ["20", "30"], "Bob": ["20", "90"]})
    >>> found = RangeAttack().find(ReleaseSequence([release], limits=(Fraction(0), Fraction(100))))
    >>> found.about("Ann"), found.strongest
    (('20 to 30', Fraction(10, 1)), Fraction(10, 1))
    """

    name: ClassVar[str] = "range"
    title: ClassVar[str] = "range"
    needs: ClassVar[str] = "limits"
    knowledge: ClassVar[str] = (
        "the group of everybody in each release, who is in the table when, and the lowest and the highest number that "
        "there can be"
    )
    success: ClassVar[str] = "a range smaller than all numbers that there can be certainly holds that of the person"
    reference: ClassVar[str] = (
        "Li, Tao, Xiao, Preservation of proximity privacy in publishing numerical sensitive data, SIGMOD 2008"
    )

    def find(self, target: ReleaseSequence | Sequence[Version]) -> KnownFamilies:
        """Return for each person the range of all numbers that the releases leave, and the closest two of a group."""
        releases = self.sequence(target)
        trails = releases.published_trails
        cascade = Cascade.of(trails).run()
        line = NumberLine.of(trails.values.to_list(), releases.needed_limits())
        if line.places.dtype == np.object_:
            raise UsageError("the numbers have too many digits to be compared for all people at once; round them")
        rank = np.array([line.rank_of[value] for value in trails.values], dtype=np.int64)
        low, high = _ends(cascade, rank)
        labels = [*("a missing value" if label is None else label for label in line.labels), ""]
        names = pl.Series(labels, dtype=pl.String)
        people = pl.DataFrame(
            {
                "person": trails.people,
                "family": names.gather(low) + " to " + names.gather(high),
                "leaves": line.common(low, high),
                "closest": _closest_numbers(trails, rank, line),
            }
        )
        return KnownFamilies(people.with_columns(pl.col("closest").replace(-1, None)), line.count, self.title)


def _common(cascade: Cascade, nodes: TaxonomyNodes) -> tuple[IntArray, IntArray]:
    """Return for each person the lowest level where all possible values are one, and a value below it."""
    people = len(cascade.trails.people)
    alive = np.flatnonzero(cascade.alive)
    owner, value = cascade.pair_person[alive], cascade.pair_value[alive]
    level, below = np.full(people, -1), np.zeros(people, dtype=np.int64)
    below[owner] = nodes.below[value]
    for at in range(nodes.hierarchy.height + 1):
        codes = nodes.codes(at)[value]
        least, most = np.full(people, np.iinfo(np.int64).max), np.full(people, np.iinfo(np.int64).min)
        np.minimum.at(least, owner, codes)
        np.maximum.at(most, owner, codes)
        level[(level < 0) & (least == most) & (least >= 0)] = at
    return level, below


def _closest_relatives(trails: Trails, nodes: TaxonomyNodes) -> IntArray:
    """Return for each person the fewest values that two different values of a group have in common; 0 without two."""
    many = np.iinfo(np.int64).max
    of_group = np.full(trails.groups, many)
    for at in range(nodes.hierarchy.height + 1):
        leaves, radix = nodes.leaves(at), len(trails.values) + nodes.hierarchy.table.shape[1]
        keys = trails.slot_group * radix + nodes.codes(at)[trails.slot_value] + len(trails.values)
        order = np.argsort(keys, kind="stable")
        again = order[1:][keys[order][1:] == keys[order][:-1]]
        np.minimum.at(of_group, trails.slot_group[again], leaves[trails.slot_value[again]])
    found = np.full(len(trails.people), many)
    np.minimum.at(found, trails.member_person, of_group[trails.member_group])
    return np.where(found == many, 0, found)


def _ends(cascade: Cascade, rank: IntArray) -> tuple[IntArray, IntArray]:
    """Return for each person the lowest and the highest number that is possible, by rank."""
    alive = np.flatnonzero(cascade.alive)
    owner, own = cascade.pair_person[alive], rank[cascade.pair_value[alive]]
    low, high = np.full(len(cascade.known), len(rank) - 1), np.zeros(len(cascade.known), dtype=np.int64)
    np.minimum.at(low, owner, own)
    np.maximum.at(high, owner, own)
    return low, high


def _closest_numbers(trails: Trails, rank: IntArray, line: NumberLine) -> IntArray:
    """Return for each person how far the closest two numbers of a group of the person lie apart; -1 without two."""
    many = np.iinfo(np.int64).max
    own = rank[trails.slot_value]
    order = np.lexsort((own, trails.slot_group))
    lower, upper = order[:-1], order[1:]
    same_group = trails.slot_group[lower] == trails.slot_group[upper]
    lower, upper = lower[same_group], upper[same_group]
    of_group = np.full(trails.groups, many)
    np.minimum.at(of_group, trails.slot_group[lower], line.common(own[lower], own[upper]))
    found = np.full(len(trails.people), many)
    np.minimum.at(found, trails.member_person, of_group[trails.member_group])
    return np.where(found == many, -1, found)
