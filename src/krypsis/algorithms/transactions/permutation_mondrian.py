"""Permutation Mondrian: groups of sets by splitting, with their sensitive items apart."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from krypsis.algorithms.transactions.apart import Apart, ApartMethod
from krypsis.arrays import IntArray
from krypsis.kernels.item_splits import Counts, Sets, split_records


class PermutationMondrian(ApartMethod):
    """Publishes harmless items as they are, and sensitive items counted in groups found by splitting on single items.

    Notes
    -----
    All records are one group to begin with. A group is split into those that hold a harmless item and those that do
    not, as long as no sensitive item is in more than ``1/p`` of the records on either side. Every item is an axis with
    two values, so all that can be split are equally wide; the one that comes nearest to halving the group is taken, of
    equals the first in the item table. A group without sensitive items is not split: nothing would be gained. Meant for
    comparison with :class:`~krypsis.algorithms.transactions.cahd.Cahd`, which loses less: here nobody asks whether a
    split separates a sensitive record from its like.

    References
    ----------
    Ghinita, Tao, Kalnis, "On the anonymization of sparse high-dimensional data", ICDE 2008;
    LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006.

    Examples
    --------
    >>> from krypsis.algorithms.transactions.base import SetTask
    >>> from krypsis.models.privacy_degree import PrivacyDegree
    >>> from krypsis.transactions import Transactions
    >>> baskets = Transactions.of_sets([["wine", "meat", "viagra"], ["cream"], ["wine", "meat"], ["cream", "meat"]])
    >>> task = SetTask(baskets, [PrivacyDegree(p=2)], sensitive=frozenset({"viagra"}))
    >>> PermutationMondrian().publish(task, np.random.default_rng(1)).published.groups.tolist()
    [1, 0, 1, 0]
    """

    name: ClassVar[str] = "permutation-mondrian"

    def form_groups(self, apart: Apart) -> tuple[IntArray, dict[str, int]]:
        plain, hidden = apart.plain, apart.hidden
        sizes = (len(plain.items), len(hidden.items), len(hidden.items))
        counts = Counts(*(np.zeros(size, np.int64) for size in sizes))
        groups = np.empty(len(plain), dtype=np.int64)
        split_records(Sets(plain.starts, plain.codes, hidden.starts, hidden.codes), counts, apart.p, groups)
        return groups, {}
