"""GraphML files."""

from collections.abc import Callable
from typing import Any
from xml.parsers import expat

from krypsis.errors import DataError
from krypsis.io.graphs.edge_table import EdgeTable, frame_of_records, series_of
from krypsis.io.source import TextSource

KINDS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "long": int,
    "float": float,
    "double": float,
    "boolean": lambda text: text.lower() in {"true", "1"},
}


def read_graphml(source: TextSource) -> EdgeTable:
    """Return the edges and vertices of a GraphML file; vertices are called by their ids.

    Raises
    ------
    DataError
        if the file is not GraphML, has hyperedges, or an edge names a vertex that is not listed.

    References
    ----------
    Brandes, Eiglsperger, Herman, Himsolt, Marshall, "GraphML progress report", Graph Drawing 2001.
    """
    where = source.path.name
    # What was encoded otherwise has been decoded, whatever the declaration of the file says.
    reader = _Reader(where, None if source.encoding in {"utf-8", "ascii"} else "utf-8")
    try:
        reader.parser.Parse(source.data if source.data is not None else source.head(-1), True)
    except expat.ExpatError as error:
        raise DataError(f"{where} is not GraphML: {error}") from error
    if not reader.has_graph:
        raise DataError(f"{where} holds no graph; a GraphML file has <graph> with <node> and <edge>")
    known = set(reader.nodes)
    if strangers := [end for column in reader.ends for end in column if end not in known]:
        raise DataError(f"{where}: an edge names the node {strangers[0][:40]!r}, and no node has that id")
    first, second = (series_of(name, ends) for name, ends in zip(("source", "target"), reader.ends, strict=True))
    columns = frame_of_records(first, reader.edge_data).drop("source")
    vertices = frame_of_records(series_of("vertex", reader.nodes), reader.node_data)
    return EdgeTable(where, first, second, columns, (), vertices, reader.is_directed)


class _Reader:
    """Hears of the elements of the file one after the other."""

    def __init__(self, where: str, encoding: str | None) -> None:
        self.where = where
        self.has_graph = self.is_directed = False
        self.nodes: list[str] = []
        self.node_data: list[dict[str, Any]] = []
        self.ends: tuple[list[str], list[str]] = ([], [])
        self.edge_data: list[dict[str, Any]] = []
        self._keys: dict[str, tuple[str, str, str]] = {}
        self._defaults: dict[str, dict[str, Any]] = {"node": {}, "edge": {}}
        self._key: str | None = None
        self._text: list[str] = []
        self._owner: dict[str, Any] | None = None
        self.parser = expat.ParserCreate(encoding, namespace_separator=" ")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.EntityDeclHandler = self._entity
        self.parser.buffer_text = True

    def _entity(self, *_: object) -> None:
        raise DataError(f"{self.where} declares entities of its own, which may unpack without end; write them out")

    def _start(self, element: str, given: dict[str, str]) -> None:
        name = element.rpartition(" ")[2]
        if name == "graph":
            if self.has_graph:
                raise DataError(f"{self.where} holds several graphs, or one inside another; expected one graph")
            self.has_graph, self.is_directed = True, given.get("edgedefault") == "directed"
        elif name == "node":
            self.nodes.append(self._needed(given, "id", name))
            self._owner = dict(self._defaults["node"])
            self.node_data.append(self._owner)
        elif name == "edge":
            for end, column in zip(("source", "target"), self.ends, strict=True):
                column.append(self._needed(given, end, name))
            self.is_directed = self.is_directed or given.get("directed") == "true"
            self._owner = dict(self._defaults["edge"])
            self.edge_data.append(self._owner)
        elif name == "hyperedge":
            raise DataError(f"{self.where} has hyperedges, which join more than two vertices; expected edges alone")
        elif name == "key":
            self._key = self._needed(given, "id", name)
            self._keys[self._key] = (
                given.get("attr.name", self._key),
                given.get("attr.type", ""),
                given.get("for", ""),
            )
        elif name == "data":
            self._key = self._needed(given, "key", name)
            self._text = []
        elif name == "default":
            self._text = []

    def _end(self, element: str) -> None:
        name = element.rpartition(" ")[2]
        if name in {"node", "edge"}:
            self._owner = None
        elif name == "data" and self._owner is not None and self._key is not None:
            label, value = self._value()
            self._owner[label] = value
        elif name == "default" and self._key is not None:
            label, value = self._value()
            for owner in ("node", "edge"):
                if self._keys[self._key][2] in {owner, "all", ""}:
                    self._defaults[owner][label] = value

    def _characters(self, text: str) -> None:
        self._text.append(text)

    def _value(self) -> tuple[str, Any]:
        key = str(self._key)
        label, kind, _ = self._keys.get(key, (key, "", ""))
        text = "".join(self._text).strip()
        try:
            return label, KINDS.get(kind, str)(text)
        except ValueError as error:
            raise DataError(f"{self.where}: {label!r} should be of type {kind}, got {text[:40]!r}") from error

    def _needed(self, given: dict[str, str], attribute: str, element: str) -> str:
        if attribute not in given:
            raise DataError(f"{self.where}: an element <{element}> has no {attribute!r}")
        return given[attribute]
