"""As what each sensitive value is published: itself, or the nearest node above it for which that pays."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Literal

import numpy as np

from krypsis.algorithms.histories.base import Turnover
from krypsis.algorithms.histories.families import Families, first_nodes, level_and_code
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import UsageError, did_you_mean, shorten
from krypsis.models.correlation import LeafOrder

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
    # Balanced utility: b·p_g·(NCP_c(t*) - NCP_τ(t*)) - (NCP_τ(t*) - NCP_τ(t)).
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
    # Minimal penalty: p·NCP_c + (1 - p)·NCP_τ (erratum 26: with p for the value, p_g for the node).
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
        # Lower bound of the combined criterion with erratum 25: the factor v belongs into the denominator as well.
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


@dataclass(frozen=True)
class LossChances:
    """For each node of the hierarchy, how likely a record below it is lost from one version to the next.

    Examples
    --------
    >>> LossChances((Fraction(1, 2), None)).below(0)
    Fraction(1, 2)
    """

    of_node: tuple[Fraction | None, ...]
    """``None`` where nothing is known: such a node plays no role."""

    def below(self, node: int) -> Fraction | None:
        """Return the chance of a node."""
        return self.of_node[node]


def estimated(turnover: Turnover, taxonomy: Hierarchy, *, window: int, smoothing: int, evidence: int) -> LossChances:
    """Return the chances as earlier versions suggest them.

    Of every version, what left below a node and did not come back in other records is lost: ``max(0, D - I)`` of the
    ``N`` records of the version before. The chance is the sum of the losses by the sum of the records.

    Parameters
    ----------
    turnover
        what came and went in each version before this one.
    taxonomy
        the hierarchy of the sensitive attribute.
    window
        how many of the last changes count.
    smoothing
        so many records more are taken to be lost, and as many to stay.
    evidence
        nothing is known of a node below which fewer records left.

    Notes
    -----
    Without smoothing, the losses below a node are never more than those of its values together: one value's new
    records take the places of another's. So a more general value needs fewer counterfeits on the whole. A single value
    can still be better off by itself.

    Examples
    --------
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> there, came, left = [[4, 4, 2], [1, 6, 2]], [[4, 4, 2], [0, 2, 0]], [[0, 0, 0], [3, 0, 0]]
    >>> turnover = Turnover(np.array(there), np.array(came), np.array(left))
    >>> found = estimated(turnover, disease, window=5, smoothing=0, evidence=0)
    >>> [str(found.below(node)) for node in (0, 1, 3)]  # flu, asthma, lungs
    ['3/4', '0', '1/8']
    """
    first = max(len(turnover.population) - window, 1)
    there, new, gone = (
        _by_node(table[begin:end], taxonomy)
        for table, begin, end in (
            (turnover.population, first - 1, -1),
            (turnover.inserted, first, None),
            (turnover.deleted, first, None),
        )
    )
    lost = np.maximum(gone - new, 0).sum(axis=0) + smoothing
    every = there.sum(axis=0) + 2 * smoothing
    enough = gone.sum(axis=0) >= evidence
    return LossChances(
        tuple(
            (Fraction(losses, records) if records else Fraction(0)) if known else None
            for losses, records, known in zip(lost.tolist(), every.tolist(), enough.tolist(), strict=True)
        )
    )


def given(table: Mapping[str, Fraction], taxonomy: Hierarchy) -> LossChances:
    """Return the chances that a user says; nothing is known of values and nodes that are not named.

    Raises
    ------
    UsageError
        if a name is nowhere in the hierarchy.

    Examples
    --------
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> given({"flu": Fraction(1, 2), "lungs": Fraction(1, 5)}, disease).of_node
    (Fraction(1, 2), None, None, Fraction(1, 5), None, None)
    """
    labels = [label for labels in taxonomy.labels for label in labels]
    if strangers := [name for name in table if name not in labels]:
        known = list(dict.fromkeys(label for label in labels if label is not None))
        raise UsageError(
            f"probabilities name {shorten(map(repr, strangers), 5)}, which is nowhere in the hierarchy of the "
            f"sensitive attribute; its values: {shorten(map(repr, known), 5)}.{did_you_mean(strangers[0], known)}"
        )
    return LossChances(tuple(None if label is None else table.get(label) for label in labels))


def _by_node(table: IntArray, taxonomy: Hierarchy) -> IntArray:
    """Return ``[version, node]``, given ``[version, value]``: the numbers added up below each node."""
    first = first_nodes(taxonomy)
    found = np.zeros((len(table), int(first[-1])), dtype=np.int64)
    for version, numbers in enumerate(table):
        for level, codes in enumerate(taxonomy.table):
            found[version, first[level] : first[level + 1]] = np.bincount(codes, numbers)
    return found


def targets_of(families: Families, chances: LossChances, stakes: Stakes, criterion: Criterion) -> IntArray:
    """Return for each node of the hierarchy the node that the rule publishes it as.

    The rule knows the value alone, never whose record it is, so it tells nobody who left. It never goes above the
    family of a value: what may meet in a group stays the same.

    Notes
    -----
    *Cutting*: of the nodes at or below a family, one pass computes the lower bound and the threshold of each. *Choice*:
    of those that the criterion admits, the nearest one above the value is taken; a value that no node is admitted for
    stays as it is. With balanced utility alone a value stays if it is balanced itself.

    Examples
    --------
    >>> from krypsis.algorithms.histories.targets import given
    >>> from krypsis.algorithms.histories.families import families_of
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> chances = given({"flu": Fraction(1, 2), "lungs": Fraction(1, 20)}, disease)
    >>> families = families_of(disease, Fraction(1))
    >>> targets_of(families, chances, Stakes(2, Fraction(1), 4), "combined").tolist()  # flu is published as lungs
    [3, 1, 2, 3, 4, 5]
    """
    taxonomy, steps = families.taxonomy, _steps(families)
    shares = _shares(families)
    admitted = _admitted(steps, shares, chances, stakes, criterion)
    targets = np.arange(int(first_nodes(taxonomy)[-1]))
    for node in range(len(targets)):
        chance = chances.below(node)
        if chance is None or shares[node] is None or (criterion == "balanced" and admitted(node, chance)):
            continue
        above = int(steps[node])
        # Choice: the nearest admissible node above the value.
        while above >= 0 and not admitted(above, chance):
            above = int(steps[above])
        targets[node] = above if above >= 0 else node
    return targets


def _admitted(
    steps: IntArray, shares: list[Fraction | None], chances: LossChances, stakes: Stakes, criterion: Criterion
) -> Callable[[int, Fraction], bool]:
    """Return whether a node may stand for a value with a chance; what depends on the node is computed beforehand."""
    balanced: dict[int, bool] = {}
    thresholds: dict[int, Fraction] = {}
    for node in range(len(steps)):
        share, chance = shares[node], chances.below(node)
        if share is not None and chance is not None:
            # Cutting: the lower bound and the threshold depend on the node alone, so they are computed once.
            balanced[node] = stakes.lower_bound(chance) <= share
            thresholds[node] = stakes.threshold(share, chance)

    def admitted(node: int, special: Fraction) -> bool:
        if node not in thresholds:
            return False
        pays = criterion == "balanced" or thresholds[node] <= special
        return pays and (criterion == "minimal-penalty" or balanced[node])

    return admitted


def _shares(families: Families) -> list[Fraction | None]:
    """Return the share of all values that is below each node; none of a missing value."""
    related = LeafOrder(families.taxonomy)
    sizes = _of_nodes(families, related.sizes)
    return [
        None if label is None else Fraction(int(size), related.count)
        for label, size in zip((one for labels in families.taxonomy.labels for one in labels), sizes, strict=True)
    ]


def _steps(families: Families) -> IntArray:
    """Return for each node the next one above it that is no more general than its family; -1 where there is none.

    A node with the same values as the one below it is that node again. One whose label already stands for other
    values further down would be taken for these, and is passed over.
    """
    taxonomy = families.taxonomy
    first = first_nodes(taxonomy)
    sizes = _of_nodes(families, taxonomy.leaves)
    top = level_and_code(taxonomy, families.nodes)[0][families.of_value]
    steps = np.full(int(first[-1]), -1)
    is_clear = _is_clear(families)
    # Never above the gsa-node, so that the correlation of two families stays as it was.
    for level in range(taxonomy.height, 0, -1):
        here, below = (first[one] + taxonomy.table[one] for one in (level, level - 1))
        usable = is_clear[here] & (sizes[here] > sizes[below])
        steps[below] = np.where(level > top, -1, np.where(usable, here, steps[here]))
    return steps


def _is_clear(families: Families) -> BoolArray:
    """Say for each node whether its label means the same values at the lowest level where it stands."""
    taxonomy, related = families.taxonomy, LeafOrder(families.taxonomy)
    sizes = _of_nodes(families, taxonomy.leaves).tolist()
    labels = [label for labels in taxonomy.labels for label in labels]
    widths = {label: end - begin + 1 for label, (begin, end) in related.spans.items()}
    return np.array([widths[label] == size for label, size in zip(labels, sizes, strict=True)], dtype=np.bool_)


def _of_nodes(families: Families, table: IntArray) -> IntArray:
    """Return the entry of each node, given ``[level, value]``."""
    nodes = first_nodes(families.taxonomy)[:-1, None] + families.taxonomy.table
    found = np.zeros(int(first_nodes(families.taxonomy)[-1]), dtype=np.int64)
    found[nodes] = table
    return found
