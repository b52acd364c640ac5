"""Disassociated sets written down by hand, for tests."""

from collections.abc import Iterable, Sequence

from krypsis.data.transactions import Disassociated, Transactions

Pieces = Sequence[Iterable[str]]


def clusters(
    chunks: Sequence[tuple[int, Pieces]], sizes: Sequence[int], parents: Sequence[int], terms: Sequence[Iterable[str]]
) -> Disassociated:
    """Return clusters whose chunks are given as pairs of a node and its pieces."""
    pieces = [piece for _, one in chunks for piece in one]
    starts = [0]
    for _, one in chunks:
        starts.append(starts[-1] + len(one))
    nodes = [node for node, _ in chunks]
    return Disassociated.of(
        Transactions.of_sets(pieces),
        starts,
        nodes,
        sizes=sizes,
        parents=parents,
        terms=Transactions.of_sets(terms),
    )


def canonical(published: Disassociated) -> tuple[object, ...]:
    """Return the same for clusters that differ in nothing but the order of clusters, chunks and pieces."""
    pieces, terms = published.pieces.sets(), published.terms.sets()
    chunks: dict[int, list[object]] = {}
    for chunk, node in enumerate(published.chunk_nodes.tolist()):
        start, end = published.chunk_starts[chunk : chunk + 2].tolist()
        chunks.setdefault(node, []).append(sorted(sorted(piece) for piece in pieces[start:end]))
    forms: list[object] = []
    for node in range(len(published.parents)):
        is_simple = node < published.clusters
        below = [forms[child] for child, parent in enumerate(published.parents[:node]) if parent == node]
        own = (int(published.sizes[node]), sorted(terms[node])) if is_simple else ()
        forms.append((repr(own), sorted(map(repr, chunks.get(node, []))), sorted(map(repr, below))))
    roots = [form for form, parent in zip(forms, published.parents.tolist(), strict=True) if parent < 0]
    return tuple(sorted(map(repr, roots)))
