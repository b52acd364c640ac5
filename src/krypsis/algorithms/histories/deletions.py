"""How likely a sensitive value leaves without being replaced, so that a counterfeit takes its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from krypsis.algorithms.histories.base import Turnover
from krypsis.algorithms.histories.nodes import first_nodes
from krypsis.arrays import IntArray
from krypsis.errors import UsageError, did_you_mean, shorten
from krypsis.hierarchies.base import Hierarchy


@dataclass(frozen=True)
class Chances:
    """For each node of the hierarchy, how likely a record below it is lost from one version to the next.

    Examples
    --------
    >>> Chances((Fraction(1, 2), None)).below(0)
    Fraction(1, 2)
    """

    of_node: tuple[Fraction | None, ...]
    """``None`` where nothing is known: such a node plays no role."""

    def below(self, node: int) -> Fraction | None:
        """Return the chance of a node."""
        return self.of_node[node]


def estimated(turnover: Turnover, taxonomy: Hierarchy, *, window: int, smoothing: int, evidence: int) -> Chances:
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
    return Chances(
        tuple(
            (Fraction(losses, records) if records else Fraction(0)) if known else None
            for losses, records, known in zip(lost.tolist(), every.tolist(), enough.tolist(), strict=True)
        )
    )


def given(table: Mapping[str, Fraction], taxonomy: Hierarchy) -> Chances:
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
    return Chances(tuple(None if label is None else table.get(label) for label in labels))


def _by_node(table: IntArray, taxonomy: Hierarchy) -> IntArray:
    """Return ``[version, node]``, given ``[version, value]``: the numbers added up below each node."""
    first = first_nodes(taxonomy)
    found = np.zeros((len(table), int(first[-1])), dtype=np.int64)
    for version, numbers in enumerate(table):
        for level, codes in enumerate(taxonomy.table):
            found[version, first[level] : first[level + 1]] = np.bincount(codes, numbers)
    return found
