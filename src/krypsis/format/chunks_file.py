"""Disassociated sets as a JSON file, one cluster per line, so that a file of any size is read line by line.

Its form is described by ``disassociation.schema.json`` next to this file.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.transactions import Disassociated, Transactions
from krypsis.errors import DataError

FORMAT = "krypsis-disassociation-1"
HEAD = f'{{"format": "{FORMAT}", "nodes": ['
TAIL = "]}"


def write_chunks(published: Disassociated, path: Path) -> None:
    """Write the clusters, simple ones first, each on a line of its own.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from krypsis.format.chunks_file import read_chunks
    >>> pieces, terms = Transactions.of_sets([["flu"], ["flu"]]), Transactions.of_sets([["ikea"]])
    >>> clusters = Disassociated.of(pieces, [0, 2], [0], sizes=[2], parents=[-1], terms=terms)
    >>> with TemporaryDirectory() as folder:
    ...     write_chunks(clusters, Path(folder, "data.json"))
    ...     len(read_chunks(Path(folder, "data.json")))
    2
    """
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(chunk_lines(published))


def chunk_lines(published: Disassociated) -> Iterator[str]:
    """Yield the lines of the file: there is one way to write the same clusters."""
    yield HEAD + "\n"
    before = ""
    for node in _nodes(published):
        yield before + node
        before = ",\n"
    yield "\n" + TAIL + "\n"


def _nodes(published: Disassociated) -> Iterator[str]:
    names = [json.dumps(item, ensure_ascii=False) for item in published.items]
    chunks = _chunk_texts(published, names)
    by_node: dict[int, list[str]] = {}
    for node, text in zip(published.chunk_nodes.tolist(), chunks, strict=True):
        by_node.setdefault(node, []).append(text)
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(published.parents.tolist()):
        children.setdefault(parent, []).append(node)
    terms = list(_sets(published.terms, names))
    for node, size in enumerate(published.sizes.tolist()):
        record_chunks = ", ".join(by_node.get(node, ()))
        yield (
            f'{{"id": {node}, "type": "simple", "size": {size}, "record_chunks": [{record_chunks}], '
            f'"term_chunk": {terms[node]}}}'
        )
    for node in range(published.clusters, len(published.parents)):
        shared = ", ".join(by_node.get(node, ()))
        below = json.dumps(children.get(node, []))
        yield f'{{"id": {node}, "type": "joint", "children": {below}, "shared_chunks": [{shared}]}}'


def _chunk_texts(published: Disassociated, names: Sequence[str]) -> Iterator[str]:
    pieces = list(_sets(published.pieces, names))
    codes, starts = published.pieces.codes, published.pieces.starts
    for start, end in pairwise(published.chunk_starts.tolist()):
        domain = ", ".join(names[code] for code in np.unique(codes[starts[start] : starts[end]]).tolist())
        yield f'{{"domain": [{domain}], "subrecords": [{", ".join(pieces[start:end])}]}}'


def _sets(transactions: Transactions, names: Sequence[str]) -> Iterator[str]:
    labels = [names[code] for code in transactions.codes.tolist()]
    for start, end in pairwise(transactions.starts.tolist()):
        yield f"[{', '.join(labels[start:end])}]"


SIMPLE = ["id", "type", "size", "record_chunks", "term_chunk"]
JOINT = ["id", "type", "children", "shared_chunks"]
MOST_RECORDS = 2**53
"""So many records can be counted exactly in every figure."""


def read_chunks(path: Path) -> Disassociated:
    """Return the clusters in a file that :func:`krypsis.format.chunks_file.write_chunks` wrote.

    Raises
    ------
    DataError
        if the file has another form, with the line where that shows.
    """
    with path.open("rb") as stream:
        return read_chunk_lines(stream, path.name)


def read_chunk_lines(stream: Iterable[bytes], name: str) -> Disassociated:
    """Return the clusters in the lines of a file of this name."""
    reader = _Reader(name)
    try:
        for line in stream:
            reader.take(line.decode().removesuffix("\n").removesuffix("\r"))
    except UnicodeDecodeError as error:
        raise DataError(f"{name} is not UTF-8: {error.reason}; the file is damaged") from None
    return reader.finished()


class _Reader:
    """Collects the clusters of a file."""

    def __init__(self, name: str) -> None:
        self.name, self.line, self.ended = name, 0, False
        self.code_of: dict[str, int] = {}
        self.pieces: list[list[int]] = []
        self.chunk_ends, self.chunk_nodes = [0], list[int]()
        self.terms: list[list[int]] = []
        self.sizes: list[int] = []
        self.records = 0
        self.children: list[list[int]] = []

    def take(self, line: str) -> None:
        """Read the next line."""
        self.line += 1
        if self.line == 1:
            if line != HEAD:
                self._refuse(f"expected {HEAD!r}")
        elif self.ended:
            self._refuse("expected nothing more")
        elif line == TAIL:
            self.ended = True
        else:
            self._take_node(self._parsed(line.removesuffix(",")))

    def finished(self) -> Disassociated:
        """Return the clusters, after the last line."""
        if not self.ended:
            self._refuse(f"the last line must be {TAIL!r}; the file is cut off")
        items = tuple(sorted(self.code_of))
        place = {item: code for code, item in enumerate(items)}
        ranks = np.array([place[item] for item in self.code_of], dtype=np.int64)
        return Disassociated(
            _transactions(self.pieces, ranks, items),
            np.array(self.chunk_ends, dtype=np.int64),
            np.array(self.chunk_nodes, dtype=np.int64),
            np.array(self.sizes, dtype=np.int64),
            self._parents(),
            _transactions(self.terms, ranks, items),
        )

    def _parsed(self, line: str) -> dict[str, Any]:
        try:
            found = json.loads(line, object_pairs_hook=_without_repeats)
        except (ValueError, RecursionError) as error:
            self._refuse(f"it is not JSON: {error}")
        if not isinstance(found, dict) or found.get("id") != len(self.sizes) + len(self.children):
            self._refuse("expected the next cluster, with the number of clusters before it as its id")
        return found

    def _take_node(self, node: dict[str, Any]) -> None:
        match node:
            case {"type": "simple", "size": int(size), "record_chunks": list(chunks), "term_chunk": list(terms)}:
                if list(node) != SIMPLE or self.children or isinstance(size, bool):
                    self._refuse(f"a simple cluster has {', '.join(SIMPLE)}, and comes before all joint ones")
                self.records += size
                if size < 1 or self.records > MOST_RECORDS:
                    self._refuse(f"a cluster has at least one record, and all together have at most {MOST_RECORDS}")
                self.sizes.append(size)
                self.terms.append(self._coded(terms))
            case {"type": "joint", "children": list(children), "shared_chunks": list(chunks)}:
                if list(node) != JOINT or not all(type(child) is int for child in children):
                    self._refuse(f"a joint cluster has {', '.join(JOINT)}; its children are numbers of clusters")
                self.children.append(children)
            case _:
                self._refuse(f"expected a simple cluster with {', '.join(SIMPLE)}, or a joint one: {', '.join(JOINT)}")
        for chunk in chunks:
            self._take_chunk(chunk, node["id"])

    def _take_chunk(self, chunk: object, node: int) -> None:
        match chunk:
            case {"domain": list(domain), "subrecords": list(records), **others} if not others:
                pieces = [self._coded(one) for one in records]
                if sorted(self._coded(domain)) != sorted({code for piece in pieces for code in piece}):
                    self._refuse("the domain of a chunk must be the items of its sub-records")
                self.pieces += pieces
                self.chunk_ends.append(len(self.pieces))
                self.chunk_nodes.append(node)
            case _:
                self._refuse("a chunk has a domain and sub-records, each a list")

    def _coded(self, items: object) -> list[int]:
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            self._refuse("expected a list of items, which are texts")
        known = len(self.code_of)
        codes = [self.code_of.setdefault(item, len(self.code_of)) for item in items]
        if len(self.code_of) > known and not _is_text("".join(items)):
            self._refuse("an item holds half of a character; expected text")
        if len(set(codes)) < len(codes):
            self._refuse("an item stands twice in the same list")
        return codes

    def _parents(self) -> IntArray:
        parents = np.full(len(self.sizes) + len(self.children), -1, dtype=np.int64)
        for place, children in enumerate(self.children):
            for child in children:
                if not 0 <= child < len(parents) or parents[child] >= 0:
                    self._refuse(f"cluster {child} is not there, or lies in two joint clusters")
                parents[child] = len(self.sizes) + place
        return parents

    def _refuse(self, reason: str) -> NoReturn:
        raise DataError(f"{self.name}, line {self.line}: {reason}")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object in which no name stands twice: the first of two would be published and never looked at."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return found


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _transactions(sets: Sequence[Sequence[int]], ranks: IntArray, items: tuple[str, ...]) -> Transactions:
    sizes = np.fromiter(map(len, sets), dtype=np.int64, count=len(sets))
    codes = np.fromiter((code for one in sets for code in one), dtype=np.int64, count=int(sizes.sum()))
    records = np.repeat(np.arange(len(sets), dtype=np.int64), sizes)
    return Transactions.of_pairs(records, ranks[codes], items, len(sets))
