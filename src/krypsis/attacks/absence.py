"""What somebody learns from a value that is missing in a whole release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from krypsis.arrays import BoolArray, IntArray
from krypsis.attacks.chances import EXACT_PEOPLE
from krypsis.attacks.exclusions import chances_with_exclusions
from krypsis.attacks.learned import Learned
from krypsis.attacks.trails import Trails
from krypsis.datasets.history import Version
from krypsis.ordering import distinct

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
    >>> import polars as pl
    >>> table = pl.DataFrame({"g": [1, 1], "disease": ["flu", "cancer"], "name": ["Ann", "Bob"]})
    >>> first = Version.of(table, group="g", sensitive="disease", person="name")
    >>> second = Version.of_signatures({"Ann": ["flu", "asthma"]})
    >>> [finding.sentence() for finding in absence_attack([first, second]).breaches(Fraction(1, 2))]
    ["Ann has 'flu' certainly", "Bob has 'cancer' certainly"]
    """
    trails = Trails.of(versions)
    kind, presence = _presence(trails, len(versions))
    allowed = _allowed(trails, presence)
    return chances_with_exclusions(trails, kind, allowed, NAME, exact_people)


def _presence(trails: Trails, releases: int) -> tuple[IntArray, BoolArray]:
    """Return for each person a number, and for each number the releases that such people are in."""
    kind = np.zeros(len(trails.people), dtype=np.int64)
    for release in range(releases):
        is_in = np.zeros(len(kind), dtype=np.int64)
        is_in[trails.member_person[trails.member_release == release]] = 1
        _, kind, _ = distinct(kind * 2 + is_in)
    presence = np.zeros((int(kind.max(initial=-1)) + 1, releases), dtype=np.bool_)
    presence[kind[trails.member_person], trails.member_release] = True
    return kind, presence


def _allowed(trails: Trails, presence: BoolArray) -> BoolArray:
    """Say which values occur in every release of a kind of people."""
    occurs = np.zeros((presence.shape[1], len(trails.values)), dtype=np.bool_)
    occurs[trails.slot_release, trails.slot_value] = True
    return np.stack([occurs[own].all(axis=0) for own in presence]) if len(presence) else occurs
