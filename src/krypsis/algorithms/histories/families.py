"""Families: sensitive values so closely related that no two of them may meet in a group."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np

from krypsis.algorithms.histories.nodes import first_nodes, level_and_code
from krypsis.arrays import IntArray
from krypsis.errors import UsageError
from krypsis.hierarchies.base import Hierarchy, Label
from krypsis.models.correlation import Relations


@dataclass(frozen=True, eq=False)
class Families:
    """The families of a hierarchy: every value is below exactly one of these nodes."""

    taxonomy: Hierarchy
    nodes: IntArray
    """``nodes[family]``, as :mod:`krypsis.algorithms.histories.nodes` numbers them, in ascending order."""
    of_value: IntArray
    """``of_value[value]``: the family of a value."""

    def __len__(self) -> int:
        return len(self.nodes)

    @cached_property
    def of_node(self) -> IntArray:
        """``of_node[node]``: the family of a node, -1 for one that is above several."""
        first, table = first_nodes(self.taxonomy), self.taxonomy.table
        found = np.full(int(first[-1]), -1)
        top = level_and_code(self.taxonomy, self.nodes)[0][self.of_value]
        for level, codes in enumerate(table):
            inside = level <= top
            found[first[level] + codes[inside]] = self.of_value[inside]
        return found

    @property
    def labels(self) -> list[Label]:
        """The text of each family."""
        levels, codes = level_and_code(self.taxonomy, self.nodes)
        pairs = zip(levels.tolist(), codes.tolist(), strict=True)
        return [self.taxonomy.labels[level][code] for level, code in pairs]

    def counts(self, values: IntArray) -> IntArray:
        """Return numbers by value, added up by family."""
        return np.bincount(self.of_value, values, minlength=len(self)).astype(np.int64)


def families_of(taxonomy: Hierarchy, e: Fraction) -> Families:
    """Return the families of a hierarchy: two values may meet in a group if and only if they are of different ones.

    Of every value this is the highest node above it with a correlation of more than ``e``, or the value itself.

    Notes
    -----
    The search is printed so that after each node it takes the leaves below that node's *parent* off its list; values
    below the other children are lost then. The leaves below the node itself are meant.

    Examples
    --------
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> families_of(disease, Fraction(1)).labels, families_of(disease, Fraction(3, 2)).labels
    (['lungs', 'stomach'], ['flu', 'asthma', 'stomach'])
    """
    if e < 1:
        raise UsageError(f"e must be at least 1, the correlation of values that have nothing in common; got {e}")
    related = Relations(taxonomy)
    close = related.sizes < ceil(related.count / e)
    levels = np.maximum(np.cumprod(close, axis=0).sum(axis=0) - 1, 0)
    places = np.arange(len(taxonomy.values))
    nodes, of_value = np.unique(first_nodes(taxonomy)[levels] + taxonomy.table[levels, places], return_inverse=True)
    return Families(taxonomy, nodes, of_value.astype(np.int64))
