"""Check published graphs, and graphs published as super-vertices."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.checker.base import judge_of, judges, refuse_others
from krypsis.checker.color_refinement import joined
from krypsis.checker.graph_classes import VertexClasses, classes_of, label_codes
from krypsis.checker.graph_tables import COUNT, refuse_inconsistent
from krypsis.data.graphs import ClusteredGraph, Graph, PublishedGraph
from krypsis.errors import UsageError
from krypsis.format.graph_tables import ATTRIBUTE, SUPERVERTEX, VALUE
from krypsis.models.base import TOLERANCE, PrivacyModel, Verdict
from krypsis.models.edge_confidence import EdgeConfidence
from krypsis.models.graph_knowledge import CandidatesModel
from krypsis.models.mechanisms import MechanismRecord
from krypsis.models.supervertex_anonymity import SupervertexAnonymity
from krypsis.models.vertex_l_diversity import VertexLDiversity

SHOWN = 5
"""How many classes a verdict shows."""
EFFORT_SPENT = "whether some 1-neighborhoods are the same takes too long to find out"


@dataclass(frozen=True, eq=False)
class GraphCase:
    """What a published graph is judged on, and the classes of its vertices that were found so far."""

    known: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    sensitive_types: frozenset[str] = frozenset()
    found: dict[str, VertexClasses] = field(default_factory=dict)
    mechanism_record: MechanismRecord | None = None
    """What is stated about the chances with which the graph was made."""

    def classes(self, published: Graph, knowledge: str) -> VertexClasses:
        """Return the classes of vertices that look alike by some knowledge."""
        if knowledge not in self.found:
            self.found[knowledge] = classes_of(published, knowledge, self.known)
        return self.found[knowledge]

    def attributes_of(self, model: VertexLDiversity) -> tuple[str, ...]:
        """Return the sensitive attributes that a promise is about."""
        wanted = self.sensitive if model.attribute is None else (model.attribute,)
        if not wanted:
            raise UsageError(f"{model.spec} is about sensitive attributes, and none is named; name at least one")
        return wanted


def check_graph(
    published: PublishedGraph,
    models: Sequence[PrivacyModel],
    *,
    known: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    sensitive_types: frozenset[str] = frozenset(),
    mechanism_record: MechanismRecord | None = None,
) -> tuple[Verdict, ...]:
    """Say for each promise whether a published graph keeps it.

    Parameters
    ----------
    published
        a graph, or super-vertices.
    models
        the promises.
    known
        the attributes of vertices that an attacker knows: the quasi-identifiers.
    sensitive
        the attributes of vertices that nobody should learn.
    sensitive_types
        the types of edges that nobody should learn; all edges, where none are named or none are published.
    mechanism_record
        what is stated about a randomized graph.

    Raises
    ------
    DataError
        if what is published contradicts itself.

    Examples
    --------
    >>> from krypsis.models.k_degree_anonymity import KDegreeAnonymity
    >>> square = Graph.of_codes(np.array([[0, 1], [1, 2], [2, 3], [0, 3]]), 4)
    >>> [verdict] = check_graph(square, [KDegreeAnonymity(k=4)])
    >>> print(verdict.sentence)
    Kept: every vertex has the same degree as at least 3 others (required at least 4, achieved 4).
    """
    judged = [(model, judge_of(model, type(published))) for model in models]
    refuse_inconsistent(published)
    case = GraphCase(tuple(known), tuple(sensitive), frozenset(sensitive_types), mechanism_record=mechanism_record)
    return tuple(judge(model, published, case) for model, judge in judged)


refuse_others(Graph, "promises about graphs are such as k-degree-anonymity:k=10; got {model!r}")
refuse_others(ClusteredGraph, "promises about super-vertices are such as supervertex-anonymity:k=10; got {model!r}")


# Candidates: how many vertices fit what an attacker knows.


@judges(CandidatesModel, Graph)
def judge_candidates(model: CandidatesModel, published: Graph, case: GraphCase) -> Verdict:
    """Judge whether every class of vertices that look alike has ``k`` members."""
    classes = case.classes(published, model.knowledge)

    def show(vertex: int) -> dict[str, object]:
        return _described(published, vertex, case.known)

    return _between(model, classes, lambda found: np.bincount(found).astype(np.float64), show)


@judges(SupervertexAnonymity, Graph)
def refuse_single_vertices(model: SupervertexAnonymity, published: Graph, case: GraphCase) -> Verdict:  # noqa: ARG001
    """Refuse a promise about super-vertices where none are published."""
    raise UsageError(
        f"{model.spec} is about super-vertices, and a graph of single vertices is published; promise "
        f"candidate-anonymity:k={model.k} of it, or publish it by the algorithm 'vertex-clustering'"
    )


@judges(CandidatesModel, ClusteredGraph)
def judge_supervertices(model: CandidatesModel, published: ClusteredGraph, case: GraphCase) -> Verdict:
    """Judge whether every super-vertex, and every known value that is counted in it, has ``k`` vertices.

    Whatever an attacker knows of the edges fits all vertices of a super-vertex or none. Who knows an attribute looks
    for it among the counted values; vertices whose value is not counted are one more group.
    """
    groups = _known_groups(published, case.known)
    sizes = groups["size"].to_numpy().astype(np.float64)

    def show(place: int) -> dict[str, object]:
        row = groups.row(place, named=True)
        return {name: value for name, value in row.items() if name != "size" and value is not None}

    return _verdict(model, sizes, sizes, show, "super-vertices or parts of them")


def _known_groups(published: ClusteredGraph, known: Sequence[str]) -> pl.DataFrame:
    """Return the vertices that look the same: supervertex, attribute, value, size."""
    everywhere = pl.DataFrame({SUPERVERTEX: np.arange(len(published)), "all": published.sizes})
    nothing = pl.lit(None, dtype=pl.String)
    groups = [everywhere.select(SUPERVERTEX, nothing.alias(ATTRIBUTE), nothing.alias(VALUE), size="all")]
    if published.attributes.width:
        shown = published.attributes.filter(pl.col(ATTRIBUTE).is_in(list(known))).select(
            SUPERVERTEX, ATTRIBUTE, VALUE, pl.col(COUNT).cast(pl.Int64).alias("size")
        )
        counted = shown.group_by(SUPERVERTEX, ATTRIBUTE, maintain_order=True).agg(pl.col("size").sum())
        rest = counted.join(everywhere, on=SUPERVERTEX).select(
            SUPERVERTEX, ATTRIBUTE, nothing.alias(VALUE), size=pl.col("all") - pl.col("size")
        )
        groups += [shown, rest.filter(pl.col("size") > 0)]
    return pl.concat(groups, how="vertical_relaxed")


# Diversity: how many values of a sensitive attribute the vertices of a class have.


@judges(VertexLDiversity, Graph)
def judge_diversity(model: VertexLDiversity, published: Graph, case: GraphCase) -> Verdict:
    """Judge whether every class of vertices that look alike has ``l`` well-represented values of each attribute.

    Missing values count for none: a class in which all are missing shows nothing.
    """
    classes = case.classes(published, model.knowledge)
    wanted = case.attributes_of(model)
    codes = {name: label_codes(published.attributes, [name], published.vertices) for name in wanted}
    is_shown = {name: published.attributes[name].is_not_null().to_numpy() for name in wanted}

    def diversities(found: IntArray, name: str) -> FloatArray:
        shown = is_shown[name]
        levels = np.full(int(found.max()) + 1, model.required)
        whose, places = np.unique(found[shown], return_inverse=True)
        levels[whose] = _diversities(model, places.reshape(-1), codes[name][shown])
        return levels

    def measure(found: IntArray) -> FloatArray:
        return np.asarray(np.min([diversities(found, name) for name in wanted], axis=0))

    def show(vertex: int) -> dict[str, object]:
        return _described(published, vertex, case.known)

    return _between(model, classes, measure, show)


def _diversities(model: VertexLDiversity, classes: IntArray, values: IntArray) -> FloatArray:
    """Return how many well-represented values each class has."""
    pairs = joined(classes, values)
    counts = np.bincount(pairs).astype(np.float64)
    of_class = np.empty(len(counts), dtype=np.int64)
    of_class[pairs] = classes
    return _effective_numbers(model, of_class, counts)


def _effective_numbers(model: VertexLDiversity, of_class: IntArray, counts: FloatArray) -> FloatArray:
    if model.measure == "distinct":
        return np.bincount(of_class).astype(np.float64)
    shares = counts / np.bincount(of_class, counts)[of_class]
    return np.exp(np.bincount(of_class, -shares * np.log(shares)))


@judges(VertexLDiversity, ClusteredGraph)
def judge_histograms(model: VertexLDiversity, published: ClusteredGraph, case: GraphCase) -> Verdict:
    """Judge whether the published counts of every super-vertex show ``l`` well-represented values.

    A super-vertex none of whose values are counted shows nothing. Undecided where some of its values are, or where the
    attribute is counted nowhere.
    """
    levels = []
    for name in case.attributes_of(model):
        found = published.attributes
        counted = found.filter(pl.col(ATTRIBUTE) == name) if found.width else found
        if not counted.height:
            return _undecided(model, None, f"no values of {name!r} are counted")
        whose, counts = counted[SUPERVERTEX].to_numpy(), counted[COUNT].to_numpy().astype(np.float64)
        shown = np.bincount(whose, counts, minlength=len(published))
        if ((shown > 0) & (shown < published.sizes)).any():
            return _undecided(model, None, f"values of {name!r} are not counted for all vertices of a super-vertex")
        reached = np.full(len(published), model.required)
        reached[np.unique(whose)] = _effective_numbers(model, np.unique(whose, return_inverse=True)[1], counts)
        levels.append(reached)
    least = np.asarray(np.min(levels, axis=0))
    return _verdict(model, least, published.sizes, lambda place: {SUPERVERTEX: place}, "super-vertices")


# Sensitive edges: how probable one is between two classes.


@judges(EdgeConfidence, Graph)
def judge_edges(model: EdgeConfidence, published: Graph, case: GraphCase) -> Verdict:
    """Judge whether at most a share ``p`` of the pairs of vertices of any two classes have a sensitive edge."""
    classes = case.classes(published, model.knowledge)
    edges = _sensitive_edges(published, case.sensitive_types)
    verdict = _edge_verdict(model, published, classes.finest, edges)
    if verdict.holds or classes.exact:
        return verdict
    coarse = _edge_verdict(model, published, classes.coarsest, edges)
    return _undecided(model, None, EFFORT_SPENT) if coarse.holds else coarse


def _edge_verdict(model: EdgeConfidence, published: Graph, found: IntArray, edges: IntArray) -> Verdict:
    sizes = np.bincount(found)
    ends = np.sort(found[edges], axis=1)
    keys, firsts, counts = np.unique(ends[:, 0] * len(sizes) + ends[:, 1], return_index=True, return_counts=True)
    low, high = keys // len(sizes), keys % len(sizes)
    pairs = np.where(low == high, sizes[low] * (sizes[low] - 1) // 2, sizes[low] * sizes[high])

    def show(place: int) -> dict[str, object]:
        one, two = edges[firsts[place]].tolist()
        degrees = published.degrees[[one, two]].tolist()
        return {
            "vertices": f"{one} and {two}",
            "degrees": f"{degrees[0]} and {degrees[1]}",
            "edges": int(counts[place]),
        }

    return _verdict(model, counts / pairs, pairs, show, "pairs of classes")


def _sensitive_edges(published: Graph, types: frozenset[str]) -> IntArray:
    if not types or published.edge_types is None:  # nobody can see which edges are not sensitive
        return published.edges.astype(np.int64)
    return published.edges_of_types(types.intersection(published.types)).astype(np.int64)


@judges(EdgeConfidence, ClusteredGraph)
def judge_superedges(model: EdgeConfidence, published: ClusteredGraph, case: GraphCase) -> Verdict:  # noqa: ARG001
    """Judge whether at most a share ``p`` of the pairs that any super-edge may stand for are edges.

    Types of edges are not published with super-edges, so that any edge may be a sensitive one.
    """

    def show(place: int) -> dict[str, object]:
        low, high = published.superedges[place].tolist()
        return {"supervertices": f"{low} and {high}", "edges": int(published.counts[place])}

    shares = published.counts / published.possible
    return _verdict(model, shares, published.possible, show, "super-edges")


# Verdicts.


def _between(
    model: PrivacyModel,
    classes: VertexClasses,
    measure: Callable[[IntArray], FloatArray],
    show: Callable[[int], dict[str, object]],
) -> Verdict:
    """Judge classes that are perhaps not known exactly: larger classes are never worse, here and for all promises."""

    def judged(found: IntArray) -> Verdict:
        members = np.empty(int(found.max()) + 1, dtype=np.int64)
        members[found[::-1]] = np.arange(len(found))[::-1]  # the first vertex of each class stands for it
        return _verdict(model, measure(found), np.bincount(found), lambda place: show(int(members[place])), "classes")

    verdict = judged(classes.finest)
    if verdict.holds or classes.exact:
        return verdict
    coarse = judged(classes.coarsest)
    return _undecided(model, verdict.achieved, EFFORT_SPENT) if coarse.holds else coarse


def _verdict(
    model: PrivacyModel,
    levels: FloatArray,
    sizes: IntArray | FloatArray,
    show: Callable[[int], dict[str, object]],
    what: str,
) -> Verdict:
    """Return the verdict on classes with their levels; the worst of those that break the promise are shown."""
    higher = getattr(model, "better", "higher") == "higher"
    worst_first = levels if higher else -levels
    refused = np.flatnonzero(~_suffices(levels, model.required, higher=higher))
    achieved = float(levels[np.argmin(worst_first)]) if len(levels) else 0.0
    figures = f"required at {'least' if higher else 'most'} {model.required:g}, achieved {achieved:.6g}"
    broken = f"Not kept: {len(refused):,} of {len(levels):,} {what} break the promise that"
    shown = refused[np.argsort(worst_first[refused], kind="stable")][:SHOWN].tolist()
    return Verdict(
        promise=model.spec,
        holds=not len(refused),
        required=model.required,
        achieved=achieved,
        sentence=f"{broken if len(refused) else 'Kept:'} {model.promise()} ({figures}).",
        offending=tuple({"values": show(place), "size": int(sizes[place])} for place in shown),
    )


def _suffices(levels: FloatArray, required: float, *, higher: bool) -> BoolArray:
    if higher:
        return levels >= required * (1 - TOLERANCE)
    return levels <= required + TOLERANCE


def _undecided(model: PrivacyModel, achieved: float | None, reason: str) -> Verdict:
    sentence = f"Undecided: {model.promise()}; {reason}."
    return Verdict(promise=model.spec, holds=None, required=model.required, achieved=achieved, sentence=sentence)


def _described(published: Graph, vertex: int, known: Sequence[str]) -> dict[str, object]:
    """Return what is published about a vertex, by the number that it has there."""
    values = {name: published.attributes[name][vertex] for name in known}
    return {"vertex": vertex, "degree": int(published.degrees[vertex]), **values}
