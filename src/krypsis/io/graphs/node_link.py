"""Node-link JSON, as networkx and D3 write it."""

import json
from collections.abc import Mapping
from typing import Any

from krypsis.errors import DataError
from krypsis.io.graphs.edge_table import EdgeTable, frame_of_records, series_of
from krypsis.io.source import TextSource

NODES, LINKS = "nodes", ("links", "edges")
NAMES = ("id", "name", "key")
EXPECTED = '{"nodes": [{"id": …}, …], "links": [{"source": …, "target": …}, …]}'


def read_node_link(source: TextSource) -> EdgeTable:
    """Return the edges and vertices of a JSON file with ``nodes``, and ``links`` or ``edges`` between them.

    Links name nodes by their ids; where nodes have none, by their place in the list, from 0.

    Raises
    ------
    DataError
        if the file is something else, or a link names a node that is not listed.
    """
    where = source.path.name
    try:
        document = json.loads(source.text())
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} is not JSON: {error}") from error
    links = next((key for key in LINKS if isinstance(document, Mapping) and isinstance(document.get(key), list)), None)
    if links is None or not isinstance(document.get(NODES), list):
        raise DataError(f"{where} is not node-link JSON; expected {EXPECTED}")
    nodes = [dict(one) if isinstance(one, Mapping) else {"id": one} for one in document[NODES]]
    edges = [_link(one, where) for one in document[links]]
    key = next((name for name in NAMES if all(name in node for node in nodes)), None)
    names = [node.pop(key) if key else place for place, node in enumerate(nodes)]
    texts = [_name(name) for name in names]
    known = dict(zip(texts, texts, strict=True))
    if key != "id" and not all(_name(edge[end]) in known for edge in edges for end in ("source", "target")):
        known = {str(place): text for place, text in enumerate(texts)}
    ends: tuple[list[str], list[str]] = ([], [])
    for edge in edges:
        for end, column in zip(("source", "target"), ends, strict=True):
            name = _name(edge.pop(end))
            if name not in known:
                raise DataError(f"{where}: a link names the node {name[:40]!r}, and no node has that id")
            column.append(known[name])
    first, second = (series_of(name, column) for name, column in zip(("source", "target"), ends, strict=True))
    columns = frame_of_records(first, edges).drop("source")
    vertices = frame_of_records(series_of("vertex", texts), nodes)
    return EdgeTable(where, first, second, columns, (), vertices, bool(document.get("directed", False)))


def _link(one: Any, where: str) -> dict[str, Any]:
    if not isinstance(one, Mapping) or "source" not in one or "target" not in one:
        raise DataError(f"{where}: a link needs source and target, got {one!r:.60}")
    return dict(one)


def _name(value: Any) -> str:
    return str(value.get("id", value)) if isinstance(value, Mapping) else str(value)
