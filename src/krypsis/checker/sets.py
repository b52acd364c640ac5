"""Check published sets of items, in whichever form they are published."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

from krypsis.checker.disassociation import check_disassociated
from krypsis.checker.set_groups import check_grouped
from krypsis.checker.transactions import check_transactions
from krypsis.datasets.set_tables import GROUP, ITEM, RECORD, sets_of
from krypsis.errors import DataError, HierarchyError, PromiseBroken
from krypsis.format.chunks_file import chunk_lines, read_chunk_lines
from krypsis.format.claims import Claims
from krypsis.format.files import CHUNKS, opened, read_data, read_sensitive_table
from krypsis.hierarchies.base import Hierarchy
from krypsis.models.base import PrivacyModel
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.models.verdict import Verdict
from krypsis.transactions import Disassociated, GroupedSets, PublishedSets, Transactions


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
