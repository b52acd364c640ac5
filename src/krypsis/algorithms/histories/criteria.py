"""When it pays to publish a sensitive value more generally: fewer counterfeits against a less exact value.

If more records of a value leave than come, counterfeits take their places. A more general value has more records that
can take them. Three criteria weigh that, all in penalties from 0 to 1 (:mod:`krypsis.algorithms.histories.penalties`):

- *balanced utility*: the loss must not jump when a counterfeit appears, which gives the least general node;
- *minimal penalty*: the expected loss of the next version must not grow, which gives the most general one;
- *combined*: both.

References
----------
Xu et al., "Utility-based anonymization using local recoding", KDD 2006, for the penalties.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Literal

Criterion = Literal["combined", "minimal-penalty", "balanced"]
CRITERIA: tuple[Criterion, ...] = ("combined", "minimal-penalty", "balanced")

ONE = Fraction(1)


def charged(penalty: Fraction, c: Fraction) -> Fraction:
    """Return what a counterfeit costs that would cost ``penalty`` as a record, exactly.

    Examples
    --------
    >>> charged(Fraction(1, 2), Fraction(0)), charged(Fraction(1, 2), Fraction(1))
    (Fraction(1, 1), Fraction(1, 2))
    """
    return 1 - c + c * penalty


def imbalance(chance: Fraction, general: Fraction, special: Fraction, c: Fraction, b: Fraction = ONE) -> Fraction:
    """Return what a counterfeit is expected to add to a general record, less what generalizing it has cost.

    Balanced utility asks that it is at most ``f``; with everything generalized it is 0 or less.

    Parameters
    ----------
    chance
        that a counterfeit appears for the general value.
    general, special
        the penalty of the record as it would be published, and as it is.
    c
        how little a counterfeit is charged for being one.
    b
        how much counterfeits weigh.

    Examples
    --------
    >>> imbalance(Fraction(1, 2), Fraction(1), Fraction(1, 4), Fraction(0))
    Fraction(-3, 4)
    """
    return b * chance * (charged(general, c) - general) - (general - special)


def imbalance_of_values(
    chance: Fraction, general: Fraction, rise: Fraction, c: Fraction, v: Fraction = ONE
) -> Fraction:
    """Return the same where nothing but the sensitive value is generalized, whose penalty then grows by ``rise``.

    It is the other one times the number of attributes, with ``v`` for ``b`` times that number.

    Examples
    --------
    >>> imbalance_of_values(Fraction(1, 2), Fraction(1, 4), Fraction(1, 4), Fraction(0))
    Fraction(1, 8)
    """
    return v * chance * (charged(general, c) - general) - rise


def expected_penalty(chance: Fraction, penalty: Fraction, c: Fraction) -> Fraction:
    """Return what a record costs on average in the next version, if it becomes a counterfeit with this chance.

    Minimal penalty asks that generalizing does not raise it.

    Examples
    --------
    >>> expected_penalty(Fraction(1, 2), Fraction(1, 4), Fraction(0))
    Fraction(5, 8)
    """
    return chance * charged(penalty, c) + (1 - chance) * penalty


@dataclass(frozen=True)
class Stakes:
    """The criteria in closed form, for a value published as a node that has the share ``s`` of all values.

    The quasi-identifiers cost nothing, as they are published exactly, and each of the ``m - 1`` other values of a group
    costs ``1/e``; so the sensitive value costs ``(s + (m - 1)/e) / m``.

    Notes
    -----
    The factor ``v`` is lost in the denominator of the lower bound as printed, in three ways; all agree for ``v = 1``.

    Examples
    --------
    >>> stakes = Stakes(m=2, e=Fraction(8, 5), attributes=4)
    >>> stakes.lower_bound(Fraction(1, 5)), stakes.upper_bound(Fraction(1, 2), Fraction(1, 5))
    (Fraction(-41, 168), Fraction(19, 8))
    >>> stakes.threshold(Fraction(3, 8), Fraction(1, 5))
    Fraction(3, 10)
    """

    m: int
    e: Fraction
    attributes: int
    """The quasi-identifiers and the sensitive attribute, counted."""
    c: Fraction = Fraction(0)
    """How little a counterfeit is charged for being one, below 1."""
    f: Fraction = Fraction(0)
    """The imbalance that is tolerated."""
    v: Fraction = ONE
    """How much counterfeits weigh in the balance."""

    def lower_bound(self, chance: Fraction) -> Fraction:
        """Return the smallest share of a node that balances the chance of counterfeits below it."""
        weight = self.v * chance * (1 - self.c)
        return self.m * (weight - self.f) / (weight / self.attributes + 1) - self._others

    def upper_bound(self, special: Fraction, chance: Fraction) -> Fraction | float:
        """Return the largest share of a node that lowers the expected penalty.

        ``special`` is the chance that a counterfeit appears for the value itself, ``chance`` for the node.
        """
        gain, stays = (1 - self.c) * self.attributes * (special - chance), self._stays(chance)
        if not stays:  # a counterfeit for certain that costs 1: no node is too general unless the value is better off
            return inf if gain >= 0 else -inf
        return self.m * gain / stays - self._others

    def threshold(self, share: Fraction, chance: Fraction) -> Fraction:
        """Return how likely a counterfeit must be for the value itself, so that the node does not cost more."""
        price = (share + self._others) * self._stays(chance)
        return price / ((1 - self.c) * self.attributes * self.m) + chance

    @property
    def _others(self) -> Fraction:
        return (self.m - 1) / self.e

    def _stays(self, chance: Fraction) -> Fraction:
        """Return how much of the penalty of a record is expected to be charged."""
        return 1 - chance + self.c * chance
