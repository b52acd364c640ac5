"""Private degrees: a graph drawn from degrees with noise, ε-edge-differentially private."""

from typing import ClassVar

import numpy as np

from krypsis.algorithms.graphs.base import GraphMethod, GraphResult, GraphTask
from krypsis.algorithms.graphs.edited_graph import EditedGraph, edited_graph, is_adjacent, toggle
from krypsis.algorithms.tables.mechanisms.budget import PrivacyBudget, spend
from krypsis.algorithms.tables.mechanisms.noise import RandomSource
from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.graphs import Graph
from krypsis.errors import InternalError
from krypsis.kernels._jit import compiled
from krypsis.models.base import PrivacyModel
from krypsis.models.edge_differential_privacy import SENSITIVITY, EdgeDifferentialPrivacy
from krypsis.models.mechanisms import MechanismRecord
from krypsis.progress import NO_PROGRESS, Progress

UNPREDICTABLE = RandomSource()
MOST_TRIES = 50
"""How many edges are tried to take up a loop or a double edge, before it is left out."""


def nearest_ascending(numbers: IntArray) -> FloatArray:
    """Return the ascending sequence nearest to some numbers, in squares (isotonic regression).

    Examples
    --------
    >>> nearest_ascending(np.array([1, 4, 2, 9])).tolist()
    [1.0, 3.0, 3.0, 9.0]
    """
    from scipy.optimize import isotonic_regression  # noqa: PLC0415  loaded only where it is needed

    return np.asarray(isotonic_regression(numbers.astype(np.float64)).x)


def plausible_degrees(noisy: IntArray) -> IntArray:
    """Return degrees that a graph may have from sorted degrees with noise: ascending, from 0 to n - 1, an even sum.

    Only noisy numbers are looked at, so this costs no privacy.

    References
    ----------
    Hay, Rastogi, Miklau, Suciu, "Boosting the accuracy of differentially private histograms through consistency",
    PVLDB 3(1), 2010.
    """
    degrees = np.clip(np.rint(nearest_ascending(noisy)), 0, len(noisy) - 1).astype(np.int64)
    if degrees.sum() % 2:
        # An odd sum has an odd degree, which is not 0.
        degrees[np.argmax(degrees % 2)] -= 1
    return degrees


def random_graph(degrees: IntArray, rng: np.random.Generator) -> Graph:
    """Return a graph with about these degrees: the configuration model, without loops and double edges.

    All ends of edges are paired by chance. A loop or double edge is then switched with other edges; where none fits, or
    no graph has such degrees, it is left out.

    Examples
    --------
    >>> random_graph(np.array([1, 1, 2, 2, 2, 2]), np.random.default_rng(1)).degrees.tolist()
    [1, 1, 2, 2, 2, 2]
    """
    n = len(degrees)
    ends = rng.permutation(np.repeat(np.arange(n), degrees)).reshape(-1, 2)
    low, high = ends.min(axis=1), ends.max(axis=1)
    _, firsts = np.unique(low * n + high, return_index=True)
    is_good = np.zeros(len(ends), dtype=np.bool_)
    is_good[firsts] = True
    is_good &= low != high
    bad = np.flatnonzero(~is_good)
    # A graph without edges, to which all good ones are added.
    empty = edited_graph(np.zeros(n + 1, dtype=np.int64), np.empty(0, dtype=np.int32), len(ends) + 2 * len(bad))
    drawn = rng.integers(0, max(len(ends), 1), (len(bad), MOST_TRIES))
    repaired = repair_pairs(empty, ends, is_good, bad, drawn)
    return Graph.of_codes(ends[repaired], n)


@compiled
def repair_pairs(graph: EditedGraph, ends: IntArray, is_good: BoolArray, bad: IntArray, drawn: IntArray) -> BoolArray:
    """Switch bad pairs with good ones that were drawn, so that no loop or double edge is left; say which are good."""
    for place in range(len(ends)):
        if is_good[place]:
            toggle(graph, ends[place, 0], ends[place, 1])
    for place in range(len(bad)):
        u, v = ends[bad[place], 0], ends[bad[place], 1]
        for other in drawn[place]:
            x, y = ends[other, 0], ends[other, 1]
            if not is_good[other] or x in (u, v) or y in (u, v):
                continue
            if is_adjacent(graph, u, x) or is_adjacent(graph, v, y):
                continue
            toggle(graph, x, y)
            toggle(graph, u, x)
            toggle(graph, v, y)
            ends[bad[place], 1] = x
            ends[other, 0] = v
            is_good[bad[place]] = True
            break
    return is_good


