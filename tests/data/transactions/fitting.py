"""Whether data could lie behind disassociated sets, found out by trying, for tests."""

from collections import Counter
from functools import cache

from krypsis.data.transactions import Disassociated


def fits(published: Disassociated, leaves: list[int], drawn: list[frozenset[str]]) -> bool:
    """Say whether records, of which the clusters are known, can be cut into the published pieces.

    In a record of a cluster, an item comes from the lowest chunk on the way up that may hold it, or the term chunk.
    """
    chunks, pieces = _chunks(published), published.pieces.sets()
    found: dict[int, Counter[frozenset[str]]] = {chunk: Counter() for chunk in range(len(published.chunk_nodes))}
    listed: list[set[str]] = [set() for _ in range(published.clusters)]
    terms = published.terms.sets()
    for leaf, record in zip(leaves, drawn, strict=True):
        if not record:
            return False
        left, node = set(record), leaf
        listed[leaf] |= left & terms[leaf]
        left -= terms[leaf]
        while node >= 0:
            for chunk, domain in chunks.get(node, []):
                if part := frozenset(left & domain):
                    found[chunk][part] += 1
                left -= domain
            node = int(published.parents[node])
        if left:
            return False
    edges = published.chunk_starts.tolist()
    told = {chunk: Counter(pieces[edges[chunk] : edges[chunk + 1]]) for chunk in found}
    return found == told and all(listed[leaf] == terms[leaf] for leaf in range(published.clusters))


@cache
def _chunks(published: Disassociated) -> dict[int, list[tuple[int, frozenset[str]]]]:
    """Return for each node its chunks with their items."""
    pieces, edges = published.pieces.sets(), published.chunk_starts.tolist()
    chunks: dict[int, list[tuple[int, frozenset[str]]]] = {}
    for chunk, node in enumerate(published.chunk_nodes.tolist()):
        domain = frozenset().union(*pieces[edges[chunk] : edges[chunk + 1]])
        chunks.setdefault(node, []).append((chunk, domain))
    return chunks
