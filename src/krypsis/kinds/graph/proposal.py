"""The plan that is proposed for a graph, with what is in it."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from krypsis.io.dataset import Dataset
from krypsis.io.graphs import read_graph
from krypsis.io.yaml_file import entry, flow, scalar
from krypsis.kinds.base import PLAN_PLACE, ProposedPlan
from krypsis.kinds.graph.profile import GraphProfile, profile_graph
from krypsis.kinds.table.profile.column import profile_column
from krypsis.kinds.table.profile.propose import propose_hierarchy

USUAL_K = 10
SMALLEST = 4
TOO_SMALL = "the graph is too small to hide anybody; the proposed plan promises k=1, which protects nobody"


def propose_graph(file: Path, data: str, reading: Mapping[str, str | None]) -> ProposedPlan:
    """Return the plan that is proposed for the graph in a file; ``data`` is its path as seen from the plan."""
    read = {name: value for name, value in reading.items() if value is not None}
    vertices = read.pop("vertices", None)
    graph = read_graph(file, vertices=vertices, **read)
    profile = profile_graph(graph, file.name, shared_attributes(graph.attributes))
    return ProposedPlan(
        text=graph_plan_text(profile, data, graph.attributes, read, vertices, graph.types),
        profile=profile.view(),
        warnings=(*graph.simplified.sentences(), *([TOO_SMALL] if graph.vertices < SMALLEST else ())),
        look_at="what it promises",
        following=("run", PLAN_PLACE),
    )


def shared_attributes(attributes: pl.DataFrame) -> tuple[str, ...]:
    """Return the attributes that group vertices: those with nearly as many values as vertices name people.

    Examples
    --------
    >>> shared_attributes(pl.DataFrame({"name": ["ann", "bob", "cy", "di"], "job": ["cook", "cook", "smith", "smith"]}))
    ('job',)
    """
    return tuple(name for name in attributes.columns if attributes[name].n_unique() <= attributes.height // 2)


def graph_plan_text(
    profile: GraphProfile,
    data: str,
    attributes: pl.DataFrame,
    read: Mapping[str, str],
    vertices: str | None,
    types: tuple[str, ...],
) -> str:
    """Return the plan for a graph."""
    k = max(min(USUAL_K, profile.vertices // 2), 1)
    parts = [
        HEADER,
        "kind: graph",
        entry("data", f"{scalar(data)}   # {profile.vertices} vertices, {profile.edges} edges; relative to this file"),
        *([entry("read", flow(read))] if read else []),
        *([entry("vertices", scalar(vertices))] if vertices else []),
        _columns(attributes),
        _edges(types),
        "\n# Risk before: " + "\n# ".join(profile.sentences()),
        PROMISES.format(k=k),
        OUTPUT,
    ]
    return "\n".join(part for part in parts if part)


def _columns(attributes: pl.DataFrame) -> str:
    if not attributes.width:
        return NO_COLUMNS
    lines = [f"  {scalar(name)}: identifier{_as_known(attributes, name)}" for name in attributes.columns]
    return "\n".join([COLUMNS, *lines])


def _as_known(attributes: pl.DataFrame, name: str) -> str:
    """Return a comment with what the attribute would be if others knew it, where its values suggest a hierarchy."""
    proposed = proposed_hierarchy(attributes, name)
    return (
        "" if proposed == {"kind": "flat"} else f"   # or {flow({'role': 'quasi-identifier', 'hierarchy': proposed})}"
    )


def proposed_hierarchy(attributes: pl.DataFrame, name: str) -> Mapping[str, str | int | float]:
    """Return the hierarchy that is proposed for an attribute of vertices, as for a column of a table."""
    dataset = Dataset.of(attributes.select(name))
    return propose_hierarchy(profile_column(name, dataset.collect_texts(name)), dataset)


def _edges(types: tuple[str, ...]) -> str:
    if not types:
        return ""
    return f"\nedges:\n  sensitive: []   # types that nobody should learn, among: {', '.join(map(scalar, types))}"


HEADER = """\
# A plan for krypsis: a graph of people and the connections between them. Run it with 'krypsis run'.
# Lines that begin with # are comments.
"""

NO_COLUMNS = """
# Attributes of the vertices, if there are any: a table with one row per vertex, and the roles of its columns.
# vertices: people.csv
# columns:
#   job: {role: quasi-identifier, hierarchy: jobs.csv}   # known to an attacker
#   party: sensitive                                     # what nobody should learn"""

COLUMNS = """
# The role of each attribute of the vertices: identifiers are not published, quasi-identifiers are known to an attacker,
# sensitive is what nobody should learn, insensitive everything else. Change those that may be published. Values of a
# quasi-identifier are published as they are, or not at all, unless it has a hierarchy:
#   job: {role: quasi-identifier, hierarchy: jobs.csv}
columns:"""

PROMISES = """
# What the release must keep; 'krypsis models' lists all promises, 'krypsis explain NAME' explains one.
promises:
  - k-degree-anonymity:k={k}   # against who knows how many connections somebody has
  # - k-neighborhood-anonymity:k=5   # against who also knows which of the neighbors know each other
  # - supervertex-anonymity:k=10      # against any knowledge of the graph; publishes groups of vertices
  # - vertex-l-diversity:l=2          # with sensitive attributes: vertices that look alike differ in them

algorithm: auto     # the one for these promises; 'krypsis algorithms' lists all"""

OUTPUT = """
output:
  folder: release   # what may be published, relative to this file
  formats: [csv]    # csv, parquet
  report: true      # a page about the release, written next to the folder
"""
