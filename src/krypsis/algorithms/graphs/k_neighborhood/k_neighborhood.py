"""k-neighborhood anonymity by adding and deleting edges and by lifting labels."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.algorithms.graphs.base import GraphMethod, GraphResult, GraphTask
from krypsis.algorithms.graphs.k_degree.degree_sequences import least_distance
from krypsis.algorithms.graphs.k_neighborhood.edits import EditableGraph, edges_of, edited_graph, restore, saved
from krypsis.algorithms.graphs.k_neighborhood.hubs import STAR, with_stars
from krypsis.algorithms.graphs.k_neighborhood.label_choices import LabelChoices, label_choices
from krypsis.algorithms.graphs.k_neighborhood.optimum import all_edits, cheapest_edits
from krypsis.algorithms.graphs.k_neighborhood.repair import (
    EDGE,
    ISOLATED,
    NOTHING_LEFT,
    PEELED,
    STEPS,
    Options,
    new_moves,
    repair,
)
from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.graphs import Graph
from krypsis.data.graphs.neighborhoods import neighborhood_classes
from krypsis.errors import Infeasible, InternalError
from krypsis.models.base import PrivacyModel
from krypsis.models.graph_knowledge import NEIGHBORHOOD, CandidatesModel
from krypsis.models.k_degree_anonymity import KDegreeAnonymity
from krypsis.models.k_neighborhood_anonymity import KNeighborhoodAnonymity
from krypsis.progress import NO_PROGRESS, Progress

SMALL = 400
"""Up to so many vertices, more edits are tried near each."""
TINY = 24
"""Up to so many vertices, the search starts from the complete graph as well."""
STEPS_PER_VERTEX = 4
"""The search ends after 4·N·k steps; then what is left loses all edges."""
MOST_SETS = 1_000_000
"""How many sets of edits are tried where all are to be tried."""
MOST_WORK = 2_000_000
"""Up to this sum of squared degrees, edits are soon judged, and the search starts from the network as it is, too."""
MOST_ADDED_TO = 2000
"""Networks of more vertices are not made anonymous by additions alone: they would become nearly complete."""
COARSE = 0.1
"""How much a number of vertices and edges counts that nobody else's neighborhood has."""


@dataclass(frozen=True, eq=False)
class _Edited:
    """A graph that keeps the promise, and how it came about."""

    edges: IntArray
    columns: IntArray
    """Vertex → the column of its published label."""
    cost: float = np.inf
    """As the search knows it; infinite where it found nothing."""
    isolated: int = 0
    is_optimum: bool = False
    is_completed: bool = False
    figures: tuple[int, int] = (0, 0)
    """Steps of the search; vertices that lost edges one by one."""


