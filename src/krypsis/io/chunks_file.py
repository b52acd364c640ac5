"""Disassociated sets as a JSON file, one cluster per line, so that a file of any size is read line by line.

Its form is described by ``disassociation.schema.json`` beside this file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from krypsis.transactions import Disassociated, Transactions

FORMAT = "krypsis-disassociation-1"
HEAD = f'{{"format": "{FORMAT}", "nodes": ['
TAIL = "]}"


def write_chunks(published: Disassociated, path: Path) -> None:
    """Write the clusters, simple ones first, each on a line of its own.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from krypsis.io.chunks_reader import read_chunks
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
