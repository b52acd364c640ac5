"""Say in plain words what became of sets of items."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from krypsis.arrays import IntArray
from krypsis.attacks.cover import CoverAttack
from krypsis.data.transactions import Disassociated, GroupedSets, PublishedSets, Transactions
from krypsis.kinds.table.summary import promise_lines

if TYPE_CHECKING:
    from krypsis.release.release import Release


def sections(release: "Release", published: PublishedSets) -> dict[str, Iterable[str]]:
    """Return the summary: promised and achieved, and what is lost."""
    return {
        published_sets(published): (),
        "Promised and achieved": promise_lines(release),
        **({"What the method guarantees": (release.guarantee,)} if release.guarantee else {}),
        "Lost": (*set_losses(release, published), *_figures(release)),
    }


def published_sets(published: PublishedSets) -> str:
    """Return what is published, in one sentence."""
    match published:
        case Disassociated():
            how = f"in {published.clusters} clusters of pieces"
            items = len(published.items)
        case GroupedSets():
            how = f"in {len(published.sizes)} groups, with their sensitive items listed separately"
            items = len(published.records.items) + len(published.sensitive)
        case _:
            how, items = "each as one set", len(published.items)
    return f"{len(published)} records with {items} different items are published, {how}"


def set_losses(release: "Release", published: PublishedSets) -> Iterator[str]:
    """Yield what is lost, as far as what is published shows it."""
    match published:
        case Disassociated():
            yield from _of_pieces(published)
        case GroupedSets():
            yield from _of_groups(published)
        case _:
            yield from _of_sets(published, release)


def _figures(release: "Release") -> Iterator[str]:
    for name, value in release.metrics.items():
        yield f"{name}: {value:.4g} (lower is better)"


def _of_pieces(published: Disassociated) -> Iterator[str]:
    joint = len(published.parents) - published.clusters
    shared = int((published.chunk_nodes >= published.clusters).sum())
    yield f"clusters of {_range(published.sizes)} records; {joint} joint clusters above them"
    yield (
        f"{len(published.pieces)} pieces in {len(published.chunk_nodes) - shared} record chunks and {shared} shared "
        "chunks: which pieces belong together is hidden"
    )
    many = int((published.terms.sizes > 0).sum())
    yield f"{len(published.terms.codes)} entries in the term chunks of {many} clusters: how often they occur is hidden"
    yield from _covered(published)


def _covered(published: Disassociated) -> Iterator[str]:
    """Warn of items that are given away by others; the promise says nothing about them."""
    found = CoverAttack().find(published)
    if found.is_empty():
        return
    cluster, known, learned, _, _ = found.row(0)
    affected, total = found["cluster"].n_unique(), len(published.parents)
    yield (
        f"warning: in {affected} of {total} clusters some items never stand without another one, so who is known to "
        f"hold the first is known to hold the second (cover problem): {known!r} shows {learned!r} in cluster {cluster}"
    )


def _of_groups(published: GroupedSets) -> Iterator[str]:
    groups = f"{len(published.sizes)} groups of {_range(published.sizes)} records"
    yield f"{len(published.sensitive)} sensitive items: who has which, in {groups}"
    yield "all other items: as they were"


def _of_sets(published: Transactions, release: "Release") -> Iterator[str]:
    if release.scheme.startswith("IG"):
        yield f"items: as they were, or generalized ({release.hierarchies['item']})"
    if release.scheme.endswith("IS"):
        yield "items: as they were, or left out"
    empty = int(np.count_nonzero(published.sizes == 0))
    if empty:
        yield f"{empty} records have no item left"


def _range(sizes: IntArray) -> str:
    return f"{sizes.min()} to {sizes.max()}" if len(sizes) else "0"
