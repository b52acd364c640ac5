"""As what each sensitive value is published: itself, or the nearest node above it for which that pays."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from krypsis.algorithms.histories.criteria import Criterion, Stakes
from krypsis.algorithms.histories.deletions import Chances
from krypsis.algorithms.histories.families import Families
from krypsis.algorithms.histories.nodes import first_nodes, level_and_code
from krypsis.arrays import BoolArray, IntArray
from krypsis.models.correlation import Relations


def targets_of(families: Families, chances: Chances, stakes: Stakes, criterion: Criterion) -> IntArray:
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
    >>> from krypsis.algorithms.histories.deletions import given
    >>> from krypsis.algorithms.histories.families import families_of
    >>> from krypsis.hierarchies.base import Hierarchy
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
        while above >= 0 and not admitted(above, chance):
            above = int(steps[above])
        targets[node] = above if above >= 0 else node
    return targets


def _admitted(
    steps: IntArray, shares: list[Fraction | None], chances: Chances, stakes: Stakes, criterion: Criterion
) -> Callable[[int, Fraction], bool]:
    """Return whether a node may stand for a value with a chance; what depends on the node is computed beforehand."""
    balanced: dict[int, bool] = {}
    thresholds: dict[int, Fraction] = {}
    for node in range(len(steps)):
        share, chance = shares[node], chances.below(node)
        if share is not None and chance is not None:
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
    related = Relations(families.taxonomy)
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
    for level in range(taxonomy.height, 0, -1):
        here, below = (first[one] + taxonomy.table[one] for one in (level, level - 1))
        usable = is_clear[here] & (sizes[here] > sizes[below])
        steps[below] = np.where(level > top, -1, np.where(usable, here, steps[here]))
    return steps


def _is_clear(families: Families) -> BoolArray:
    """Say for each node whether its label means the same values at the lowest level where it stands."""
    taxonomy, related = families.taxonomy, Relations(families.taxonomy)
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
