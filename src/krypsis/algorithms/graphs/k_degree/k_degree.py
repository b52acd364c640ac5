"""k-degree anonymity by adding edges, and by new vertices or deletions where that is not enough."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import ClassVar, Literal

import numpy as np
import polars as pl
from pydantic import Field

from krypsis.algorithms.graphs.base import GraphMethod, GraphResult, GraphTask
from krypsis.algorithms.graphs.k_degree.degree_sequences import LabelGroups, balanced_degrees, raised_degrees
from krypsis.algorithms.graphs.k_degree.labels import GeneralizedLabels, generalize_labels
from krypsis.algorithms.graphs.k_degree.new_vertices import attach_new_vertices, rows_for_new_vertices
from krypsis.algorithms.graphs.k_degree.realization import Realization, degree_classes, nearest_graph, supergraph
from krypsis.arrays import CodeArray, IntArray
from krypsis.data.graphs import Graph
from krypsis.errors import Infeasible, InternalError
from krypsis.models.base import PrivacyModel
from krypsis.models.graph_knowledge import CandidatesModel
from krypsis.models.k_degree_anonymity import KDegreeAnonymity
from krypsis.progress import NO_PROGRESS, Progress

TINY, SMALL = 12, 128
"""Up to so many vertices, other degree sequences are probed although one was found: all near ones, or some."""
SMALL_PROBES, MOST_PROBES = 40, 12
"""How many random sequences are probed in small and in larger graphs; in these only until one can be realized."""
MOST_LIFTED = 6
"""How many classes of degrees are lifted singly to give others partners."""
LARGEST_COMPLETE = 2000
"""With more vertices, the complete graph is no answer."""
ROUNDS = 3
"""How often the degrees are moved so that as many edges are added as are deleted."""

RECOGNIZED = (
    "Nobody shares all attributes with another vertex, so that an attacker may recognize the new vertices by theirs; "
    "publish fewer attributes."
)

Edits = Literal["auto", "add", "add-vertices", "add-delete"]


@dataclass(frozen=True, eq=False)
class _Changes:
    """What is done to the graph."""

    edits: Edits
    added: CodeArray
    deleted: CodeArray
    new_vertices: int = 0
    least_added: int | None = None
    """No supergraph with this degree sequence of the dynamic program has fewer edges more."""


class KDegree(GraphMethod):
    """Adds edges until every degree is shared by ``k`` vertices; every original edge stays, where that is possible.

    Notes
    -----
    Degrees are raised by dynamic programming in O(nk), as little as can be with an even sum. The edges are then added
    by ConstructGraph between pairs that have none. Where it gets stuck, the ends of added edges are switched; where the
    necessary condition for a supergraph shows that no switch can do, vertices of large degree classes move up by one.
    If even that fails, noise is added to the degrees and all is tried again.

    ``edits`` says what may be done: ``add`` edges only; ``add-vertices``, which take the edges for which there is no
    partner; ``add-delete``, where groups of degrees move towards their middle and the overlap
    ``|E ∩ E'| / max(|E|, |E'|)`` is made large. ``auto`` adds edges, and vertices if that fails. The result says which
    of these it was.

    Attributes that are quasi-identifiers are known to an attacker, too. They are generalized until ``k`` vertices share
    each combination, and degrees are made alike within each. Types of edges are not published. New vertices get
    attributes that people who look like them share; the release says how many vertices stand for no person.

    References
    ----------
    Liu, Terzi, "Towards identity anonymization on graphs", SIGMOD 2008. Chester, Kapron, Ramesh, Srivastava, Thomo,
    Venkatesh, "Why Waldo befriended the dummy?", Social Network Analysis and Mining 3(3), 2013 (new vertices).

    Examples
    --------
    >>> star = Graph.of_codes(np.array([[0, 1], [0, 2], [0, 3], [0, 4]]), 5)
    >>> result = KDegree().publish(GraphTask(star, [KDegreeAnonymity(k=2)]), np.random.default_rng(1))
    >>> sorted(result.published.degrees.tolist()), result.said[0]
    ([2, 2, 2, 4, 4], '3 edges were added; every original edge and vertex is kept, and no vertex was added.')
    """

    name: ClassVar[str] = "k-degree"
    scheme: ClassVar[str] = "edges"
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = (KDegreeAnonymity,)
    needs: ClassVar[tuple[type[PrivacyModel], ...]] = (KDegreeAnonymity,)
    guarantee: ClassVar[str] = (
        "Whoever knows the degree of a vertex, and its published quasi-identifiers, finds at least k vertices with the "
        "same. Some edges are not real, and vertices may have been added. Nothing is promised about attackers who know "
        "more of the edges around a vertex, nor about whether two people are connected."
    )
    reference: ClassVar[str] = "Liu, Terzi, Towards identity anonymization on graphs, SIGMOD 2008"

    edits: Edits = Field(
        default="auto",
        description="what may be done: add edges; add vertices as well; add and delete edges; auto adds edges, and "
        "vertices where that fails",
    )

    def publish(
        self,
        task: GraphTask,
        rng: np.random.Generator,
        progress: Progress = NO_PROGRESS,  # noqa: ARG002  soon done
    ) -> GraphResult:
        self.check(task)
        graph, k = task.graph, _promised(task)
        known = [name for name in task.schema.quasi_identifiers if name in graph.attributes.columns]
        labels = generalize_labels(graph.attributes, graph.vertices, known, task.hierarchies, k)
        groups = LabelGroups.of(labels.number)
        changes = self._changes(graph, groups, k, rng)
        published, are_hidden = _published(graph, labels, groups, changes, rng)
        _verify(published, labels, groups, changes, k)
        said = (*_sentences(self.edits, graph, changes), *labels.sentences(), *_about_types(graph))
        said += () if are_hidden else (RECOGNIZED,)
        return GraphResult(published, np.arange(graph.vertices), said, _figures(graph, changes))

    def _changes(self, graph: Graph, groups: LabelGroups, k: int, rng: np.random.Generator) -> _Changes:
        if self.edits == "add-delete":
            return _added_and_deleted(graph, groups, k, rng)
        if self.edits == "add-vertices":
            return _with_new_vertices(graph, groups, k, rng)
        found = _added(graph, groups, k, rng)
        if found is not None:
            return found
        return _complete(graph) if self.edits == "add" else _with_new_vertices(graph, groups, k, rng)


def _promised(task: GraphTask) -> int:
    """Return the number of candidates that are promised to whoever knows labels and degrees."""
    return max(
        model.k for model in task.models if isinstance(model, CandidatesModel) and model.knowledge in {"h0", "h1"}
    )


def _added(graph: Graph, groups: LabelGroups, k: int, rng: np.random.Generator) -> _Changes | None:
    """Return a supergraph with few additional edges, ``None`` if none was found."""
    degrees, n = graph.degrees, graph.vertices
    # Step 1: the nearest k-anonymous degree sequence, and a supergraph with these degrees.
    nearest = raised_degrees(degrees, groups, k)
    least = -(-int((nearest - degrees).sum()) // 2)
    best: Realization | None = None
    if (nearest - degrees).sum() % 2 == 0:
        found = supergraph(graph, nearest, groups, k, rng.permutation(n))
        best = found if found.is_complete else None
        unmet = (found.unmet, int(found.left.sum()))
    else:
        unmet = (1, 1)
    # Step 2: noise leads to other sequences, which may be realizable, or be so with fewer edges.
    for noise in _noises(degrees, nearest, groups, k, unmet, rng):
        if best is not None and (n > SMALL or len(best.added) == least):
            break
        targets = raised_degrees(np.minimum(degrees + noise, n - 1), groups, k)
        needed = int((targets - degrees).sum())
        if needed % 2 or (best is not None and needed // 2 >= len(best.added)):
            continue
        found = supergraph(graph, targets, groups, k, rng.permutation(n))
        if found.is_complete and (best is None or len(found.added) < len(best.added)):
            best = found
    if best is None:
        return None
    return _Changes("add", best.added, best.deleted, least_added=least)


def _noises(
    degrees: IntArray,
    nearest: IntArray,
    groups: LabelGroups,
    k: int,
    unmet: tuple[int, int],
    rng: np.random.Generator,
) -> Iterator[IntArray]:
    """Yield what is added to the degrees: first what gives partners to those without, then a little, then more."""
    n = len(degrees)
    for extra in sorted({*unmet, *(number + 1 for number in unmet)} - {0}):
        for lifted in _lifted_classes(nearest, groups, k, extra, rng):
            yield lifted - degrees
    if n <= TINY:
        for size in (1, 2, 3):
            for chosen in combinations_with_replacement(range(n), size):
                yield np.bincount(chosen, minlength=n)
    if n <= SMALL:
        for lowest in range(int(degrees.min()) + 1, min(int(degrees.max()) + 2, n)):
            yield np.maximum(lowest - degrees, 0)
    probes = SMALL_PROBES if n <= SMALL else MOST_PROBES
    for probe in range(probes):
        size = 1 + probe // 4 if n <= SMALL else max(1, n >> (MOST_PROBES - probe))
        yield np.bincount(rng.integers(0, n, size), minlength=n)


def _lifted_classes(
    targets: IntArray, groups: LabelGroups, k: int, extra: int, rng: np.random.Generator
) -> Iterator[IntArray]:
    """Yield degrees in which classes of equal degrees take ``extra`` edges, evenly: many classes first, then few."""
    classes = degree_classes(targets, groups, k)
    cells = np.argsort(-classes.counts, kind="stable")
    cells = cells[: np.count_nonzero(classes.counts)]
    by_cell = np.argsort(classes.cell_of, kind="stable")
    starts = np.cumsum(classes.counts) - classes.counts
    # The largest classes, of equals those of low degree; then the largest ones singly.
    unions = [cells[: len(cells) >> halvings] for halvings in range(len(cells).bit_length())]
    unions = [cells[:-1], *unions] if len(cells) > 2 else unions
    for chosen in (*unions, *cells[1:MOST_LIFTED, None]):
        lifted, size = targets.copy(), int(classes.counts[chosen].sum())
        for cell in chosen.tolist():
            members = rng.permutation(by_cell[starts[cell] : starts[cell] + classes.counts[cell]])
            share = -(-extra * len(members) // size)
            lift, rest = divmod(share, len(members))
            # Some members get one more; if they were fewer than k, or left fewer behind, then more of them.
            if rest and rest < k <= len(members) - k:
                rest = k
            elif rest and len(members) - rest < k:
                rest = len(members)
            lifted[members] += lift
            lifted[members[:rest]] += 1
        yield lifted


def _complete(graph: Graph) -> _Changes:
    """Return the complete graph, which is k-anonymous for every k, and nothing else."""
    if graph.vertices > LARGEST_COMPLETE:
        raise Infeasible(
            "no supergraph with fewer edges than the complete graph was found; allow new vertices "
            "(edits=add-vertices) or deletions (edits=add-delete), or promise a smaller k"
        )
    missing = np.ones((graph.vertices, graph.vertices), dtype=np.bool_)
    missing[graph.edges[:, 0], graph.edges[:, 1]] = False
    pairs = np.argwhere(np.triu(missing, 1)).astype(np.int32)
    return _Changes("add", pairs, graph.edges[:0])


def _with_new_vertices(graph: Graph, groups: LabelGroups, k: int, rng: np.random.Generator) -> _Changes:
    """Return a supergraph in which new vertices take the edges that find no partner."""
    targets = raised_degrees(graph.degrees, groups, k)
    order = rng.permutation(graph.vertices)
    found = supergraph(graph, targets, groups, k, order, may_raise=False)
    host = groups.members[_host(groups)]
    edges, count = attach_new_vertices(found.left, np.bincount(targets[host]), k)
    added = np.concatenate([found.added, edges.astype(np.int32)])
    return _Changes("add-vertices", added, found.deleted, count)


def _host(groups: LabelGroups) -> int:
    """Return the label group that new vertices belong to: the largest."""
    return int(np.argmax([len(members) for members in groups.members]))


def _added_and_deleted(graph: Graph, groups: LabelGroups, k: int, rng: np.random.Generator) -> _Changes:
    """Return edges to add and to delete, with a large overlap."""
    best: tuple[tuple[float, int], Realization] | None = None
    probes = SMALL_PROBES // 4 if graph.vertices <= SMALL else 0
    for probe in range(1 + probes):
        surplus, noise = 0, rng.integers(-1, 2, graph.vertices) if probe else 0
        noisy = np.clip(graph.degrees + noise, 0, graph.vertices - 1)
        for _ in range(ROUNDS):
            targets = balanced_degrees(noisy, groups, k, surplus)
            found = nearest_graph(graph, targets, groups, k, rng.permutation(graph.vertices))
            deleted, added = len(found.deleted), len(found.added)
            score = (-_overlap(len(graph.edges), deleted, added), deleted + added)
            if found.is_complete and (best is None or score < best[0]):
                best = score, found
            # Additions cost nothing up to the number of deletions: use them to delete less.
            spare = deleted - (added - found.joined)
            if not found.is_complete or spare == 0:
                break
            surplus -= spare
    # A supergraph is an answer, too, and so is a graph without edges.
    others = [_added(graph, groups, k, rng)] if best is None or graph.vertices <= SMALL else []
    for other in others:
        if other is None:
            continue
        score = (-_overlap(len(graph.edges), 0, len(other.added)), len(other.added))
        if best is None or score < best[0]:
            best = score, Realization(other.added, other.deleted, np.zeros(0, dtype=np.int64))
    if best is None:
        return _Changes("add-delete", graph.edges[:0], graph.edges)
    return _Changes("add-delete", best[1].added, best[1].deleted)


def _overlap(edges: int, deleted: int, added: int) -> float:
    """Return ``|E ∩ E'| / max(|E|, |E'|)``, and 1 where there are no edges before and after."""
    return (edges - deleted) / largest if (largest := max(edges, edges - deleted + added)) else 1.0


def _published(
    graph: Graph, labels: GeneralizedLabels, groups: LabelGroups, changes: _Changes, rng: np.random.Generator
) -> tuple[Graph, bool]:
    """Return the published graph, and whether the attributes of new vertices look like those of others."""
    n = graph.vertices
    kept = graph.edges
    if len(changes.deleted):
        # Edges ascend, so that those that are deleted, which are few, are looked up.
        keys = kept[:, 0].astype(np.int64) * n + kept[:, 1]
        gone = changes.deleted.min(axis=1).astype(np.int64) * n + changes.deleted.max(axis=1)
        kept = np.delete(kept, np.searchsorted(keys, gone), axis=0)
    edges = np.concatenate([kept, changes.added])
    published = graph.with_edges(edges, n + changes.new_vertices)
    attributes, are_hidden = labels.attributes, True
    if changes.new_vertices and attributes.width:
        # Without attributes, new vertices would show that they are new.
        degrees, hosts = published.degrees, groups.members[_host(groups)]
        rows, are_hidden = rows_for_new_vertices(attributes, hosts, degrees[:n], degrees[n:], rng)
        attributes = pl.concat([attributes, attributes[rows]])
    return replace(published, attributes=attributes), are_hidden


def _verify(published: Graph, labels: GeneralizedLabels, groups: LabelGroups, changes: _Changes, k: int) -> None:
    """Raise unless every label and degree is shared by ``k`` vertices."""
    numbers = np.concatenate([labels.number, np.full(changes.new_vertices, _host(groups))])
    _, counts = np.unique(numbers * np.int64(published.vertices) + published.degrees, return_counts=True)
    if counts.min() < k:
        raise InternalError(f"a degree is shared by {int(counts.min())} vertices instead of {k}")


def _sentences(wanted: Edits, graph: Graph, changes: _Changes) -> tuple[str, ...]:
    added = _counted(len(changes.added), "edge")
    kept = "every original edge and vertex is kept"
    if _becomes_complete(graph, changes):
        return (f"{added} added: the published graph is the complete graph, and nothing of the edges is left to see.",)
    if changes.edits == "add" or (changes.edits == "add-vertices" and not changes.new_vertices):
        return (f"{added} added; {kept}, and no vertex was added.",)
    if changes.edits == "add-vertices":
        why = "Adding edges alone did not suffice. " if wanted == "auto" else ""
        return (f"{why}{added} added, and {_counted(changes.new_vertices, 'vertex', 'vertices')} added; {kept}.",)
    gone = _counted(len(changes.deleted), "edge")
    overlap = _overlap(len(graph.edges), len(changes.deleted), len(changes.added))
    return (f"{added} added and {gone} deleted; the overlap with the original edges is {overlap:.4f}.",)


def _becomes_complete(graph: Graph, changes: _Changes) -> bool:
    """Say whether changes connect all pairs of vertices, whichever search found them."""
    pairs = graph.vertices * (graph.vertices - 1) // 2
    after = len(graph.edges) - len(changes.deleted) + len(changes.added)
    return len(changes.added) > 0 and not changes.new_vertices and after == pairs


def _counted(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one} was" if number == 1 else f"{number:,} {several or one + 's'} were"


def _about_types(graph: Graph) -> tuple[str, ...]:
    if graph.edge_types is None:
        return ()
    return ("Types of edges are not published: added edges have none, and would be recognized by that.",)


def _figures(graph: Graph, changes: _Changes) -> dict[str, object]:
    edges, deleted, added = len(graph.edges), len(changes.deleted), len(changes.added)
    return {
        "edits": changes.edits,
        "added_edges": added,
        "deleted_edges": deleted,
        "new_vertices": changes.new_vertices,
        "overlap": _overlap(edges, deleted, added),
        "kept_edges": (edges - deleted) / edges if edges else 1.0,
        "is_complete_graph": _becomes_complete(graph, changes),
        **({} if changes.least_added is None else {"least_added_edges": changes.least_added}),
    }
