"""Check published sets of items, in whichever form they are published."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from krypsis.arrays import IntArray
from krypsis.checker.disassociation import check_disassociated
from krypsis.checker.transactions import check_transactions
from krypsis.datasets.set_tables import GROUP, ITEM, RECORD, sets_of
from krypsis.errors import DataError, HierarchyError, PromiseBroken, UsageError
from krypsis.format.chunks_file import chunk_lines, read_chunk_lines
from krypsis.format.claims import Claims
from krypsis.format.files import CHUNKS, opened, read_data, read_sensitive_table
from krypsis.hierarchies.base import Hierarchy
from krypsis.models.base import PrivacyModel
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.models.privacy_degree import PrivacyDegree
from krypsis.models.verdict import Verdict
from krypsis.transactions import Disassociated, GroupedSets, PublishedSets, Transactions

SHOWN = 5
"""How many groups a verdict shows."""


def check_grouped(
    published: GroupedSets, models: Sequence[PrivacyModel], sensitive: frozenset[str] = frozenset()
) -> tuple[Verdict, ...]:
    """Say for each promise whether sets in groups keep it, from what is published alone.

    A sensitive item that stands in a record itself is attached to it for certain. Sensitive are all items that are
    counted apart, and those that are named besides, which a release could have forgotten to take apart. Counts of the
    same item in the same group are added up. Where no sensitive item occurs at all, the degree is the number of
    records.

    Examples
    --------
    >>> from krypsis.transactions import Transactions
    >>> baskets = Transactions.of_sets([["wine", "viagra"], ["wine"], ["cream", "viagra"]])
    >>> verdict, = check_grouped(GroupedSets.of(baskets, {"viagra"}, np.array([0, 0, 1])), [PrivacyDegree(p=2)])
    >>> verdict.holds, verdict.achieved, verdict.offending
    (False, 1.0, ({'values': {'group': '2', 'item': 'viagra', 'records': 1}, 'size': 1},))
    """
    for model in models:
        if not isinstance(model, PrivacyDegree):
            raise UsageError(f"promises about sets in groups are such as privacy-degree:p=4; got {model!r}")
    links = _Links.of(published, sensitive)
    return tuple(_judge(model, links, len(published)) for model in models if isinstance(model, PrivacyDegree))


@dataclass(frozen=True, eq=False)
class _Links:
    """What can be attached to whom: one entry for each sensitive item of a group, or told in a record itself."""

    groups: IntArray
    names: tuple[str, ...]
    """The group of each entry as the published files call it."""
    items: tuple[str, ...]
    counts: IntArray
    sizes: IntArray

    @classmethod
    def of(cls, published: GroupedSets, sensitive: frozenset[str]) -> _Links:
        width = max(len(published.sensitive), 1)
        keys, place = np.unique(published.counts[:, 0] * width + published.counts[:, 1], return_inverse=True)
        counts = np.bincount(place, published.counts[:, 2], minlength=len(keys)).astype(np.int64)
        open_groups, open_items = _told_openly(published, sensitive)
        groups = np.concatenate([keys // width, open_groups])
        ones = np.ones(len(open_groups), dtype=np.int64)
        names = tuple(published.sensitive[code] for code in (keys % width).tolist())
        sizes = np.concatenate([published.sizes[keys // width], ones])
        called = tuple(published.name_of(group) for group in groups.tolist())
        return cls(groups, called, names + open_items, np.concatenate([counts, ones]), sizes)


def _told_openly(published: GroupedSets, sensitive: frozenset[str]) -> tuple[IntArray, tuple[str, ...]]:
    """Return the group and the item of each sensitive item that stands in a record."""
    records, hidden = published.records, sensitive.union(published.sensitive)
    is_hidden = np.array([item in hidden for item in records.items], dtype=np.bool_)
    told = is_hidden[records.codes]
    items = tuple(records.items[code] for code in records.codes[told].tolist())
    return published.groups[records.records[told]], items


def _judge(model: PrivacyDegree, links: _Links, records: int) -> Verdict:
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


def _shown(links: _Links, place: int) -> dict[str, object]:
    values = {"group": links.names[place], "item": links.items[place], "records": int(links.counts[place])}
    return {"values": values, "size": int(links.sizes[place])}


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
    >>> [verdict.holds for verdict in check_sets(Transactions.of_sets([["milk"], ["milk"]]), [KmAnonymity(k=2, m=1)])]
    [True]
    """
    match published:
        case Transactions():
            return check_transactions(published, models, hierarchy=hierarchy)
        case Disassociated():
            return check_disassociated(published, models, sensitive)
        case GroupedSets():
            return _check_groups(published, models, hierarchy, sensitive)