class PrivateDegrees(GraphMethod):
    """Adds noise to the degrees and publishes a random graph that has about these; no edge is taken from the data.

    Notes
    -----
    One edge more or less changes two degrees by one, so whole numbers from the discrete Laplace distribution of scale
    ``2 / ε`` are added to the sorted degrees. They are known to ascend: the ascending sequence nearest to the noisy one
    has much less error. From it, a graph is drawn by the configuration model. All that comes after the noise looks at
    noisy numbers only and costs no privacy; so no chance comes from the seed, which may depend on the data. The number
    of vertices is public. Attributes are not published: no vertex belongs to anybody.

    References
    ----------
    Hay, Li, Miklau, Jensen, "Accurate estimation of the degree distribution of private networks", ICDM 2009. Molloy,
    Reed, "A critical point for random graphs with a given degree sequence", 1995 (configuration model).

    Examples
    --------
    >>> ring = Graph.of_codes(np.stack([np.arange(50), np.arange(1, 51) % 50], axis=1), 50)
    >>> task = GraphTask(ring, [EdgeDifferentialPrivacy(epsilon=1)])
    >>> result = PrivateDegrees().publish(task, np.random.default_rng(1))
    >>> result.published.vertices, set(result.places.tolist()), result.mechanism_record.spent[0].scale
    (50, {-1}, 2.0)
    """

    name: ClassVar[str] = "private-degrees"
    scheme: ClassVar[str] = "mechanism"
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = (EdgeDifferentialPrivacy,)
    needs: ClassVar[tuple[type[PrivacyModel], ...]] = (EdgeDifferentialPrivacy,)
    guarantee: ClassVar[str] = (
        "No published edge was taken from the data: random noise was added to the degrees, and a random graph with "
        "such degrees was drawn. One edge more or less makes hardly a difference. Of the structure only the degrees "
        "are left; somebody with many edges is protected less; and every further release about the same graph adds to "
        "what is spent."
    )
    reference: ClassVar[str] = (
        "Hay, Li, Miklau, Jensen, Accurate estimation of the degree distribution of private networks, ICDM 2009"
    )

    def publish(self, task: GraphTask, rng: np.random.Generator, progress: Progress = NO_PROGRESS) -> GraphResult:  # noqa: ARG002  see the notes
        self.check(task)
        return self.draw(task, UNPREDICTABLE)

    def draw(self, task: GraphTask, source: RandomSource) -> GraphResult:
        """Return what is published, by random bits from a source."""
        promise = task.promise(EdgeDifferentialPrivacy)
        if promise is None:
            raise InternalError("a graph was to be drawn without a promise")
        budget = PrivacyBudget(promise.epsilon)
        noise, spending = spend(budget, "the degrees", "laplace", SENSITIVITY)
        ascending = np.sort(task.graph.degrees)
        noisy = ascending + np.array([noise.draw(source) for _ in range(len(ascending))], dtype=np.int64)
        degrees = plausible_degrees(noisy)
        own_rng = np.random.default_rng(source.below(2**128))
        # In random order: whatever vertices are renumbered by later, maybe by chance that depends on the data, the
        # numbers say nothing.
        published = random_graph(own_rng.permutation(degrees), own_rng)
        record = MechanismRecord(publishes="graph", unit="one edge", domains={}, spent=(spending,))
        said = (
            f"{len(published.edges):,} edges were drawn by chance, from degrees with noise and nothing else.",
            "Attributes are not published: no vertex of the published graph belongs to anybody.",
        )
        left_out = int(degrees.sum()) // 2 - len(published.edges)
        private = {"budget": budget.ledger(), "pairs_left_out": left_out}
        places = np.full(task.graph.vertices, -1, dtype=np.int64)
        return GraphResult(published, places, said, private, record)
