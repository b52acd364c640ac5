"""Say in plain words what became of a graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from krypsis.data.graphs import ClusteredGraph, PublishedGraph
from krypsis.kinds.table.summary import promise_lines

if TYPE_CHECKING:
    from krypsis.release.release import Release


def sections(release: Release, published: PublishedGraph) -> dict[str, Iterable[str]]:
    """Return the summary: what is published, promised and achieved, and what is lost."""
    said = release.private.get("said", ())
    return {
        published_graph(published): (),
        "Promised and achieved": promise_lines(release),
        **({"What the method guarantees": (release.guarantee,)} if release.guarantee else {}),
        **({"What was done": tuple(said)} if said else {}),
        "Lost": tuple(_figures(release)),
    }


def published_graph(published: PublishedGraph) -> str:
    """Return what is published, in one sentence."""
    if isinstance(published, ClusteredGraph):
        edges = int(published.counts.sum())
        return f"{published.vertices:,} vertices in {len(published):,} super-vertices, with {edges:,} edges counted"
    return f"{published.vertices:,} vertices and {len(published.edges):,} edges are published, under random numbers"


def _figures(release: Release) -> Iterator[str]:
    for name, value in release.metrics.items():
        yield f"{name}: {value:.4g} (lower is better)"
