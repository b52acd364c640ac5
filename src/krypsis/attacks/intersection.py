"""What somebody learns who finds the same people in several releases, and all that follows from it."""

from __future__ import annotations

from collections.abc import Sequence

from krypsis.attacks.cascade import Cascade
from krypsis.attacks.chances import EXACT_PEOPLE, chances_of
from krypsis.attacks.learned import Learned
from krypsis.attacks.trails import Trails
from krypsis.datasets.history import Version

NAME = "intersection"


def posterior_attack(versions: Sequence[Version], *, exact_people: int = EXACT_PEOPLE) -> Learned:
    """Return how likely each sensitive value of each person is, to somebody who compares all releases.

    The attacker knows the quasi-identifiers of everybody, who is in the table when, and how many counterfeits a group
    has. Whatever one person cannot have tells something about the others of the group, in all releases: every
    assignment of values to people that explains all releases counts the same.

    Parameters
    ----------
    versions
        the releases, with who is in which group.
    exact_people
        how many people whose groups are irregular and share people are counted exactly; for the others there are
        bounds that hold for certain.

    Notes
    -----
    First the values are excluded that no release allows, and those that others must have, for all people at once.
    People who are linked by common groups then form a cluster. A cluster of one group, or one where all groups hold
    the same values equally often, is solved by symmetry, however large it is: in an m-invariant sequence every cluster
    is such. Of the others the small ones are solved by counting worlds
    (:func:`krypsis.attacks.matching.count_worlds`); for the rest, people who are always together share the records of a
    value equally, which bounds the chance of each.

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007.

    Examples
    --------
    >>> from fractions import Fraction
    >>> import polars as pl
    >>> table = pl.DataFrame({"group": [1, 1], "disease": ["flu", "cancer"], "name": ["Ann", "Bob"]})
    >>> first = Version.of(table, group="group", sensitive="disease", person="name")
    >>> second = Version.of_signatures({"Ann": ["flu", "asthma"]})
    >>> [finding.sentence() for finding in posterior_attack([first, second]).breaches(Fraction(1, 2))]
    ["Ann has 'flu' certainly", "Bob has 'cancer' certainly"]
    """
    return chances_of(Cascade.of(Trails.of(versions)).run(), NAME, exact_people)
