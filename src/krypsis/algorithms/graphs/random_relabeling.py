"""Random relabeling: names are taken away, and nothing else."""

from dataclasses import replace
from typing import ClassVar

import numpy as np

from krypsis.algorithms.graphs.base import GraphMethod, GraphResult, GraphTask
from krypsis.models.base import PrivacyModel
from krypsis.progress import NO_PROGRESS, Progress


class RandomRelabeling(GraphMethod):
    """Publishes the graph as it is, with random numbers instead of names.

    Notes
    -----
    This is what is often called an anonymized network. Whoever knows a little about the edges of somebody finds them
    again, so it is meant for comparison only.

    References
    ----------
    Backstrom, Dwork, Kleinberg, "Wherefore art thou R3579X? Anonymized social networks, hidden patterns, and structural
    steganography", WWW 2007.

    Examples
    --------
    >>> from krypsis.data.graphs import Graph
    >>> path = Graph.of_edges([("ann", "bob"), ("bob", "cy")])
    >>> result = RandomRelabeling().publish(GraphTask(path, []), np.random.default_rng(1))
    >>> result.published, result.published.names, sorted(result.places.tolist())
    (Graph(3 vertices; 2 edges), None, [0, 1, 2])
    """

    name: ClassVar[str] = "random-relabeling"
    scheme: ClassVar[str] = "relabeling"
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = ()
    guarantee: ClassVar[str] = (
        "Nothing is promised. Names are gone, and all edges are as they were: whoever knows a few edges of somebody "
        "may find that person's vertex."
    )
    reference: ClassVar[str] = "Backstrom, Dwork, Kleinberg, Wherefore art thou R3579X?, WWW 2007"

    def publish(
        self,
        task: GraphTask,
        rng: np.random.Generator,
        progress: Progress = NO_PROGRESS,  # noqa: ARG002  soon done
    ) -> GraphResult:
        self.check(task)
        order = rng.permutation(task.graph.vertices)
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        said = ("No edge was changed: this protects from nothing but reading names.",)
        return GraphResult(replace(task.graph.renumbered(order), names=None), places, said)
