"""k^m-anonymity by generalizing items."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.algorithms.sets.base import SetMethod, SetResult, SetTask
from krypsis.algorithms.sets.km.item_tree import ItemTree
from krypsis.algorithms.sets.km.optimal_cut import CutNotes, FoundCut, apriori_cut, direct_cut, optimal_cut, reopened
from krypsis.algorithms.sets.km.published_sets import LeafSets
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.transactions import Transactions
from krypsis.errors import Infeasible, InternalError, SearchWarning
from krypsis.models.base import PrivacyModel
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.progress import NO_PROGRESS, Progress, StepTable, TraceStep

Finder = Callable[[LeafSets, int], FoundCut]
"""Finds a cut of some records without sets that are rare for a ``k``."""


@dataclass(frozen=True, eq=False)
class CutRecords:
    """Some records, and a cut without sets that are rare among them."""

    records: IntArray
    cut: FoundCut


def divide(leaf_sets: LeafSets, find: Finder, k: int, m: int) -> list[CutRecords]:
    """Return parts of the records whose cuts together lose less than one cut for all.

    Notes
    -----
    A cut for a smaller ``k`` loses less and leaves some sets rare. The records that show one are taken out, until none
    is left, and the two parts get cuts of their own. If they lose less together than before, each is divided further.

    Whoever knows up to ``m`` items finds, if any, a record of some part that may hold them. The items are at most ``m``
    nodes of the cut of this part, so at least ``k`` of its records show the same nodes and may hold them, too.
    """
    parts, waiting = list[CutRecords](), [CutRecords(np.arange(len(leaf_sets)), find(leaf_sets, k))]
    while waiting:
        whole = waiting.pop()
        if halves := _best_halves(leaf_sets, whole, find, k, m):
            waiting += halves
        else:
            parts.append(whole)
    return parts


def _best_halves(leaf_sets: LeafSets, whole: CutRecords, find: Finder, k: int, m: int) -> list[CutRecords]:
    """Return the two parts that lose least together, none unless they lose less than the whole."""
    best, lowest = list[CutRecords](), whole.cut.cost
    for halves in _halves(leaf_sets, whole.records, find, k, m):
        parts = [CutRecords(records, find(leaf_sets.taken(records), k)) for records in halves]
        if (loss := sum(part.cut.cost for part in parts)) < lowest:
            best, lowest = parts, loss
    return best


def _halves(
    leaf_sets: LeafSets, records: IntArray, find: Finder, k: int, m: int
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield ways to divide records into those that keep a cut for a smaller ``k``, and the others."""
    for weaker in weaker_promises(k):
        closed = find(leaf_sets.taken(records), weaker).closed
        kept = records
        # Records that hold a set rare at the finer cut leave; that may make other sets rare, so again until none is.
        while (rare := leaf_sets.taken(kept).holds_rare_set(closed, k, m)).any():
            kept = kept[~rare]
        others = np.setdiff1d(records, kept, assume_unique=True)
        if all(_holds_anything(leaf_sets, half) >= k for half in (kept, others)):
            yield kept, others


