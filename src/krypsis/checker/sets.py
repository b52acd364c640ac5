"""Check published sets of items, in whichever form they are published."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from krypsis.arrays import IntArray
from krypsis.checker.base import judge_of, judges, refuse_others
from krypsis.checker.transactions import SetsCase, judge_plain
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import GroupedSets, PublishedSets
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.models.privacy_degree import PrivacyDegree

SHOWN = 5
"""How many groups a verdict shows."""


def check_sets(
    published: PublishedSets,
    models: Sequence[PrivacyModel],
    *,
    hierarchy: Hierarchy | None = None,
    sensitive: frozenset[str] = frozenset(),
) -> tuple[Verdict, ...]:
    """Say for each promise whether published sets keep it.

    Examples
    --------
    >>> from krypsis.data.transactions import Transactions
    >>> [verdict.holds for verdict in check_sets(Transactions.of_sets([["milk"], ["milk"]]), [KmAnonymity(k=2, m=1)])]
    [True]
    """
    judged = [(model, judge_of(model, type(published))) for model in models]
    case = SetsCase(hierarchy, sensitive)
    return tuple(judge(model, published, case) for model, judge in judged)


refuse_others(GroupedSets, "promises about sets in groups are such as privacy-degree:p=4; got {model!r}")


@judges(KmAnonymity, GroupedSets)
def judge_records(model: KmAnonymity, published: GroupedSets, case: SetsCase) -> Verdict:
    """Judge what an attacker may know on the records, which are published as they are."""
    return judge_plain(model, published.records, case)


@judges(PrivacyDegree, GroupedSets)
def judge_degree(model: PrivacyDegree, published: GroupedSets, case: SetsCase) -> Verdict:
    """Judge how well groups hide whose their sensitive items are, from what is published alone.

    A sensitive item that stands in a record itself is attached to it for certain. Sensitive are all items that are
    counted separately, and those that are named besides, which a release could have forgotten to separate. Counts of
    the same item in the same group are added up. Where no sensitive item occurs at all, the degree is the number of
    records.

    Examples
    --------
    >>> from krypsis.data.transactions import Transactions
    >>> baskets = Transactions.of_sets([["wine", "viagra"], ["wine"], ["cream", "viagra"]])
    >>> published = GroupedSets.of(baskets, {"viagra"}, np.array([0, 0, 1]))
    >>> verdict = judge_degree(PrivacyDegree(p=2), published, SetsCase())
    >>> verdict.holds, verdict.achieved, verdict.offending
    (False, 1.0, ({'values': {'group': '2', 'item': 'viagra', 'records': 1}, 'size': 1},))
    """
    links, records = _Links.of(published, case.sensitive), len(published)
    # Privacy degree of a group: p^G = min_i |G| / f_i^G over its sensitive items; of the release: the least of all.
    levels = model.levels(links.sizes, links.counts)
    achieved = float(levels.min()) if len(levels) else float(records)
    refused = np.flatnonzero(~model.accepts(links.sizes, links.counts))
    figures = f"required at least {model.p}, achieved {achieved:.6g}"
    broken = f"Not kept: {len(np.unique(links.groups[refused]))} group(s) break the promise that"
    return Verdict(
        promise=model.spec,
        holds=not len(refused),
        required=model.required,
        achieved=achieved,
        sentence=f"{broken if len(refused) else 'Kept:'} {model.promise()} ({figures}).",
        offending=tuple(
            _shown(links, int(place)) for place in refused[np.argsort(levels[refused], kind="stable")][:SHOWN]
        ),
    )


@dataclass(frozen=True, eq=False)
class _Links:
    """What can be attached to whom: one entry for each sensitive item of a group, or shown in a record itself."""

    groups: IntArray
    names: tuple[str, ...]
    """The group of each entry as the published files call it."""
    items: tuple[str, ...]
    counts: IntArray
    sizes: IntArray

    @classmethod
    def of(cls, published: GroupedSets, sensitive: frozenset[str]) -> "_Links":
        width = max(len(published.sensitive), 1)
        keys, place = np.unique(published.counts[:, 0] * width + published.counts[:, 1], return_inverse=True)
        counts = np.bincount(place, published.counts[:, 2], minlength=len(keys)).astype(np.int64)
        open_groups, open_items = _published_openly(published, sensitive)
        groups = np.concatenate([keys // width, open_groups])
        ones = np.ones(len(open_groups), dtype=np.int64)
        names = tuple(published.sensitive[code] for code in (keys % width).tolist())
        sizes = np.concatenate([published.sizes[keys // width], ones])
        called = tuple(published.name_of(group) for group in groups.tolist())
        return cls(groups, called, names + open_items, np.concatenate([counts, ones]), sizes)


def _published_openly(published: GroupedSets, sensitive: frozenset[str]) -> tuple[IntArray, tuple[str, ...]]:
    """Return the group and the item of each sensitive item that stands in a record."""
    records, hidden = published.records, sensitive.union(published.sensitive)
    is_hidden = np.array([item in hidden for item in records.items], dtype=np.bool_)
    openly = is_hidden[records.codes]
    items = tuple(records.items[code] for code in records.codes[openly].tolist())
    return published.groups[records.records[openly]], items


def _shown(links: _Links, place: int) -> dict[str, object]:
    values = {"group": links.names[place], "item": links.items[place], "records": int(links.counts[place])}
    return {"values": values, "size": int(links.sizes[place])}
