"""How the checker reads graphs back: those of a release, and those of any tool."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.checker.base import Given, KindCheck, QuasiIdentifiers, attribute_sets, based_on, names_of, unique
from krypsis.checker.graph_tables import clustered_of_tables, graph_of_tables
from krypsis.checker.graphs import check_graph
from krypsis.data.graphs import PublishedGraph
from krypsis.data.graphs.graph import SOURCE, TARGET, VERTEX
from krypsis.data.schema import Role
from krypsis.errors import DataError, PromiseBroken, column_not_found
from krypsis.format.claims import Claims, PublishedColumn
from krypsis.format.files import DATA, read_data, read_tables
from krypsis.format.graph_tables import EDGES, SIZE, SUPEREDGES, SUPERVERTEX, attributes_of, is_attribute_table
from krypsis.models.base import Basis, PrivacyModel, Verdict
from krypsis.models.mechanisms import MechanismModel

KNOWN_EDGES = "the edges around a person, as far as each promise says"
VERTICES = "vertices"
"""The name of the table with the attributes of the vertices of another tool's graph."""


class GraphCheck(KindCheck):
    """Reads graphs, and graphs of super-vertices."""

    name = "graph"
    promise_kinds = ("graph",)
    judged_fields = frozenset({"tables", "mechanism_record"})
    publishes_figures = False  # all of them compare with the graph before
    gives_roles = True

    def check_files(
        self, folder: Path, claims: Claims, models: Sequence[PrivacyModel], given: Given
    ) -> tuple[Verdict, ...]:
        published = load_graph(folder, claims)
        known, hidden = _judged_on(claims, given.quasi_identifiers, given.sensitive)
        record = claims.mechanism_record
        return check_graph(published, models, known=known, sensitive=hidden, mechanism_record=record)

    def unjudged(self, claims: Claims, promises: Sequence[PrivacyModel]) -> Iterable[str]:
        if claims.mechanism_record is not None and not any(isinstance(one, MechanismModel) for one in promises):
            yield "how the graph was made by chance"

    def basis(
        self, claims: Claims, quasi_identifiers: QuasiIdentifiers | None, sensitive: Sequence[str] | None
    ) -> Basis:
        known, hidden = _judged_on(claims, quasi_identifiers, sensitive)
        rest = tuple(name for name in roles_of_attributes(claims) if name not in {*known, *hidden, SUPERVERTEX, SIZE})
        found = super().basis(claims, quasi_identifiers, sensitive)
        return found.model_copy(
            update={
                "quasi_identifiers": (known,) if known else (),
                "further_knowledge": KNOWN_EDGES,
                "sensitive": hidden,
                "not_judged": rest,
            }
        )

    def check_data(self, published: Any, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
        from krypsis.io.graphs import graph_of  # noqa: PLC0415  releases need no readers of other files

        vertices = (given.tables or {}).get(VERTICES)
        graph = graph_of(published, vertices=vertices, **given.named("delimiter", "encoding"))
        sets = () if given.quasi_identifiers is None else attribute_sets(given.quasi_identifiers)
        known = [name for names in sets for name in names]
        sensitive = names_of(given.sensitive)
        for name in (*known, *sensitive):
            if name not in graph.attributes.columns:
                raise column_not_found(name, graph.attributes.columns)
        rest = tuple(name for name in graph.attributes.columns if name not in {*known, *sensitive})
        sets = (tuple(known),) if known else ()
        basis = Basis(
            quasi_identifiers=sets, further_knowledge=KNOWN_EDGES, sensitive=tuple(sensitive), not_judged=rest
        )
        return based_on(basis, check_graph(graph, models, known=known, sensitive=sensitive))


def load_graph(folder: Path, claims: Claims) -> PublishedGraph:
    """Read a published graph from a folder, in whichever form it is published.

    Raises
    ------
    PromiseBroken
        if the files hold something else than the manifest says, or no graph.
    """
    vertices, tables = read_data(folder, claims), read_tables(folder, claims)
    counted = [name for name in tables if is_attribute_table(name)]
    kind = set(tables).difference(counted)
    if kind not in ({EDGES}, {SUPEREDGES}) or (counted and kind == {EDGES}):
        raise PromiseBroken(
            f"{folder} publishes the tables {', '.join(sorted(tables)) or 'none'} of a graph; expected {EDGES}, or "
            f"{SUPEREDGES} with counts of attributes, and nothing is known about others: do not trust this release"
        )
    _refuse_roles(folder, claims)
    if EDGES in tables and tables[EDGES].columns != [SOURCE, TARGET]:
        raise PromiseBroken(
            f"{folder} publishes {', '.join(tables[EDGES].columns)} of edges; expected {SOURCE} and {TARGET}, and no "
            "promise is judged on more: do not trust this release"
        )
    try:
        if EDGES in tables:
            found: PublishedGraph = graph_of_tables(vertices, tables[EDGES])
        else:
            counts = attributes_of([tables[name] for name in counted])
            found = clustered_of_tables(vertices, tables[SUPEREDGES], counts)
    except DataError as error:
        raise PromiseBroken(f"{folder} publishes no graph that can be read: {error}") from None
    _refuse_other_order(folder, {DATA: vertices, **tables})
    return found


def _refuse_other_order(folder: Path, tables: Mapping[str, pl.DataFrame]) -> None:
    """Raise unless all rows are in ascending order: any other could be the order of the data, and say who is who."""
    for name, table in tables.items():
        numbers = table.columns[: 2 if name in (EDGES, SUPEREDGES) else 1]
        texts = table.columns[1:2] if is_attribute_table(name) else []
        keys = table.select(pl.col(numbers).cast(pl.Int64), pl.col(texts).cast(pl.String))
        is_swapped = len(numbers) > 1 and bool((keys[SOURCE] > keys[TARGET]).any())
        if is_swapped or not keys.equals(keys.sort(keys.columns)):
            raise PromiseBroken(
                f"{folder}: the rows of {name} are not in ascending order, and another one may show the order of the "
                "data: do not trust this release"
            )


def _judged_on(
    claims: Claims, quasi_identifiers: QuasiIdentifiers | None, sensitive: Sequence[str] | str | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the attributes that an attacker knows, and those that are sensitive, as the manifest says unless given."""
    roles = roles_of_attributes(claims)
    sets = claims.quasi_identifier_sets if quasi_identifiers is None else attribute_sets(quasi_identifiers)
    known = [name for names in sets for name in names]
    if quasi_identifiers is None:
        known += [name for name, role in roles.items() if role is Role.QUASI_IDENTIFIER]
    hidden = [name for name, role in roles.items() if role is Role.SENSITIVE]
    return unique(known), unique(hidden) if sensitive is None else names_of(sensitive)


def roles_of_attributes(claims: Claims) -> dict[str, Role]:
    """Return the roles of the attributes of vertices, or of those that are counted for super-vertices."""
    columns = (*claims.columns, *_counted_columns(claims))
    return {column.name: column.role for column in columns if column.name != VERTEX}


def _counted_columns(claims: Claims) -> list[PublishedColumn]:
    """Return the columns of attributes in the tables that count their values."""
    tables = [table for name, table in claims.tables.items() if is_attribute_table(name)]
    return [column for table in tables for column in table.columns[1:2]]


def _refuse_roles(folder: Path, claims: Claims) -> None:
    """Raise if a number is said to be something that an attacker knows, or an attribute to name people."""
    counted = [column.name for column in _counted_columns(claims)]
    if len(set(counted)) < len(counted):
        raise PromiseBroken(f"{folder}: values of an attribute are counted in two tables; do not trust this release")
    for name, role in roles_of_attributes(claims).items():
        if role is Role.IDENTIFIER:
            raise PromiseBroken(f"{folder}: {name} is published, and names people: do not trust this release")
    numbers = [column for column in claims.columns if column.name in (VERTEX, SUPERVERTEX, SIZE)]
    for name, table in claims.tables.items():
        if is_attribute_table(name) and len(table.columns) != 3:
            raise PromiseBroken(f"{folder}: {name} must have three columns, got {len(table.columns)}")
        numbers += [one for place, one in enumerate(table.columns) if not (is_attribute_table(name) and place == 1)]
    for column in numbers:
        if column.role is not Role.INSENSITIVE:
            raise PromiseBroken(
                f"{folder}: the manifest gives {column.name} the role {column.role.value}, and it has none"
            )
