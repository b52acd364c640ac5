"""What published sensitive values may stand for, and what the nodes that guard people keep private."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Domain
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.errors import UsageError, did_you_mean, shorten


@dataclass(frozen=True, eq=False)
class Meaning:
    """What the values of a domain may stand for: ``stands_for[leaf, value]``, the leaves being those of the hierarchy.

    A value of the data stands for itself, a more general one for any of the values below it, all equally likely. A
    missing value stands for nothing but itself.

    Examples
    --------
    >>> tree = Hierarchy.from_rows([["flu", "infection", "any"], ["cold", "infection", "any"], ["gout", "gout", "any"]])
    >>> meaning = Meaning.of(Domain(("flu", "infection", "any"), tree), "a promise")
    >>> meaning.chances(meaning.below("infection"))
    array([1.        , 1.        , 0.66666667])
    """

    hierarchy: Hierarchy
    stands_for: BoolArray

    @classmethod
    def of(cls, domain: Domain, promise: str) -> Meaning:
        """Return what the values of a domain stand for.

        Raises
        ------
        UsageError
            if the domain has no hierarchy.
        HierarchyError
            if a value is not in it.
        """
        if domain.hierarchy is None:
            raise UsageError(
                f"{promise} looks for guarding nodes in the hierarchy of {domain.name!r} and none is given; "
                f"give {domain.name!r} a hierarchy"
            )
        nodes = leaves_of_nodes(domain.hierarchy)
        exact = [value for value in domain.values if value not in nodes]
        hierarchy = domain.hierarchy.covering(exact, domain.name)
        stands_for = np.zeros((len(hierarchy.values), len(domain)), dtype=np.bool_)
        for code, value in enumerate(domain.values):
            if value in hierarchy.code_of:
                stands_for[hierarchy.code_of[value], code] = True
            else:
                stands_for[: len(nodes[value]), code] = nodes[value]
        return cls(hierarchy, stands_for)

    @cached_property
    def is_exact(self) -> bool:
        """Whether no value is more general than those of the data."""
        return bool((self._leaves == 1).all())

    @cached_property
    def _leaves(self) -> IntArray:
        return np.asarray(self.stands_for.sum(axis=0, dtype=np.int64))

    def below(self, node: str) -> BoolArray | None:
        """Return which leaves lie below a node, a missing value included; ``None`` where there is no such node.

        A label that stands at several levels is one node, which an uneven tree repeats.
        """
        found = [level for level, labels in enumerate(self.hierarchy.labels) if node in labels]
        if not found:
            return None
        below = [self.hierarchy.table[level] == self.hierarchy.labels[level].index(node) for level in found]
        return np.asarray(np.logical_or.reduce(below))

    def chances(self, leaves: BoolArray) -> FloatArray:
        """Return for each value of the domain the chance that it stands for one of the leaves."""
        return np.asarray(self.stands_for[leaves].sum(axis=0) / self._leaves, dtype=np.float64)

    def guarded(self, nodes: Domain, attribute: str) -> dict[int, BoolArray]:
        """Return for each guarding node, by its code, the leaves below it.

        Raises
        ------
        UsageError
            if a node is not in the hierarchy.
        """
        found: dict[int, BoolArray] = {}
        for code, node in enumerate(nodes.values):
            if node is None:
                continue
            below = self.below(node)
            if below is None:
                raise self._unknown(node, nodes.name, attribute)
            found[code] = below
        return found

    def _unknown(self, node: str, column: str, attribute: str) -> UsageError:
        labels = (label for labels in self.hierarchy.labels for label in labels)
        known = list(dict.fromkeys(label for label in labels if label is not None))
        return UsageError(
            f"{column!r} names the guarding node {node!r}, which is not in the hierarchy of {attribute!r}; "
            f"its nodes: {shorten(known, 20)}. A release tells only the part that is in use; give the whole one, "
            f"or correct the node.{did_you_mean(node, known)}"
        )


def leaves_of_nodes(hierarchy: Hierarchy) -> Mapping[Label, BoolArray]:
    """Return the leaves below each label above the lowest level, without the missing value where there are others.

    Examples
    --------
    >>> leaves_of_nodes(Hierarchy.from_rows([["31", "3*", "*"], ["45", "4*", "*"]]))["3*"]
    array([ True, False])
    """
    found: dict[Label, BoolArray] = {}
    for level in range(1, len(hierarchy.labels)):
        for code, label in enumerate(hierarchy.labels[level]):
            if label is not None:
                below = leaves_at(hierarchy, level, code)
                found[label] = found[label] | below if label in found else below
    return found


def leaves_at(hierarchy: Hierarchy, level: int, code: int) -> BoolArray:
    """Return the leaves that have a code at a level, without the missing value where there are others."""
    below = np.asarray(hierarchy.table[level] == code)
    if None in hierarchy.code_of and below.sum() > 1:
        below[hierarchy.code_of[None]] = False
    return below
