"""CAHD: groups of sets that share many items, with their sensitive items apart."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.algorithms.transactions.apart import Apart, ApartMethod
from krypsis.algorithms.transactions.band import band_order
from krypsis.arrays import IntArray
from krypsis.kernels.correlated import Left, Records, Rule, Search, form_groups


class Cahd(ApartMethod):
    """Publishes harmless items as they are, and sensitive items counted in groups of records that are much alike.

    Notes
    -----
    1. The records are put into band order, in which neighbors share many harmless items
       (:func:`krypsis.algorithms.transactions.band.band_order`).
    2. For each sensitive record in that order, ``alpha · p`` candidates are looked for on each side, none of which
       shares a sensitive item with the record or with another candidate. The ``p - 1`` that have most harmless items in
       common with the record form a group with it; of equals the nearer one, then the one that comes first in the
       table. No group is formed if a sensitive item would then be in more than ``1/p`` of the records that are left.
    3. Step 2 is repeated with the records that are left, now with a preference for those that hold an item of which too
       many would be left, until no group can be formed. What is left is the last group.

    The printed algorithm compares the holders of an item with the records that are left *before* the group is taken;
    the last group could then break the promise. Here it never does, so a release exists exactly if no sensitive item
    is in more than ``1/p`` of all records. Step 3 is ours. Cost: one walk through all items for the order, and
    ``alpha · p`` records for each sensitive one.

    References
    ----------
    Ghinita, Tao, Kalnis, "On the anonymization of sparse high-dimensional data", ICDE 2008.

    Examples
    --------
    >>> from krypsis.algorithms.transactions.base import SetTask
    >>> from krypsis.models.privacy_degree import PrivacyDegree
    >>> from krypsis.transactions import Transactions
    >>> baskets = Transactions.of_sets([["wine", "meat", "viagra"], ["cream"], ["wine", "meat"], ["cream", "meat"]])
    >>> task = SetTask(baskets, [PrivacyDegree(p=2)], sensitive=frozenset({"viagra"}))
    >>> Cahd().publish(task, np.random.default_rng(1)).published.groups.tolist()
    [0, 1, 0, 1]
    """

    name: ClassVar[str] = "cahd"
    alpha: int = Field(
        default=3, ge=1, description="candidates looked for on each side of a record, as a multiple of p"
    )

    def form_groups(self, apart: Apart) -> tuple[IntArray, dict[str, int]]:
        groups, formed = _grouped(apart, band_order(apart.plain), self.alpha)
        return groups, {"records of the last group": int(np.count_nonzero(groups == formed))}


def _grouped(apart: Apart, order: IntArray, alpha: int) -> tuple[IntArray, int]:
    """Return the group of each record, and the number of the last one, which holds what was left."""
    plain, hidden, total = apart.plain, apart.hidden, len(apart.plain)
    records = Records(order, plain.starts, plain.codes, hidden.starts, hidden.codes)
    left = Left(np.arange(-1, total - 1), np.arange(1, total + 1), hidden.supports.copy())
    rule = Rule(apart.p, min(alpha * apart.p, total))
    room = min(2 * rule.reach, total)
    search = Search(*(np.zeros(size, np.int64) for size in (room, room, len(hidden.items), len(plain.items))))
    groups = np.empty(total, dtype=np.int64)
    formed = form_groups(records, left, search, rule, groups)
    return np.where(groups < 0, formed, groups), formed