class KNeighborhood(GraphMethod):
    """Edits edges and lifts labels until ``k`` vertices have each 1-neighborhood that occurs.

    Notes
    -----
    The costs are those of the paper, ``α Σ NCP + β (edges added + edges deleted) + γ (vertices pulled into a
    neighborhood)``, where NCP is the share of all labels that a lifted label stands for, and an added edge pulls each
    of its ends into the neighborhood of the other.

    Finding the cheapest edits is NP-hard. The paper makes neighborhoods of k vertices alike, pair by pair, and comes
    back to those that a later pair has changed; on real networks that does not end before the graph is complete. Here
    the classes of all vertices are known after each edit, and edits are judged by what they do to all of them. Vertices
    whose neighborhood is too rare are visited, those with most neighbors first; near each, edges, labels and whole
    components are tried, and the best is carried out if it is worth its cost. When nothing helps any more, vertices
    lose edges one by one until they look like others. After ``4·N·k`` steps, what is left loses all edges and gets the
    most general label; the result says so. Then needless edits are undone, and for a number of ``rounds`` the edits
    near a random vertex are sought anew. Small graphs are also tried from the complete graph, with less and less edges
    added; of tiny graphs, all cheaper sets of edits are tried.

    Neighborhoods of hundreds of vertices are like no other, and an edit of them takes long to judge. So another start
    is made by a rule that is cheap: of the edges of vertices with 10 neighbors or more, the one in most triangles is
    deleted, until their neighborhoods are stars; stars are grouped by their numbers of rays, at least k in a group, and
    brought to the median by moving rays. All else is searched for from there, with the most general labels and without
    rounds. Large networks, with a sum of squared degrees above two millions, are searched from there only.

    With ``allow_delete`` off, edges are only added; where the search ends without success, components become complete.
    That is what happens to most networks, so those of more than 2,000 vertices that need edges are refused.

    References
    ----------
    Zhou, Pei, "Preserving privacy in social networks against neighborhood attacks", ICDE 2008.

    Examples
    --------
    >>> star = Graph.of_codes(np.array([[0, 1], [0, 2], [0, 3], [0, 4]]), 5)
    >>> result = KNeighborhood().publish(GraphTask(star, [KNeighborhoodAnonymity(k=2)]), np.random.default_rng(1))
    >>> result.said[0]
    '0 edges were added and 3 edges were deleted.'
    """

    name: ClassVar[str] = "k-neighborhood"
    aliases: ClassVar[tuple[str, ...]] = ("k-neighbourhood",)
    scheme: ClassVar[str] = "edges"
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = (KNeighborhoodAnonymity, KDegreeAnonymity)
    needs: ClassVar[tuple[type[PrivacyModel], ...]] = (KNeighborhoodAnonymity,)
    guarantee: ClassVar[str] = (
        "Whoever knows a vertex, its neighbors, their published labels and which of them are connected finds at least "
        "k vertices that fit. Some edges are not real, and some real ones are missing. Nothing is promised about "
        "attackers who know more than direct neighbors, nor about whether two people are connected."
    )
    reference: ClassVar[str] = (
        "Zhou, Pei, Preserving privacy in social networks against neighborhood attacks, ICDE 2008"
    )

    alpha: float = Field(default=1.0, ge=0, allow_inf_nan=False, description="cost of a label that becomes the root")
    beta: float = Field(default=1.0, gt=0, allow_inf_nan=False, description="cost of an edge that is added or deleted")
    gamma: float = Field(
        default=0.0, ge=0, allow_inf_nan=False, description="cost of a vertex that is pulled into a neighborhood"
    )
    allow_delete: bool = Field(default=True, description="whether edges may be deleted")
    rounds: int = Field(
        default=30,
        ge=0,
        description="how often edits near a random vertex are undone and sought anew, but not in large networks",
    )
    optimal_up_to: int = Field(
        default=7, ge=0, le=8, description="up to so many vertices, all cheaper sets of edits are tried"
    )

    def publish(self, task: GraphTask, rng: np.random.Generator, progress: Progress = NO_PROGRESS) -> GraphResult:
        self.check(task)
        graph, k = task.graph, _promised(task)
        known = [name for name in task.schema.quasi_identifiers if name in graph.attributes.columns]
        labels = label_choices(graph.attributes, graph.vertices, known, task.hierarchies)
        if not self.allow_delete:
            _refuse_large(graph, labels, k)
        edited = self._edited(graph, labels, k, rng, progress)
        edited = _exact(graph, labels, edited, k, self.allow_delete)
        published = replace(
            graph.with_edges(edited.edges),
            attributes=labels.attributes(graph.attributes, edited.columns) if known else graph.attributes,
        )
        added, deleted = _edge_changes(graph, edited.edges)
        label_loss = float(labels.costs[labels.rows, edited.columns].sum())
        private = {
            "edges_added": added,
            "edges_deleted": deleted,
            "label_loss": label_loss,
            "cost": self.alpha * label_loss + self.beta * (added + deleted) + self.gamma * 2 * added,
            "steps": edited.figures[0],
            "peeled_vertices": edited.figures[1],
            "isolated_vertices": edited.isolated,
            "optimum": edited.is_optimum,
        }
        said = (*_sentences(added, deleted, labels, edited), *_about_types(graph))
        return GraphResult(published, np.arange(graph.vertices), said, private)

    def _edited(
        self, graph: Graph, labels: LabelChoices, k: int, rng: np.random.Generator, progress: Progress
    ) -> _Edited:
        """Return the cheapest of what is found from different starts.

        Labels start as they are, and at their most general; a tiny graph in addition as the complete graph. Networks
        with hubs start with stars as well, and large ones only so.
        """
        weights = np.array([self.alpha, self.beta, self.gamma])
        costs = (labels.rows, labels.codes, labels.costs, weights)
        has_hubs = self.allow_delete and int(graph.degrees.max(initial=0)) >= STAR
        if has_hubs and int((graph.degrees**2).sum()) > MOST_WORK:
            return self._from_stars(graph, costs, k, rng, progress)
        state = edited_graph(graph, *costs)
        original = saved(state)
        if graph.vertices <= self.optimal_up_to:
            # Rounds take longer than trying all that is cheaper than a first result.
            first = self._from_starts(state, graph, k, rng, progress, rounds=0)
            restore(state, original)
            if (best := self._optimum(state, first, k)).is_optimum:
                return best
            restore(state, original)
        best = self._from_starts(state, graph, k, rng, progress, self.rounds)
        if has_hubs:
            best = min(best, self._from_stars(graph, costs, k, rng, progress), key=lambda one: one.cost)
        if graph.vertices <= self.optimal_up_to:
            restore(state, original)
            return self._optimum(state, best, k)
        return best

    def _from_starts(
        self,
        state: EditableGraph,
        graph: Graph,
        k: int,
        rng: np.random.Generator,
        progress: Progress,
        rounds: int,
    ) -> _Edited:
        """Return the cheapest of what is found from the graph as it is, with general labels, and completed."""
        found = []
        original = saved(state)
        top = state.label_codes.shape[1] - 1
        for column, is_complete in sorted({(0, False), (top, False), (top, graph.vertices <= TINY)}):
            restore(state, original)
            _lift_all(state, column)
            if is_complete:
                _connect_all(state)
            found.append(self._searched(state, graph, k, rng, progress, rounds))
            if found[-1].cost <= self._least_cost(graph, k):
                break
        return min(found, key=lambda one: one.cost)

    def _from_stars(
        self,
        graph: Graph,
        costs: tuple[IntArray, IntArray, FloatArray, FloatArray],
        k: int,
        rng: np.random.Generator,
        progress: Progress,
    ) -> _Edited:
        """Return what is found if all labels are lifted and hubs are stars, which are left as they are if possible."""
        stars = with_stars(graph, k, rng)
        state = edited_graph(graph, *costs, graph.with_edges(stars.edges))
        _lift_all(state, state.label_codes.shape[1] - 1)
        state.settled[:] = stars.settled
        # What is undone near a hub is thousands of edits, so no round is worth its time.
        return self._searched(state, graph, k, rng, progress, rounds=0)

    def _searched(
        self, state: EditableGraph, graph: Graph, k: int, rng: np.random.Generator, progress: Progress, rounds: int
    ) -> _Edited:
        """Return what the local search finds, improved for some rounds."""
        moves = new_moves(int(rng.integers(1 << 62)), len(graph.edges))
        small = graph.vertices <= SMALL
        options = Options(
            k, self.allow_delete, 12 if small else 8, COARSE, STEPS_PER_VERTEX * graph.vertices * k, False
        )
        report = np.zeros(3, dtype=np.int64)
        repair(state, moves, options, report, progress)
        isolated, keeps, cost = int(report[ISOLATED]), state.energy[0] < NOTHING_LEFT, state.energy[2]
        best, least = saved(state), self._least_cost(graph, k)
        for _ in range(rounds if keeps else 0):
            if cost <= least or progress.wants_stop():
                break
            repair(state, moves, options._replace(shaken=True, steps=max(100, options.steps // 100)), report)
            if state.energy[0] < NOTHING_LEFT and state.energy[2] <= cost:
                best, cost = saved(state), state.energy[2]
            else:
                restore(state, best)
        restore(state, best)
        columns = state.labels % state.label_codes.shape[1]
        figures = (int(report[STEPS]), int(report[PEELED]))
        return _Edited(edges_of(state), columns, float(cost if keeps else np.inf), isolated, figures=figures)

    def _least_cost(self, graph: Graph, k: int) -> float:
        """Return what the edits cost at least: whose neighborhoods are alike have the same degree."""
        edits = -(-least_distance(graph.degrees, k) // 2)  # an edge counts for two degrees
        return self.beta * edits + NOTHING_LEFT

    def _optimum(self, state: EditableGraph, found: _Edited, k: int) -> _Edited:
        """Return the cheapest edits of a tiny graph, those that were found if none are cheaper."""
        edits = all_edits(state, self.allow_delete)
        chosen = np.zeros(len(edits) + 1, dtype=np.int64)
        limit = found.cost if np.isfinite(found.cost) else 1e18
        size, complete = cheapest_edits(state, edits, k, limit, MOST_SETS, chosen)
        if size < 0:
            return replace(found, is_optimum=bool(complete and np.isfinite(found.cost)))
        columns = np.zeros(len(state.begins), dtype=np.int64)
        pairs = {tuple(edge) for edge in edges_of(state).tolist()}
        for part, one, other in edits[chosen[:size]].tolist():
            if part == EDGE:
                pairs ^= {(one, other)}
            else:
                columns[one] = other
        edges = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
        return _Edited(edges, columns, is_optimum=bool(complete), figures=found.figures)


def _lift_all(state: EditableGraph, column: int) -> None:
    """Lift labels that are as in the data; classes have to be counted anew."""
    state.labels[:] += column
    state.shown[:] = state.label_codes.ravel()[state.labels]


def _connect_all(state: EditableGraph) -> None:
    """Make a graph complete that has room for every edge; its classes have to be counted anew."""
    vertices = np.arange(len(state.begins))
    state.ends[:] = state.begins + len(vertices) - 1
    others = np.broadcast_to(vertices, (len(vertices), len(vertices)))
    state.near[:] = others[others != vertices[:, None]]


def _promised(task: GraphTask) -> int:
    """Return the number of candidates that are promised to whoever knows neighborhoods, or less than that."""
    known = {"h0", "h1", NEIGHBORHOOD}
    return max(model.k for model in task.models if isinstance(model, CandidatesModel) and model.knowledge in known)


def _exact(graph: Graph, labels: LabelChoices, edited: _Edited, k: int, allow_delete: bool) -> _Edited:
    """Return the edits after an exact look at the classes: the search knows them by hashes.

    Vertices that are still too rare lose all edges, or their components become complete where edges must stay.
    """
    edges, columns = edited.edges, edited.columns.copy()
    top = labels.codes.shape[1] - 1
    isolated, completed = edited.isolated, edited.is_completed
    for _ in range(graph.vertices + 1):
        current = graph.with_edges(edges)
        rare = _rare(current, labels.codes[labels.rows, columns], k)
        if not rare.any():
            return replace(edited, edges=edges, columns=columns, isolated=isolated, is_completed=completed)
        if allow_delete:
            chosen = _to_isolate(current, rare, (current.degrees > 0) | (columns != top))
            edges = edges[~chosen[edges].any(axis=1)]
            isolated += int(chosen.sum())
        else:
            chosen, edges = _completed(current, rare, k)
            completed = True
        columns[chosen] = top
    raise InternalError("vertices with rare neighborhoods are left although all edges and labels were given up")


def _refuse_large(graph: Graph, labels: LabelChoices, k: int) -> None:
    """Raise where a large network needs edges, whatever becomes of its labels, and none may be deleted."""
    if graph.vertices <= MOST_ADDED_TO:
        return
    if rare := int(_rare(graph, labels.codes[labels.rows, -1], k).sum()):
        raise Infeasible(
            f"{rare:,} of {graph.vertices:,} vertices have a 1-neighborhood that fewer than {k} share, and additions "
            f"alone would make the network nearly complete; without deletions, at most {MOST_ADDED_TO:,} vertices are "
            "tried. Leave out allow_delete=false, or publish groups: supervertex-anonymity",
            {"rare vertices": rare},
        )


def _rare(graph: Graph, labels: IntArray, k: int) -> BoolArray:
    classes = neighborhood_classes(graph, labels)
    rare: BoolArray = np.bincount(classes)[classes] < k
    return rare


def _to_isolate(graph: Graph, rare: BoolArray, has_something: BoolArray) -> BoolArray:
    """Return the rare vertices, or the one with fewest neighbors where all of them have lost everything already."""
    if (rare & has_something).any():
        return rare & has_something
    chosen = np.zeros(graph.vertices, dtype=np.bool_)
    chosen[int(np.where(has_something, graph.degrees, graph.vertices).argmin())] = True
    return chosen


def _completed(graph: Graph, rare: BoolArray, k: int) -> tuple[BoolArray, IntArray]:
    """Return the vertices of all components with rare ones, and the edges that make them one complete graph.

    In a complete graph whose labels are all the same, all vertices look alike. If there are fewer than k, the smallest
    other component joins.
    """
    component = _components(graph)
    sizes = np.bincount(component)
    wanted = np.zeros(len(sizes), dtype=np.bool_)
    wanted[component[rare]] = True
    while sizes[wanted].sum() < k:
        wanted[int(np.where(wanted, graph.vertices + 1, sizes).argmin())] = True
    chosen = wanted[component]
    members = np.flatnonzero(chosen)
    pairs = members[np.stack(np.triu_indices(len(members), 1), axis=1)]
    return chosen, np.concatenate([graph.edges, pairs]).astype(np.int64)


def _components(graph: Graph) -> IntArray:
    from scipy.sparse import csr_array  # noqa: PLC0415  needed by a fallback only
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    shape = (graph.vertices, graph.vertices)
    matrix = csr_array((np.ones(len(graph.edges)), (graph.edges[:, 0], graph.edges[:, 1])), shape=shape)
    return connected_components(matrix, directed=False)[1].astype(np.int64)


def _edge_changes(graph: Graph, edges: IntArray) -> tuple[int, int]:
    """Return how many edges were added and deleted."""
    before = graph.edges.astype(np.int64) @ np.array([graph.vertices, 1])
    published = graph.with_edges(edges).edges.astype(np.int64) @ np.array([graph.vertices, 1])
    kept = len(np.intersect1d(before, published))
    return len(published) - kept, len(before) - kept


def _sentences(added: int, deleted: int, labels: LabelChoices, edited: _Edited) -> tuple[str, ...]:
    lifted = int((labels.costs[labels.rows, edited.columns] > 0).sum())
    said = [f"{_counted(added, 'edge')} added and {_counted(deleted, 'edge')} deleted."]
    if lifted:
        said.append(
            f"The {'labels' if lifted > 1 else 'label'} of {lifted:,} {'vertices' if lifted > 1 else 'vertex'} "
            f"{'were' if lifted > 1 else 'was'} generalized."
        )
    if edited.isolated:
        said.append(
            f"For {edited.isolated:,} vertices the search ended without finding others that look alike: they lost all "
            "edges and were given the most general label."
        )
    if edited.is_completed:
        said.append("The search ended without finding enough vertices that look alike: components became complete.")
    if edited.is_optimum:
        said.append("No cheaper edits keep the promise: all were tried.")
    return tuple(said)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun} was" if number == 1 else f"{number:,} {noun}s were"


def _about_types(graph: Graph) -> tuple[str, ...]:
    return ("Types of edges are not published.",) if graph.types else ()