def weaker_promises(k: int) -> list[int]:
    """Return the smaller ``k`` that are tried: 1, a quarter, a half, three quarters of it, and one less.

    Examples
    --------
    >>> weaker_promises(5), weaker_promises(20), weaker_promises(2)
    ([1, 2, 3, 4], [1, 5, 10, 15, 19], [1])
    """
    return sorted({number for number in (1, -(-k // 4), -(-k // 2), -(-3 * k // 4), k - 1) if 0 < number < k})


def _holds_anything(leaf_sets: LeafSets, records: IntArray) -> int:
    return int(np.count_nonzero(np.diff(leaf_sets.starts)[records]))


def _settled_by_apriori(leaf_sets: LeafSets, k: int, m: int, notes: CutNotes | None) -> BoolArray:
    return apriori_cut(leaf_sets, k, m, notes=notes)


GREEDY: dict[str, Callable[[LeafSets, int, int, CutNotes | None], BoolArray]] = {
    "apriori": _settled_by_apriori,
    "direct": direct_cut,
}


class Apriori(SetMethod):
    """Replaces items by more general ones of their hierarchy, until any ``m`` items of a record are in ``k`` records.

    Notes
    -----
    With ``recoding="global"`` an item is published alike in all records: the items become the nodes of a cut through
    their hierarchy. With ``"local"`` records are divided into parts with a cut of their own each, as long as that loses
    less; every part keeps the promise by itself, so the whole does, for labels and for the items that they stand for.

    ``"optimal"`` finds the cut with the lowest loss. ``"apriori"`` and ``"direct"`` are the algorithms of the paper:
    rare sets are settled one after the other, each in the cheapest way, by size or all sizes in one go. ``reopen``,
    which the paper does not have, then opens what needs not be closed; the optimum has nothing to open.

    Of several promises the largest ``k`` and the largest ``m`` are kept together.

    The loss is the certainty penalty ``set-ncp``. Ties go to the node that comes first in the hierarchy.

    References
    ----------
    Terrovitis, Mamoulis, Kalnis, "Privacy-preserving anonymization of set-valued data", PVLDB 1(1), 2008; "Local and
    global recoding methods for anonymizing set-valued data", VLDB Journal 20(1), 2011.

    Examples
    --------
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> kinds = {"paper": "cleaning", "bleach": "cleaning", "lentils": "food", "peas": "food"}
    >>> sold = Transactions.of_sets([["paper", "lentils"], ["bleach", "lentils"], ["peas"], ["peas"]])
    >>> goods = Hierarchy.from_rows([[item, kind, "*"] for item, kind in kinds.items()])
    >>> task = SetTask(sold, [KmAnonymity(k=2, m=2)], goods)
    >>> [sorted(one) for one in Apriori().publish(task, np.random.default_rng(1)).published.sets()]
    [['cleaning', 'lentils'], ['cleaning', 'lentils'], ['peas'], ['peas']]
    """

    name: ClassVar[str] = "apriori"
    scheme: ClassVar[str] = "IG_"
    describes_steps: ClassVar[bool] = True
    reference: ClassVar[str] = (
        "Terrovitis, Mamoulis, Kalnis, Privacy-preserving anonymization of set-valued data, PVLDB 1(1), 2008"
    )
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = (KmAnonymity,)
    needs: ClassVar[tuple[type[PrivacyModel], ...]] = (KmAnonymity,)
    needs_hierarchy: ClassVar[bool] = True

    variant: Literal["optimal", "apriori", "direct"] = Field(
        default="optimal", description="how a cut is found: with the lowest loss, or as the paper does"
    )
    recoding: Literal["global", "local"] = Field(
        default="global", description="whether all records are generalized alike, or parts of them differently"
    )
    reopen: bool = Field(
        default=True, description="whether items are published exactly again where the promise allows it"
    )

    @property
    def publishes_hierarchy(self) -> bool:
        return self.recoding == "local"

    def publish(self, task: SetTask, rng: np.random.Generator, progress: Progress = NO_PROGRESS) -> SetResult:  # noqa: ARG002  nothing is drawn
        promises = [model for model in task.models if isinstance(model, KmAnonymity)]
        if task.hierarchy is None:
            raise InternalError("a hierarchy is needed, which was checked before")
        hierarchy = task.hierarchy.covering(task.transactions.items, "items")
        # Step 1: the extended transactions: the items of each record with all their ancestors.
        leaf_sets = LeafSets.of(task.transactions, ItemTree.of(hierarchy))
        check_feasible(task.transactions, promises)
        k, m = task.strictest().k, task.strictest().m
        # Step 2: find the cut through the hierarchy; local recoding finds one for each part.
        find = self._finder(m, progress)
        parts = (
            divide(leaf_sets, find, k, m)
            if self.recoding == "local"
            else [CutRecords(np.arange(len(leaf_sets)), find(leaf_sets, k))]
        )
        if self.variant == "optimal" and not all(part.cut.optimal for part in parts):
            warnings.warn("the search for the best cut was ended; a better one may exist", SearchWarning, stacklevel=2)
        progress.step(partial(_chosen_cuts, leaf_sets, parts))
        # Step 3: publish the image of each record under the cut; items with one image are one item.
        return SetResult(_published(task.transactions, leaf_sets, parts), _figures(leaf_sets, parts))

    def _finder(self, m: int, progress: Progress) -> Finder:
        def find(leaf_sets: LeafSets, k: int) -> FoundCut:
            if self.variant == "optimal":
                return optimal_cut(leaf_sets, k, m)
            notes = CutNotes() if progress.keeps_steps else None
            closed = GREEDY[self.variant](leaf_sets, k, m, notes)
            if notes is not None:
                progress.step(partial(_settled_sets, notes, len(leaf_sets), k))
            closed = reopened(leaf_sets, closed, k, m) if self.reopen else closed
            return FoundCut(closed, leaf_sets.cost(closed), optimal=False)

        return find


def check_feasible(transactions: Transactions, promises: Sequence[KmAnonymity]) -> None:
    """Raise if there are too few records, or too few that hold anything."""
    filled = int(np.count_nonzero(transactions.sizes))
    for model in promises:
        if len(transactions) < model.k or 0 < filled < model.k:
            raise Infeasible(
                f"{model.spec} cannot be kept: of {len(transactions)} record(s) {filled} hold items, so even the most "
                f"general item is in fewer than {model.k}. Nearest feasible setting: k={filled}, or leave out the "
                "records that hold items",
                {"k": filled, "records": len(transactions)},
            )


def _published(transactions: Transactions, leaf_sets: LeafSets, parts: Sequence[CutRecords]) -> Transactions:
    """Return the records with what is published of them."""
    tree = leaf_sets.tree
    part_of = np.empty(len(leaf_sets), dtype=np.int64)
    for number, part in enumerate(parts):
        part_of[part.records] = number
    published_as = np.stack([tree.published_as(part.cut.closed) for part in parts])
    nodes, codes = np.unique(
        published_as[np.repeat(part_of, transactions.sizes), leaf_sets.leaves], return_inverse=True
    )
    labels = [tree.labels[node] for node in nodes.tolist()]
    items = tuple(sorted(labels))
    code_of = {label: code for code, label in enumerate(items)}
    new = np.array([code_of[label] for label in labels], dtype=np.int64)
    return Transactions.of_pairs(transactions.records, new[codes], items, len(transactions))


def _settled_sets(notes: CutNotes, records: int, k: int) -> TraceStep:
    settled = len(notes.rows) + notes.more
    says = f"{settled} sets that fewer than {k} of {records} records show are settled, each in the cheapest way."
    return TraceStep(Apriori.name, f"Rare sets of {records} records, k = {k}", says, (notes.table(),))


def _chosen_cuts(leaf_sets: LeafSets, parts: Sequence[CutRecords]) -> TraceStep:
    """Return the last step: what each item becomes, part by part."""
    tree = leaf_sets.tree
    tables = []
    for number, part in enumerate(parts, 1):
        published = tree.published_as(part.cut.closed)
        rows = ((tree.labels[leaf], tree.labels[published[leaf]]) for leaf in np.flatnonzero(~tree.inner))
        title = f"Part {number}: {len(part.records)} records" if len(parts) > 1 else ""
        tables.append(StepTable.of(("item", "published as"), rows, title))
    loss = sum(part.cut.cost for part in parts)
    proven = ", and no other cut loses less" if len(parts) == 1 and parts[0].cut.optimal else ""
    return TraceStep(Apriori.name, "The cut through the hierarchy", f"It loses {loss}{proven}.", tuple(tables))


def _figures(leaf_sets: LeafSets, parts: Sequence[CutRecords]) -> dict[str, object]:
    loss = sum(part.cut.cost for part in parts)
    return {
        "set_ncp": loss / max(len(leaf_sets.leaves) * int(leaf_sets.tree.leaves[0]), 1),
        "proven_optimal": len(parts) == 1 and parts[0].cut.optimal,
        "parts": [len(part.records) for part in parts],
    }
