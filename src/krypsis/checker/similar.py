"""Sets of sensitive values that differ at most in how general a value is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from krypsis.arrays import BoolArray
from krypsis.checker.lives import Signature
from krypsis.models.correlation import Relations
from krypsis.models.number_line import NumberLine

Related = Relations | NumberLine
"""How closely values are related, by their hierarchy or as numbers."""


def similar(first: Signature, second: Signature, related: Related) -> bool:
    """Say whether two sets of values can be matched so that of every pair one value is the other, or above it.

    Examples
    --------
    >>> from krypsis.hierarchies.base import Hierarchy
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> related = Relations(disease)
    >>> similar(frozenset({"flu", "ulcer"}), frozenset({"lungs", "ulcer"}), related)
    True
    >>> similar(frozenset({"flu", "ulcer"}), frozenset({"asthma", "ulcer"}), related)
    False
    """
    if len(first) != len(second):
        return False
    return _can_be_matched(_above(first, second, related) | _above(second, first, related).T)


def covers(general: Signature, special: Signature, related: Related) -> bool:
    """Say whether two sets of values can be matched so that each of the first is that of the second, or above it.

    Examples
    --------
    >>> from krypsis.hierarchies.base import Hierarchy
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> one, other = frozenset({"flu", "ulcer"}), frozenset({"lungs", "ulcer"})
    >>> covers(other, one, Relations(disease)), covers(one, other, Relations(disease))
    (True, False)
    """
    return len(general) == len(special) and _can_be_matched(_above(general, special, related))


def _above(first: Signature, second: Signature, related: Related) -> BoolArray:
    """Say for each value of the first set which of the second are below it, or the same."""
    one, other = (np.array([related.span_of(value) for value in values]).reshape(-1, 2) for values in (first, second))
    return np.asarray((one[:, None, 0] <= other[None, :, 0]) & (other[None, :, 1] <= one[:, None, 1]))


def _can_be_matched(fits: BoolArray) -> bool:
    by_row, by_column = fits.sum(axis=1), fits.sum(axis=0)
    if (by_row == 1).all() and (by_column == 1).all():  # as for nearly all sets: only one is possible, and it is one
        return True
    from scipy.sparse import csr_array  # noqa: PLC0415  it takes long to load, and only histories need it
    from scipy.sparse.csgraph import maximum_bipartite_matching  # noqa: PLC0415

    return bool((maximum_bipartite_matching(csr_array(fits)) >= 0).all())


def all_similar(signatures: Sequence[Signature], related: Related, known: dict[frozenset[Signature], bool]) -> bool:
    """Say whether all sets of values are similar to each other; ``known`` is what was found out before.

    Examples
    --------
    >>> from krypsis.hierarchies.base import Hierarchy
    >>> disease = Relations(Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["gout", "*", "*"]]))
    >>> all_similar([frozenset({one}) for one in ("flu", "lungs", "asthma")], disease, {})
    False
    """
    for first, second in combinations(set(signatures), 2):
        pair = frozenset({first, second})
        if pair not in known:
            known[pair] = similar(first, second, related)
        if not known[pair]:
            return False
    return True
