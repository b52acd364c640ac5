"""GML files, also those that strict readers refuse: with repeated edges, or labels that occur twice."""

import html
import re
from collections.abc import Iterator
from typing import Any

from krypsis.errors import DataError
from krypsis.io.graphs.edge_table import EdgeTable, frame_of_records, series_of
from krypsis.io.source import TextSource

TOKEN = re.compile(r'"([^"]*)"|#[^\n]*|(\[|\])|([^\s\[\]"#]+)')
DEEPEST = 50
Entries = list[tuple[str, Any]]
POSITIONS = frozenset({"graphics", "LabelGraphics"})
"""What programs that draw graphs add, and what says nothing about the vertex."""


def read_gml(source: TextSource) -> EdgeTable:
    r"""Return the edges and vertices of a GML file.

    A vertex is called by its label if all have one of their own, else by its id. Of nested attributes, none is read.

    Raises
    ------
    DataError
        if the file is not GML, or an edge names a vertex that is not listed.

    References
    ----------
    Himsolt, "GML: a portable graph file format", Universität Passau, 1997.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "friends.gml")
    ...     _ = file.write_text('graph [ node [id 1 label "R&amp;D"] node [id 2 label "IT"] edge [source 1 target 2] ]')
    ...     found = read_gml(TextSource.open(file))
    >>> found.source.to_list(), found.target.to_list()
    (['R&D'], ['IT'])
    """
    where = source.path.name
    try:
        text = source.text()
    except UnicodeDecodeError as error:
        text = source.read_differently(error).text()
    document = _entries(_tokens(text), where)
    graph = next((value for key, value in document if key == "graph" and isinstance(value, list)), None)
    if graph is None:
        raise DataError(f"{where} holds no graph; a GML file says 'graph [ node [ id 1 ] … ]'")
    nodes = [dict(value) for key, value in graph if key == "node" and isinstance(value, list)]
    edges = [dict(value) for key, value in graph if key == "edge" and isinstance(value, list)]
    for what, found, needed in (("node", nodes, ("id",)), ("edge", edges, ("source", "target"))):
        for one in found:
            if missing := [key for key in needed if key not in one]:
                raise DataError(f"{where}: {what} without {missing[0]!r}: {_short(one)}")
    ids = [node.pop("id") for node in nodes]
    labels = [node.get("label") for node in nodes]
    has_labels = None not in labels and len(set(map(str, labels))) == len(labels) and len(set(ids)) == len(ids)
    names = [str(node.pop("label")) for node in nodes] if has_labels else ids
    called = dict(zip(ids, names, strict=True))
    ends = [[edge.pop(end) for edge in edges] for end in ("source", "target")]
    if strangers := [end for column in ends for end in column if end not in called]:
        raise DataError(f"{where}: an edge names the node {strangers[0]!r}, and no node has that id")
    first, second = (
        series_of(name, [called[end] for end in column])
        for name, column in zip(("source", "target"), ends, strict=True)
    )
    columns = frame_of_records(first, map(_flat, edges)).drop("source")
    is_directed = str(next((value for key, value in graph if key == "directed"), 0)) == "1"
    vertices = frame_of_records(series_of("vertex", names), map(_flat, nodes))
    return EdgeTable(where, first, second, columns, (), vertices, is_directed)


def _tokens(text: str) -> Iterator[tuple[str, str, str]]:
    """Return strings with their mark, brackets, and words, each in its place of a triple."""
    for found in TOKEN.finditer(text):
        string, bracket, word = found.groups("")
        if found[0][0] == '"':
            yield string, '"', ""
        elif found[0][0] != "#":
            yield "", bracket, word


def _entries(tokens: Iterator[tuple[str, str, str]], where: str) -> Entries:
    """Return keys with values, of which some are lists of the same form."""
    stack: list[Entries] = [[]]
    key = ""
    for string, mark, word in tokens:
        if word and not key:
            key = word
        elif mark == "[" and key:
            stack.append([])
            stack[-2].append((key, stack[-1]))
            key = ""
            if len(stack) > DEEPEST:
                raise DataError(f"{where} is not GML: brackets are nested more than {DEEPEST} deep")
        elif mark == "]" and not key and len(stack) > 1:
            stack.pop()
        elif key and (word or mark == '"'):
            stack[-1].append((key, _number(word) if word else html.unescape(string)))
            key = ""
        else:
            raise DataError(f"{where} is not GML: {(string or mark or word)[:40]!r} follows {key[:40] or 'a value'!r}")
    if len(stack) > 1 or key:
        raise DataError(f"{where} is not complete: {len(stack) - 1} bracket(s) are not closed; fetch the file again")
    return stack[0]


def _number(word: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word


def _flat(entries: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entries.items() if not isinstance(value, list) and key not in POSITIONS}


def _short(one: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value!r:.30}" for key, value in list(one.items())[:4]) or "nothing stands in it"
