"""What is published of a graph: its vertices and edges, or super-vertices and super-edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from krypsis.arrays import IntArray
from krypsis.checker.base import Given, attribute_sets, names_of
from krypsis.checker.graphs import check_graph
from krypsis.data.graphs import ClusteredGraph, PublishedGraph
from krypsis.data.schema import Role, Schema
from krypsis.errors import InternalError
from krypsis.format.claims import Claims
from krypsis.format.files import DATA
from krypsis.format.graph_tables import (
    EDGES,
    SUPEREDGES,
    attribute_tables,
    tables_of_clusters,
    tables_of_graph,
)
from krypsis.kinds.graph.check import load_graph, roles_of_attributes
from krypsis.kinds.graph.summary import sections
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.models.mechanisms import MechanismRecord
from krypsis.release.publication import Publication, PublishedTable, columns_of

if TYPE_CHECKING:
    from krypsis.release.release import Release


@dataclass(frozen=True, eq=False, repr=False)
class GraphPublication(Publication):
    """A graph, or super-vertices; they have random numbers when it is made.

    The first table has a row for each vertex, or super-vertex; the edges, or super-edges, are in the second.
    """

    kind = "graph"
    is_shuffled = True
    is_tabular = False

    graph: PublishedGraph
    roles: Mapping[str, Role]
    """The roles of the attributes of vertices."""
    mechanism_record: MechanismRecord | None = None

    @cached_property
    def _tables(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        found = self.graph
        return tables_of_clusters(found) if isinstance(found, ClusteredGraph) else tables_of_graph(found)

    @property
    def table(self) -> pl.DataFrame:  # type: ignore[override]
        return self._tables[0]

    @cached_property
    def schema(self) -> Schema:  # type: ignore[override]
        return self._roles_in(self.table, {} if isinstance(self.graph, ClusteredGraph) else self.roles)

    @cached_property
    def further(self) -> Mapping[str, PublishedTable]:  # type: ignore[override]
        # An attribute may be called like a column of edges, which has no role.
        edges = PublishedTable(self._tables[1], self._roles_in(self._tables[1], {}))
        if not isinstance(self.graph, ClusteredGraph):
            return {EDGES: edges}
        counted = attribute_tables(self.graph)
        roles = {name: PublishedTable(table, self._roles_in(table, self.roles)) for name, table in counted.items()}
        return {SUPEREDGES: edges, **roles}

    @staticmethod
    def _roles_in(table: pl.DataFrame, roles: Mapping[str, Role]) -> Schema:
        return Schema.of({name: roles.get(name, Role.INSENSITIVE) for name in table.columns})

    @property
    def records(self) -> int:
        return self.graph.vertices

    @property
    def sensitive_names(self) -> tuple[str, ...]:
        return tuple(name for name, role in self.roles.items() if role is Role.SENSITIVE)

    @property
    def known_names(self) -> tuple[str, ...]:
        """The attributes that an attacker may know."""
        return tuple(name for name, role in self.roles.items() if role is Role.QUASI_IDENTIFIER)

    def tables(self) -> dict[str, pl.DataFrame]:
        return {DATA: self.table, **{name: found.table for name, found in self.further.items()}}

    def shuffled(self, order: IntArray, seed: str) -> Self:  # noqa: ARG002
        raise InternalError("vertices have random numbers when a graph is made; please report this")

    def claims(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "columns": columns_of(self.table, self.schema),
            "weights": {},
            "quasi_identifier_sets": (self.schema.quasi_identifiers,),
            "rows": self.table.height,
            "tables": {name: found.claim() for name, found in self.further.items()},
            "mechanism_record": self.mechanism_record,
        }

    def check(self, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
        known, sensitive = self.known_names, self.sensitive_names
        if given.quasi_identifiers is not None:
            known = tuple(name for names in attribute_sets(given.quasi_identifiers) for name in names)
        if given.sensitive is not None:
            sensitive = names_of(given.sensitive)
        return check_graph(self.graph, models, known=known, sensitive=sensitive, mechanism_record=self.mechanism_record)

    def summary(self, release: Release) -> Mapping[str, Iterable[str]]:
        return sections(release, self.graph)

    @classmethod
    def is_described_by(cls, claims: Claims) -> bool:
        return claims.kind == cls.kind

    @classmethod
    def of_files(cls, folder: Path, claims: Claims, schema: Schema) -> Self:  # noqa: ARG003  counted ones have a role, too
        return cls(load_graph(folder, claims), roles_of_attributes(claims), claims.mechanism_record)
