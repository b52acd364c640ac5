"""What somebody learns from a value that is missing in a whole release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from krypsis.attacks.cascade import Cascade
from krypsis.attacks.chances import EXACT_PEOPLE, chances_of
from krypsis.attacks.learned import COLUMNS, Learned
from krypsis.attacks.trails import Trails
from krypsis.datasets.history import Version
from krypsis.groups import BoolArray, IntArray

NAME = "critical absence"


def absence_attack(versions: Sequence[Version], *, exact_people: int = EXACT_PEOPLE) -> Learned:
    """Return what values tell that a release does not hold at all: whoever is in it does not have them.

    The attacker finds the victim's group in one release only, and knows of all other releases who is in the table,
    without finding anybody's group there. Who stayed cannot have a value that went; so it belongs to those who left.
    About people in whose group nobody is excluded from anything, nothing is told. For others it is the release with the
    surest value that counts.

    Parameters
    ----------
    versions
        the releases, with who is in which group.
    exact_people
        how many people are counted exactly in each release; for the others there are bounds that hold for certain.

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007, section 2.

    Examples
    --------
    >>> from fractions import Fraction
    >>> table = pl.DataFrame({"g": [1, 1], "disease": ["flu", "cancer"], "name": ["Ann", "Bob"]})
    >>> first = Version.of(table, group="g", sensitive="disease", person="name")
    >>> second = Version.of_signatures({"Ann": ["flu", "asthma"]})
    >>> [finding.sentence() for finding in absence_attack([first, second]).breaches(Fraction(1, 2))]
    ["Ann has 'flu' certainly", "Bob has 'cancer' certainly"]
    """
    trails = Trails.of(versions)
    kind, presence = _presence(trails, len(versions))
    allowed = _allowed(trails, presence)
    found = []
    for release in range(len(versions)):
        told = _concerned(trails, release, kind, allowed)
        if told.any():
            part = trails.restricted_to(told)
            found.append(chances_of(Cascade.of(part, kind, allowed).run(), NAME, exact_people).chances)
    return Learned(NAME, _surest(found))


def _presence(trails: Trails, releases: int) -> tuple[IntArray, BoolArray]:
    """Return for each person a number, and for each number the releases that such people are in."""
    kind = np.zeros(len(trails.people), dtype=np.int64)
    for release in range(releases):
        is_in = np.zeros(len(kind), dtype=np.int64)
        is_in[trails.member_person[trails.member_release == release]] = 1
        _, kind = np.unique(kind * 2 + is_in, return_inverse=True)
    presence = np.zeros((int(kind.max(initial=-1)) + 1, releases), dtype=np.bool_)
    presence[kind[trails.member_person], trails.member_release] = True
    return kind, presence


def _allowed(trails: Trails, presence: BoolArray) -> BoolArray:
    """Say which values occur in every release of a kind of people."""
    occurs = np.zeros((presence.shape[1], len(trails.values)), dtype=np.bool_)
    occurs[trails.slot_release, trails.slot_value] = True
    return np.stack([occurs[own].all(axis=0) for own in presence]) if len(presence) else occurs


def _concerned(trails: Trails, release: int, kind: IntArray, allowed: BoolArray) -> BoolArray:
    """Return for each member whether the group is of this release and somebody in it is excluded from a value of it."""
    person, slot = trails.links()
    excluded = ~allowed[kind[person], trails.slot_value[slot]]
    group = np.zeros(trails.groups, dtype=np.bool_)
    group[trails.slot_group[slot[excluded]]] = True
    return np.asarray(group[trails.member_group] & (trails.member_release == release))


def _surest(found: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return for each person the chances in the release with the surest value."""
    if not found:
        return pl.DataFrame(schema=COLUMNS)
    rows = pl.concat([one.with_columns(release=pl.lit(place)) for place, one in enumerate(found)])
    best = rows.group_by("person", "release").agg(
        low_best=(pl.col("low") / pl.col("low_of")).max(), high_best=(pl.col("high") / pl.col("high_of")).max()
    )
    best = best.sort("low_best", "high_best", "release", descending=[True, True, False])
    chosen = best.unique("person", keep="first", maintain_order=True).select("person", "release")
    return rows.join(chosen, on=["person", "release"], how="semi", maintain_order="left").drop("release")
