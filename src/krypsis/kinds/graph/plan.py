"""The plan of a graph: how to read it, the roles of the attributes of its vertices, and which edges are sensitive."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import polars as pl
from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticKnownError

from krypsis import registry
from krypsis.algorithms.graphs.base import GraphMethod
from krypsis.checker.base import Given
from krypsis.data.graphs import Graph
from krypsis.data.hierarchies import resolve
from krypsis.data.schema import Role, Schema
from krypsis.errors import UsageError, column_not_found, did_you_mean
from krypsis.io.graphs import graph_of
from krypsis.io.texts import text_of
from krypsis.kinds.graph.make import GraphReleaseTask
from krypsis.kinds.table.plan import PlanColumn
from krypsis.kinds.table.task import check_hierarchies
from krypsis.models.base import PrivacyModel
from krypsis.models.edge_confidence import EdgeConfidence
from krypsis.models.vertex_l_diversity import VertexLDiversity
from krypsis.plan.plan import Plan, PlanPart, Read, TableGiven

USUAL_METHODS = ("k-degree", "k-neighborhood", "vertex-clustering", "private-degrees")
"""What is tried for promises, in this order: the least changed graph first."""


class GraphRead(Read):
    """How to read a graph."""

    format: str | None = Field(default=None, description="the format of the file, if not found by itself")
    source: str | None = Field(default=None, description="for edges in a table: the column of one end")
    target: str | None = Field(default=None, description="for edges in a table: the column of the other end")
    type: str | None = Field(default=None, description="for edges in a table: the column of their types")
    visible: str | tuple[str, ...] | None = Field(
        default=None,
        description="for edges in a table: the column, or the two, that say whether an end allows the edge",
    )


class PlanEdges(PlanPart):
    """What a plan says about edges."""

    sensitive: tuple[str, ...] = Field(default=(), description="types of edges that nobody should learn")


class GraphPlan(Plan):
    """What is wanted of a graph.

    Examples
    --------
    >>> plan = GraphPlan(promises=["k-degree-anonymity:k=2"])
    >>> plan.bind(Graph.of_edges([("ann", "bob"), ("bob", "cy"), ("cy", "dan")])).release().records
    4
    """

    about: ClassVar[str] = "a graph"

    kind: Literal["graph"] = "graph"
    read: GraphRead = GraphRead()
    vertices: TableGiven = Field(
        default=None, repr=False, description="a table with the attributes of the vertices, relative to the plan"
    )
    columns: dict[str, PlanColumn] = Field(
        default_factory=dict, description="the attributes of vertices with their roles; others are not published"
    )
    edges: PlanEdges = Field(default=PlanEdges(), description="what is known about the edges")

    @field_validator("promises")
    @classmethod
    def _promise_something(cls, value: tuple[object, ...], info: ValidationInfo) -> tuple[object, ...]:
        if not value and info.context is not None and info.data.get("algorithm", "auto") == "auto":
            raise PydanticKnownError("too_short", {"field_type": "List", "min_length": 1, "actual_length": 0})
        return value

    @classmethod
    def of_keywords(
        cls,
        *,
        promises: Sequence[Any],
        roles: Mapping[str, str] | None = None,
        hierarchies: Mapping[str, Any] | None = None,
        algorithm: Any = "auto",
        sensitive_edges: Sequence[str] = (),
        **of_others: object,
    ) -> Self:
        """Return the plan that the keywords of :func:`krypsis.anonymize` describe.

        Raises
        ------
        UsageError
            if a keyword is given that has no meaning for graphs.
        """
        for name in of_others:
            raise UsageError(f"{name} has no meaning for a graph; leave it out")
        if isinstance(sensitive_edges, str) or not isinstance(sensitive_edges, Iterable):
            raise UsageError(f"sensitive_edges must be a list of types of edges, got {sensitive_edges!r}")
        schema = Schema.of(roles or {})
        check_hierarchies(dict(hierarchies or {}), schema)
        columns = {
            name: {"role": role, "hierarchy": (hierarchies or {}).get(name)} for name, role in schema.roles.items()
        }
        edges = PlanEdges(sensitive=tuple(map(str, sensitive_edges)))
        return cls.of_objects(columns=columns, edges=edges, promises=tuple(promises), algorithm=algorithm)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        yield from super().__repr_args__()
        yield "columns", {name: column.role.value for name, column in self.columns.items()}

    def check(self) -> None:
        """Raise where promises or algorithm are wrong in themselves."""
        self.method()

    def read_data(self) -> Graph:
        """Read the graph with the attributes of its vertices."""
        return graph_of(self.data_path, vertices=self._vertices(), **self._reading())

    @property
    def attribute_columns(self) -> Mapping[str, PlanColumn]:
        """What the plan says about the attributes of vertices."""
        return self.columns

    def attribute_table(self) -> pl.DataFrame:
        """Read the graph, and return the attributes of its vertices."""
        return self.read_data().attributes

    def _reading(self) -> dict[str, Any]:
        given = {name: value for name, value in self.read.model_dump().items() if value is not None}
        if "sheet" in given:
            raise UsageError("a graph is not read from a sheet; write its edges to a CSV file, and leave out the sheet")
        return given

    def _vertices(self) -> Any:
        return self.folder / self.vertices if isinstance(self.vertices, str) else self.vertices

    def models(self) -> list[PrivacyModel]:
        """Return what is promised.

        Raises
        ------
        UsageError
            if a promise is not about graphs.
        """
        models = super().models()
        for model in models:
            if model.kind != self.kind:
                known = [name for name, cls in registry.classes("model").items() if cls.kind == self.kind]
                raise UsageError(f"{model.spec} is not about graphs; promises about them: {', '.join(known)}")
        return models

    def method(self) -> GraphMethod:
        """Return the method that was asked for, or the one for these promises."""
        models = self.models()
        named = self._usual(models) if self.algorithm == "auto" else self.algorithm
        found = registry.create("algorithm", named)
        if not isinstance(found, GraphMethod):
            known = [name for name, cls in registry.classes("algorithm").items() if issubclass(cls, GraphMethod)]
            raise UsageError(f"{found.name} is not for graphs; methods for them: {', '.join(known)}")
        return found

    def _usual(self, models: Sequence[PrivacyModel]) -> str:
        """Return the first method that keeps all promises; diversity every method keeps, confidence is checked."""
        wanted = [model for model in models if not isinstance(model, VertexLDiversity | EdgeConfidence)]
        if not wanted:
            raise UsageError(
                "no promise says how many vertices must look alike; add one, such as 'k-degree-anonymity:k=10'"
            )
        keeps = {name: registry.find("algorithm", name).keeps for name in USUAL_METHODS}
        found = next((name for name in USUAL_METHODS if all(isinstance(one, keeps[name]) for one in wanted)), None)
        if found is None:
            raise UsageError(f"no method keeps {' and '.join(model.spec for model in wanted)} together")
        return found

    def known_roles(self, models: Sequence[PrivacyModel], *, is_release: bool) -> Given:  # noqa: ARG002
        """Return the attributes of vertices that an attacker knows, and those that nobody should learn."""
        schema = Schema.of({name: column.role for name, column in self.columns.items()})
        return Given(schema.quasi_identifiers or None, schema.sensitive)

    def bind(self, data: Any) -> GraphReleaseTask:
        """Return the plan together with a graph."""
        graph = data if isinstance(data, Graph) else graph_of(data, vertices=self._vertices(), **self._reading())
        schema = Schema.of({name: column.role for name, column in self.columns.items()})
        for name in schema.roles:
            if not graph.attributes.width:
                raise UsageError(
                    f"the role of {name!r} is given, and the vertices have no attributes; give a table with one row "
                    "per vertex ('vertices' in a plan and of krypsis.Graph.read), or leave the role out"
                )
            if name not in graph.attributes.columns:
                raise column_not_found(name, graph.attributes.columns)
        for name in self.edges.sensitive:
            if name not in graph.types:
                raise UsageError(
                    f"no edge has the sensitive type {name!r}; types: {', '.join(graph.types) or 'none'}."
                    f"{did_you_mean(name, graph.types)}"
                )
        hierarchies = {
            name: resolve(
                column.hierarchy, text_of(graph.attributes[name]).unique().sort().to_list(), name, self.folder
            )
            for name, column in self.columns.items()
            if column.role is Role.QUASI_IDENTIFIER
        }
        return GraphReleaseTask(
            graph=graph,
            models=self.models(),
            schema=schema,
            hierarchies=hierarchies,
            sensitive_types=frozenset(self.edges.sensitive),
            method=self.method(),
            hierarchy_specs={name: self.columns[name].hierarchy for name in hierarchies},
        )