def _check_groups(
    published: GroupedSets, models: Sequence[PrivacyModel], hierarchy: Hierarchy | None, sensitive: frozenset[str]
) -> tuple[Verdict, ...]:
    """Judge what an attacker may know on the records, which are told as they are, and the rest on the groups."""
    known = [model for model in models if isinstance(model, KmAnonymity)]
    others = [model for model in models if not isinstance(model, KmAnonymity)]
    on_records = check_transactions(published.records, known, hierarchy=hierarchy) if known else ()
    found = dict(zip([*known, *others], [*on_records, *check_grouped(published, others, sensitive)], strict=True))
    return tuple(found[model] for model in models)


def check_sets_in(
    folder: Path, claims: Claims, models: Sequence[PrivacyModel], hierarchy: Hierarchy | None = None
) -> tuple[Verdict, ...]:
    """Read the sets in a folder back and say for each promise whether they keep it."""
    published, sensitive = load_sets(folder, claims), frozenset(claims.sensitive_items)
    if hierarchy is not None:
        return check_sets(published, models, hierarchy=hierarchy, sensitive=sensitive)
    try:
        return check_sets(published, models, hierarchy=claims.hierarchy_of_items, sensitive=sensitive)
    except HierarchyError as error:
        raise PromiseBroken(f"the manifest of {folder} tells a hierarchy that does not fit its sets: {error}") from None


def load_chunks(folder: Path, claims: Claims) -> Disassociated | None:
    """Read disassociated sets; ``None`` where the release has another form."""
    file = next((file for file in claims.files if file.name == CHUNKS), None)
    if file is None:
        return None
    try:
        with opened(folder / CHUNKS, file) as stream:
            found = read_chunk_lines(stream, CHUNKS)
    except DataError as error:
        raise PromiseBroken(f"{folder} publishes no clusters of sets that can be read: {error}") from None
    if len(found) != claims.rows:
        raise PromiseBroken(f"{folder} publishes {len(found)} records, but its manifest says {claims.rows}")
    if _digest(chunk_lines(found)) != file.sha256:
        raise PromiseBroken(
            f"{folder / CHUNKS} is not written as a release writes its clusters, so it may hold more than these; do "
            "not trust this release"
        )
    return found


def _digest(lines: Iterable[str]) -> str:
    found = sha256()
    for line in lines:
        found.update(line.encode())
    return found.hexdigest()


def load_sets(folder: Path, claims: Claims) -> PublishedSets:
    """Read published sets from a folder, in whichever form they are published."""
    chunks = load_chunks(folder, claims)
    if chunks is not None:
        return chunks
    table, sensitive_table = read_data(folder, claims), read_sensitive_table(folder, claims)
    expected = [RECORD, ITEM] if sensitive_table is None else [RECORD, GROUP, ITEM]
    if sorted(table.columns) != sorted(expected):
        raise PromiseBroken(
            f"{folder} publishes the columns {', '.join(table.columns)}; sets of items have {', '.join(expected)}, and "
            "nothing is known about others: do not trust this release"
        )
    try:
        return sets_of(table, sensitive_table)
    except DataError as error:
        raise PromiseBroken(f"{folder} publishes no sets that can be read: {error}") from None
