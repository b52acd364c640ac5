"""Files that list the neighbors of each vertex: METIS, and the text form of nauty."""

import re
from itertools import chain

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.errors import DataError
from krypsis.io.graphs.edge_table import EdgeTable
from krypsis.io.graphs.pair_arrays import parse_lines
from krypsis.io.source import TextSource

ENTRY = re.compile(rb"(\d+)\s*:([\d\s,]*)(?:;|\.|\Z|(?=\n\s*\d+\s*:))")
COMMENT = re.compile(rb"(?m)^\s*[!#%].*$|^\s*(?:n\s*=\s*\d+|g|q)\s*$")

MOST_NAMED = 100_000_000
"""Vertices that a line of nauty may announce: somebody could write any number there."""


def read_metis(source: TextSource) -> EdgeTable:
    """Return the edges of a METIS file: a header, then the neighbors of vertex 1, of vertex 2, and so on.

    The header is ``vertices edges [format [weights]]``; the digits of ``format`` say whether there are sizes of
    vertices, weights of vertices and weights of edges, which are read and left out.

    Raises
    ------
    DataError
        if the header does not fit what follows, or an edge is listed at one of its ends only.

    References
    ----------
    Karypis, "METIS: a software package for partitioning unstructured graphs", manual of version 5, 2013.
    """
    where, content = source.path.name, source.array()
    numbers = np.empty(len(content) // 2 + 1, dtype=np.int64)
    line_ends = np.empty(int(np.count_nonzero(content == ord("\n"))) + 1, dtype=np.int64)
    count, lines, wrong = parse_lines(content, numbers, line_ends)
    if wrong >= 0:
        line = int(np.count_nonzero(content[:wrong] == ord("\n"))) + 1
        raise DataError(
            f"{where}, line {line}: a METIS file holds whole numbers alone; name another format if it is none"
        )
    numbers, line_ends = numbers[:count], line_ends[:lines]
    first = int(np.argmax(line_ends > 0)) if count else 0
    header = numbers[: line_ends[first]] if count else numbers
    if not 2 <= len(header) <= 4:
        raise DataError(
            f"{where}: a METIS file begins with the numbers of vertices and edges; got {len(header)} numbers"
        )
    vertices, edges = int(header[0]), int(header[1])
    starts = line_ends[first : first + vertices + 1]
    if len(starts) != vertices + 1 or line_ends[-1] != starts[-1]:
        got = lines - first - 1
        raise DataError(f"{where}: the header names {vertices:,} vertices, and {got:,} lines follow; each needs a line")
    owners, found, unread = _neighbors(numbers, starts, header, where)
    if len(found) and (int(found.min()) < 1 or int(found.max()) > vertices):
        strange = int(found.max()) if int(found.max()) > vertices else int(found.min())
        raise DataError(f"{where} lists vertex {strange}; the header names vertices 1 to {vertices:,}")
    if len(found) != 2 * edges:
        raise DataError(
            f"{where}: the header names {edges:,} edges, and neighbors are listed for {len(found) / 2:,g}; "
            "every edge stands at both of its ends"
        )
    _check_symmetry(owners, found, vertices, where)
    names = np.arange(1, vertices + 1)
    return EdgeTable(
        where,
        pl.Series("source", owners),
        pl.Series("target", found),
        unread=unread,
        vertices=pl.DataFrame({"vertex": names}),
        is_directed=False,
        is_listed_twice=True,
    )


def _neighbors(
    numbers: IntArray, starts: IntArray, header: IntArray, where: str
) -> tuple[IntArray, IntArray, tuple[str, ...]]:
    """Return each vertex once for each of its neighbors, these neighbors, and what stands between them."""
    digits = f"{int(header[2]):03d}" if len(header) > 2 else "000"
    if len(digits) > 3 or set(digits) - {"0", "1"}:
        raise DataError(f"{where}: the format of a METIS file is up to three digits 0 or 1, got {int(header[2])}")
    has_size, has_weights, is_weighted = (digit == "1" for digit in digits)
    weights = (int(header[3]) if len(header) > 3 else 1) * has_weights
    skipped = int(has_size) + weights
    lengths = np.diff(starts) - skipped
    if (lengths < 0).any() or (is_weighted and (lengths % 2).any()):
        place = int(np.argmax((lengths < 0) | (is_weighted & (lengths % 2 > 0))))
        raise DataError(f"{where}: the weights that the header names are missing at vertex {place + 1}")
    body = numbers[starts[0] : starts[-1]]
    turn = np.arange(len(body)) - np.repeat(starts[:-1] - starts[0], np.diff(starts)) - skipped
    is_neighbor = (turn >= 0) & ((turn % 2 == 0) | (not is_weighted))
    owners = np.repeat(np.arange(1, len(starts)), np.diff(starts))
    said = {"sizes of vertices": has_size, "weights of vertices": weights, "weights": is_weighted}
    unread = tuple(what for what, occurs in said.items() if occurs)
    return owners[is_neighbor], body[is_neighbor], unread


def _check_symmetry(owners: IntArray, found: IntArray, vertices: int, where: str) -> None:
    keys, turned = owners * (vertices + 1) + found, found * (vertices + 1) + owners
    keys.sort()
    turned.sort()
    if (differs := keys != turned).any():
        first = int(min(keys[differs][0], turned[differs][0]))
        low, high = divmod(first, vertices + 1)
        raise DataError(f"{where}: the edge between {low} and {high} stands at one of them only; expected it at both")


def read_nauty(source: TextSource) -> EdgeTable:
    """Return the edges of a graph in the text form of nauty: ``v: neighbors;``.

    References
    ----------
    McKay, Piperno, "Practical graph isomorphism, II", Journal of Symbolic Computation 60, 2014; dreadnaut.
    """
    where = source.path.name
    content = source.array().tobytes()
    size = re.search(rb"(?m)^!?\s*n\s*=\s*(\d+)", content)
    text = COMMENT.sub(b"", content)
    entries = ENTRY.findall(text)
    if left := ENTRY.sub(b"", text).strip().strip(b".;").strip():
        raise DataError(
            f"{where} is not in the text form of nauty ('0: 1 2;'): {left[:40].decode('utf-8', 'replace')!r}"
        )
    owners = np.array([int(owner) for owner, _ in entries], dtype=np.int64)
    lists = [neighbors.replace(b",", b" ").split() for _, neighbors in entries]
    found = np.array(list(chain.from_iterable(lists)), dtype="S20").astype(np.int64)
    sources = np.repeat(owners, [len(one) for one in lists]) if lists else owners
    largest = max(int(owners.max(initial=-1)), int(found.max(initial=-1)))
    if size is not None and largest >= int(size[1]):
        raise DataError(f"{where} names vertex {largest}; with n={int(size[1])} they are 0 to {int(size[1]) - 1}")
    if size is not None and int(size[1]) > MOST_NAMED:
        raise DataError(
            f"{where} says n={int(size[1])}; more than {MOST_NAMED:,} vertices are not read from such a file"
        )
    names = np.arange(int(size[1])) if size is not None else np.unique(np.concatenate([owners, found]))
    return EdgeTable(
        where,
        pl.Series("source", sources),
        pl.Series("target", found),
        vertices=pl.DataFrame({"vertex": names}),
        is_directed=False,
        is_listed_twice=True,
    )
