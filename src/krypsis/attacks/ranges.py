"""What somebody learns from numbers that lie close together: the range of a number, if not the number."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.attacks.cascade import Cascade
from krypsis.attacks.family import Families
from krypsis.attacks.trails import Trails
from krypsis.datasets.history import Version
from krypsis.errors import UsageError
from krypsis.models.number_line import NumberLine

NAME = "range"


def range_attack(versions: Sequence[Version], limits: tuple[Fraction, Fraction]) -> Families:
    """Return for each person the range of all numbers that the releases leave, and the closest two of a group.

    Distances are told in the smallest unit in which all numbers are whole; ``values`` of the result is the distance of
    the limits.

    Parameters
    ----------
    versions
        the releases, with who is in which group; the sensitive values are numbers.
    limits
        the lowest and the highest number that there can be.

    References
    ----------
    Li, Tao, Xiao, "Preservation of proximity privacy in publishing numerical sensitive data", SIGMOD 2008.

    Examples
    --------
    >>> release = Version.of_signatures({"Ann": ["20", "30"], "Bob": ["20", "90"]})
    >>> found = range_attack([release], (Fraction(0), Fraction(100)))
    >>> found.about("Ann"), found.strongest
    (('20 to 30', Fraction(10, 1)), Fraction(10, 1))
    """
    trails = Trails.of(versions)
    cascade = Cascade.of(trails).run()
    line = NumberLine.of(trails.values.to_list(), limits)
    if line.places.dtype == np.object_:
        raise UsageError("the numbers have too many digits to be compared for all people at once; round them")
    rank = np.array([line.rank_of[value] for value in trails.values], dtype=np.int64)
    low, high = _ends(cascade, rank)
    names = pl.Series([*("a missing value" if label is None else label for label in line.labels), ""], dtype=pl.String)
    people = pl.DataFrame(
        {
            "person": trails.people,
            "family": names.gather(low) + " to " + names.gather(high),
            "leaves": line.common(low, high),
            "closest": _closest(trails, rank, line),
        }
    )
    return Families(people.with_columns(pl.col("closest").replace(-1, None)), line.count, NAME)


def _ends(cascade: Cascade, rank: IntArray) -> tuple[IntArray, IntArray]:
    """Return for each person the lowest and the highest number that is possible, by rank."""
    alive = np.flatnonzero(cascade.alive)
    owner, own = cascade.pair_person[alive], rank[cascade.pair_value[alive]]
    low, high = np.full(len(cascade.known), len(rank) - 1), np.zeros(len(cascade.known), dtype=np.int64)
    np.minimum.at(low, owner, own)
    np.maximum.at(high, owner, own)
    return low, high


def _closest(trails: Trails, rank: IntArray, line: NumberLine) -> IntArray:
    """Return for each person how far the closest two numbers of a group of the person lie apart; -1 without two."""
    many = np.iinfo(np.int64).max
    own = rank[trails.slot_value]
    order = np.lexsort((own, trails.slot_group))
    one, other = order[:-1], order[1:]
    beside = trails.slot_group[one] == trails.slot_group[other]
    of_group = np.full(trails.groups, many)
    np.minimum.at(of_group, trails.slot_group[one[beside]], line.common(own[one[beside]], own[other[beside]]))
    found = np.full(len(trails.people), many)
    np.minimum.at(found, trails.member_person, of_group[trails.member_group])
    return np.where(found == many, -1, found)
