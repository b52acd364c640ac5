"""What somebody learns from values that mean almost the same: the family of a value, if not the value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.attacks.cascade import Cascade
from krypsis.attacks.taxonomy import Nodes, coarsened
from krypsis.attacks.trails import Trails
from krypsis.datasets.history import Version
from krypsis.hierarchies.base import Hierarchy

NAME = "family"


@dataclass(frozen=True, eq=False)
class Families:
    """For each person the narrowest family that the value certainly belongs to.

    ``people`` has ``person``, ``family``, ``leaves`` (how many values the family has) and ``closest`` (the fewest
    values of a family that two different values of one of the person's groups have in common; empty without two).
    """

    people: pl.DataFrame
    values: int
    """How many values there are in all."""
    name: str = NAME
    """What a family is called: of numbers it is a range, and the other figures are distances."""

    def about(self, person: str) -> tuple[str | None, Fraction]:
        """Return a person's family, and how strongly it is told: all values by those of the family."""
        family, leaves = self.people.filter(pl.col("person") == person).select("family", "leaves").row(0)
        return family, Fraction(self.values, max(leaves, 1))

    def told(self) -> int:
        """Return the number of people of whom a family is known that does not hold all values."""
        return int((self.people["leaves"] < self.values).sum())

    @cached_property
    def strongest(self) -> Fraction:
        """The largest correlation of two different values of a group; 0 if no group has two."""
        fewest = self.people.get_column("closest").drop_nulls()
        return Fraction(self.values, max(int(str(fewest.min())), 1)) if len(fewest) else Fraction(0)

    def breached(self, e: Fraction) -> pl.DataFrame:
        """Return the people in whose groups two values are more correlated than ``e``, or whose family is."""
        return self.people.filter(pl.min_horizontal("closest", "leaves") < ceil(Fraction(self.values) / e))


def family_attack(versions: Sequence[Version], hierarchy: Hierarchy) -> Families:
    """Return for each person the nearest common ancestor of all values that the releases leave.

    Parameters
    ----------
    versions
        the releases, with who is in which group.
    hierarchy
        of the sensitive attribute.

    References
    ----------
    Li, Li, Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", ICDE 2007, section 3: the
    similarity attack.

    Examples
    --------
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> release = Version.of_signatures({"Ann": ["flu", "asthma"], "Bob": ["flu", "ulcer"]})
    >>> found = family_attack([release], disease)
    >>> found.about("Ann"), found.about("Bob")
    (('lungs', Fraction(3, 2)), ('*', Fraction(1, 1)))
    """
    trails = Trails.of(coarsened(versions, hierarchy))
    cascade = Cascade.of(trails).run()
    nodes = Nodes.of(trails.values.to_list(), hierarchy)
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
            "closest": _closest_of_people(trails, nodes),
        }
    )
    return Families(people.with_columns(pl.col("closest").replace(0, None)), len(tree.values))


def _common(cascade: Cascade, nodes: Nodes) -> tuple[IntArray, IntArray]:
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


def _closest_of_people(trails: Trails, nodes: Nodes) -> IntArray:
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
