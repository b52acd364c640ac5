"""k^m-anonymity by leaving items out."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.algorithms.sets.base import SetMethod, SetResult, SetTask
from krypsis.algorithms.sets.km.item_tree import list_records
from krypsis.algorithms.sets.km.published_sets import find_rare_sets, new_steps, refuse_if_spent
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.transactions import Transactions
from krypsis.errors import Infeasible
from krypsis.kernels._jit import compiled
from krypsis.models.base import PrivacyModel
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.progress import NO_PROGRESS, Progress


@compiled
def drop_from_holders(
    sets: IntArray, codes: IntArray, starts: IntArray, records: IntArray, record_starts: IntArray, dropped: BoolArray
) -> None:
    """Mark codes of records to drop, so that no record holds any of the sets.

    ``sets`` has a set per row, filled up with -1; ``records`` are those that hold each code, one list after the other.
    A code is dropped where it is in most of the sets that its record holds; ties go to the first of the set.
    """
    blame = np.zeros(len(codes), dtype=np.int64)
    places = np.empty(sets.shape[1], dtype=np.int64)
    # First pass: blame every item of every rare set a record holds. Second pass: drop the item with most blame.
    for counting in (True, False):
        for one in sets:
            rarest = one[0]
            for code in one:
                if code >= 0 and (
                    record_starts[code + 1] - record_starts[code] < record_starts[rarest + 1] - record_starts[rarest]
                ):
                    rarest = code
            for holder in records[record_starts[rarest] : record_starts[rarest + 1]]:
                size = _find_all(one, codes, starts[holder], starts[holder + 1], dropped, places)
                if counting:
                    blame[places[:size]] += 1
                elif size:
                    dropped[places[np.argmax(blame[places[:size]])]] = True


@compiled
def _find_all(one: IntArray, codes: IntArray, start: int, end: int, dropped: BoolArray, places: IntArray) -> int:
    """Write where a record has the codes of a set; return how many, none unless it has them all and none is dropped."""
    size = 0
    for code in one:
        if code < 0:
            continue
        place = start + np.searchsorted(codes[start:end], code)
        if place == end or codes[place] != code or dropped[place]:
            return 0
        places[size] = place
        size += 1
    return size


MOST = 1_000_000
"""How many rare sets are looked at in one go; what is left over is found in the next."""


class KmSuppression(SetMethod):
    """Leaves items out, until any ``m`` items that are left of a record are in ``k`` records.

    Notes
    -----
    First rare items are left out, then rare pairs are broken, up to sets of ``m`` items: of each rare set one item
    goes. With ``scope="records"`` it goes from the few records that hold the set, the item that is in most of the rare
    sets of its record; that may make other sets rare, which are broken in turn. With ``"everywhere"`` it goes from all
    records: items with few occurrences and many rare sets first, and in the end those come back that need not have
    gone, the most frequent ones first. Records may end up empty.

    It is meant for comparison: generalization and disassociation keep more.

    References
    ----------
    Xu, Wang, Fu, Yu, "Anonymizing transaction databases for publication", KDD 2008, for suppression alone; here nothing
    is sensitive, so what is left is k^m-anonymity.

    Examples
    --------
    >>> sold = Transactions.of_sets([["bread", "milk"], ["bread", "milk"], ["bread", "wine"]])
    >>> made = KmSuppression().publish(SetTask(sold, [KmAnonymity(k=2, m=2)]), np.random.default_rng(1))
    >>> [sorted(one) for one in made.published.sets()]
    [['bread', 'milk'], ['bread', 'milk'], ['bread']]
    """

    name: ClassVar[str] = "km-suppression"
    scheme: ClassVar[str] = "_IS"
    reference: ClassVar[str] = "Xu, Wang, Fu, Yu, Anonymizing transaction databases for publication, KDD 2008"
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = (KmAnonymity,)
    needs: ClassVar[tuple[type[PrivacyModel], ...]] = (KmAnonymity,)

    scope: Literal["records", "everywhere"] = Field(
        default="records", description="whether an item is left out of single records, or of all"
    )

    def publish(self, task: SetTask, rng: np.random.Generator, progress: Progress = NO_PROGRESS) -> SetResult:  # noqa: ARG002
        k, m, sets = task.strictest().k, task.strictest().m, task.transactions
        if len(sets) < k:
            raise Infeasible(
                f"{len(sets)} record(s) cannot be {k} alike; lower k to {len(sets)} at most", {"k": len(sets)}
            )
        suppress = _from_records if self.scope == "records" else _everywhere
        kept = suppress(sets, k, m, new_steps())
        return SetResult(_without_lost(kept), {"items_lost": len(sets.codes) - len(kept.codes)})


def _rare(sets: Transactions, k: int, m: int, order: IntArray, heads: int, most: int, steps: IntArray) -> IntArray:
    """Return rare sets of codes, rare codes first; only those that begin with the first ``heads`` of the order."""
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    codes = rank[sets.codes]
    codes = codes[np.lexsort((codes, sets.records))]
    holders = np.zeros(len(sets), dtype=np.bool_)
    found = find_rare_sets(codes, sets.starts, len(order), k, m, heads, most, holders, steps)
    refuse_if_spent(steps, k, m)
    return np.where(found >= 0, order[found], -1)


def _rare_first(sets: Transactions, k: int, m: int, steps: IntArray) -> IntArray:
    return _rare(sets, k, m, np.argsort(sets.supports, kind="stable"), len(sets.items), MOST, steps)


def _from_records(sets: Transactions, k: int, m: int, steps: IntArray) -> Transactions:
    """Return the sets with items left out of single records."""
    # Rare items first, then pairs, up to size m: smaller sets are settled before larger ones are counted.
    for size in range(1, m + 1):
        while len(rare := _rare_first(sets, k, size, steps)):
            starts = np.concatenate([[0], np.cumsum(sets.supports)])
            records = np.empty(len(sets.codes), dtype=np.int64)
            codes = sets.codes.astype(np.int64)
            list_records(codes, sets.starts, starts[:-1].copy(), records)
            dropped = np.zeros(len(codes), dtype=np.bool_)
            drop_from_holders(rare, codes, sets.starts, records, starts, dropped)
            sets = _with(sets, ~dropped)
    return sets


def _everywhere(sets: Transactions, k: int, m: int, steps: IntArray) -> Transactions:
    """Return the sets with items left out of all records."""
    gone = np.zeros(len(sets.items), dtype=np.bool_)
    for size in range(1, m + 1):
        while len(rare := _rare_first(_with(sets, ~gone[sets.codes]), k, size, steps)):
            # Greedy set cover: one item of every rare set goes, from all records.
            gone[_cheapest_cover(rare, sets.supports)] = True
    # Later deletions may have made an earlier one unnecessary; bring such items back, the most frequent first.
    for item in np.argsort(-sets.supports, kind="stable").tolist():
        if gone[item] and sets.supports[item] >= k and not _makes_rare(sets, gone, item, k, m, steps):
            gone[item] = False
    return _with(sets, ~gone[sets.codes])


def _cheapest_cover(rare: IntArray, supports: IntArray) -> list[int]:
    """Return items of which every rare set has one: each time that with fewest occurrences per open set."""
    owner, _ = np.nonzero(rare >= 0)
    items = rare[rare >= 0]
    by_item = np.argsort(items, kind="stable")
    starts = np.searchsorted(items[by_item], np.arange(len(supports) + 1))
    open_ = np.ones(len(rare), dtype=np.bool_)
    counts = np.bincount(items, minlength=len(supports)).astype(np.int64)
    chosen = []
    while counts.any():
        price = np.where(counts > 0, supports / np.maximum(counts, 1), np.inf)
        item = int(np.argmin(price))
        chosen.append(item)
        broken = owner[by_item[starts[item] : starts[item + 1]]]
        broken = broken[open_[broken]]
        open_[broken] = False
        members = rare[broken]
        np.subtract.at(counts, members[members >= 0], 1)
    return chosen


def _makes_rare(sets: Transactions, gone: BoolArray, item: int, k: int, m: int, steps: IntArray) -> bool:
    """Say whether a set with an item would be rare if it came back."""
    back = gone.copy()
    back[item] = False
    holders = np.unique(sets.records[sets.codes == item])
    part = sets.taken(holders)
    order = np.argsort(np.arange(len(sets.items)) != item, kind="stable")
    return len(_rare(_with(part, ~back[part.codes]), k, m, order, 1, 1, steps)) > 0


def _with(sets: Transactions, kept: BoolArray) -> Transactions:
    """Return the sets with some of their codes only."""
    before = np.concatenate([[0], np.cumsum(kept)])
    return Transactions(sets.items, sets.codes[kept], before[sets.starts])


def _without_lost(sets: Transactions) -> Transactions:
    """Return the sets with an item table of what is left."""
    return sets.without([item for item, count in zip(sets.items, sets.supports.tolist(), strict=True) if not count])
