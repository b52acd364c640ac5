"""What a graph says about the questions of the advisor."""

from dataclasses import dataclass

from krypsis.data.graphs import Graph
from krypsis.kinds.base import DataEvidence, DataFacts, Finding
from krypsis.plan import Plan


@dataclass(frozen=True)
class GraphFacts(DataFacts):
    """A graph, which answers the question what kind of data it is; what an attacker knows, it cannot say.

    Examples
    --------
    >>> GraphFacts(Graph.of_edges([("ann", "bob")])).evidence.findings["graph"].answer
    'yes'
    """

    graph: Graph

    @property
    def evidence(self) -> DataEvidence:
        """What the graph says about the questions."""
        figures = {"vertices": self.graph.vertices, "edges": len(self.graph.edges)}
        return DataEvidence({"graph": Finding("yes", "graph", figures)})

    def data_for(self, plan: Plan) -> Graph:  # noqa: ARG002  every plan is about the same graph
        return self.graph
