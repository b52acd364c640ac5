"""Graphs as a kind of data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from krypsis.kinds.base import Demo, Kind
from krypsis.kinds.counting import CountAnswer, Where

if TYPE_CHECKING:
    from krypsis.kinds.base import ProposedPlan
    from krypsis.kinds.graph.findings import GraphFacts
    from krypsis.kinds.graph.plan import GraphPlan
    from krypsis.plan import Plan
    from krypsis.release.dossier import Dossier
    from krypsis.release.release import Release
    from krypsis.report.blocks import Report

GRAPH_PACKAGES = ("networkx", "rustworkx", "igraph", "networkit", "scipy")


class GraphKind(Kind):
    """People and the connections between them, such as friendships or messages."""

    name = "graph"
    title = "a graph: people and the connections between them"
    model_kinds = ("graph",)
    question = "graph"
    suggests_algorithms = False  # 'auto' finds the one for the promises

    compares_attacks = True

    reading = ("delimiter", "encoding", "vertices", "source", "target", "type")
    reading_files = ("vertices",)
    reads_like_table = False

    def propose(self, file: Path, data: str, reading: Mapping[str, str | None]) -> ProposedPlan:
        from krypsis.kinds.graph.proposal import propose_graph  # noqa: PLC0415  names alone need no frames

        return propose_graph(file, data, reading)

    def recognizes_file(self, file: Path) -> bool:
        from krypsis.io.graphs import looks_like_graph  # noqa: PLC0415

        return looks_like_graph(file)

    def facts(self, plan: Plan) -> GraphFacts:
        from krypsis.kinds.graph.findings import GraphFacts  # noqa: PLC0415  questions alone need no arrays
        from krypsis.kinds.graph.plan import GraphPlan  # noqa: PLC0415

        return GraphFacts(GraphPlan.require(plan).read_data())

    def facts_of_file(self, file: Path) -> GraphFacts:
        from krypsis.io.graphs import read_graph  # noqa: PLC0415
        from krypsis.kinds.graph.findings import GraphFacts  # noqa: PLC0415  questions alone need no arrays

        return GraphFacts(read_graph(file))

    def next_models(self, usual: Sequence[str]) -> Sequence[str]:  # noqa: ARG002  those are for tables
        return ("k-degree-anonymity",)

    def recognizes(self, data: object) -> bool:
        from krypsis.data.graphs import Graph  # noqa: PLC0415  names alone need no arrays
        from krypsis.io.graphs.packages import package_of  # noqa: PLC0415

        # Frames and arrays are tables unless somebody says that they are graphs.
        return isinstance(data, Graph) or package_of(data) in GRAPH_PACKAGES

    def plan_of(self, **keywords: Any) -> GraphPlan:
        from krypsis.kinds.graph.plan import GraphPlan  # noqa: PLC0415  names alone need no methods

        return GraphPlan.of_keywords(**keywords)

    def with_before(self, release: Release, folder: Path, plan: Plan) -> Release:
        from krypsis.kinds.graph.make import with_graph_before  # noqa: PLC0415  names alone need no methods
        from krypsis.kinds.graph.plan import GraphPlan  # noqa: PLC0415

        return with_graph_before(release, folder, GraphPlan.require(plan).bind(plan.read_data()))

    def unprotected(self, release: Release) -> object:
        from krypsis.attacks.graphs.base import GraphTarget  # noqa: PLC0415  names alone need no arrays

        target = GraphTarget.of(release)
        return None if target is None else target.before()

    def count(self, release: Release, where: Where, domains: Mapping[str, object]) -> CountAnswer:  # noqa: ARG002
        from krypsis.kinds.graph.counts import count_in_release  # noqa: PLC0415  names alone need no arrays

        return count_in_release(release, where)

    def true_count(self, original: Any, where: Where) -> int:
        from krypsis.kinds.graph.counts import true_count  # noqa: PLC0415  names alone need no arrays

        return true_count(original, where)

    def demo(self) -> Demo:
        from krypsis.kinds.graph.demo import demo  # noqa: PLC0415  names alone need no frames

        return demo()

    def report(self, made: Any, name: str = "", dossier: Dossier | None = None) -> Report:
        from krypsis.kinds.graph.report import graph_report  # noqa: PLC0415  names alone need no frames

        return graph_report(made, name, dossier)
