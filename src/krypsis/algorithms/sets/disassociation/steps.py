"""The steps of disassociation, as a trace shows them: splits and clusters, chunks, and joint clusters."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from krypsis.algorithms.sets.disassociation.horizontal import Clusters
from krypsis.algorithms.sets.disassociation.refine import Joined
from krypsis.algorithms.sets.disassociation.vertical import Cut
from krypsis.arrays import BoolArray
from krypsis.data.transactions import Transactions
from krypsis.progress import StepTable, TraceStep


def partition_steps(algorithm: str, clusters: Clusters, cut: Cut, joined: Joined) -> Iterator[TraceStep]:
    """Yield the horizontal part, the vertical part, and the refinement."""
    sets = clusters.transactions
    made = StepTable.of(("cluster", "items of a record"), _records(clusters), "The clusters", len(sets))
    says = f"{len(sets)} records are split into {len(clusters)} clusters."
    yield TraceStep(algorithm, "Horizontal partitioning", says, (*_splits(clusters), made))
    chunks = StepTable.of(
        ("cluster", "chunk", "items", "pieces"), _chunks(clusters, cut), total=_number_of_chunks(clusters, cut)
    )
    says = "In a record chunk, every combination of as many items as promised is in enough records, or in none."
    yield TraceStep(algorithm, "Vertical partitioning", says, (chunks,))
    shared = StepTable.of(
        ("joint cluster", "clusters below", "items", "pieces"), _shared(clusters, joined), total=len(joined.chunk_nodes)
    )
    number = len(joined.parents) - len(clusters)
    yield TraceStep(algorithm, "Refinement", f"{number} joint clusters in {joined.passes} passes.", (shared,))


def _splits(clusters: Clusters) -> Iterator[StepTable]:
    if clusters.splits is not None:
        columns = ("split", "of the records with item", "by item", "records", "with it", "without it")
        yield StepTable.of(
            columns,
            _split_rows(clusters),
            "The splits, by the most frequent item that is left",
            len(clusters.splits[0]),
        )


def _split_rows(clusters: Clusters) -> Iterator[tuple[object, ...]]:
    """Yield the splits: each takes the records with its item out of what those before it have left of their part."""
    if clusters.splits is None:
        return
    items, above = clusters.splits[0].tolist(), clusters.splits[1].tolist()
    with_item: list[BoolArray] = []
    left = {-1: np.ones(len(clusters.transactions), dtype=np.bool_)}
    for number, (item, part) in enumerate(zip(items, above, strict=True)):
        before = left[part] if part in left else with_item[part]
        taken = before & _holders(clusters.transactions, item)
        with_item.append(taken)
        left[part] = before & ~taken
        name = None if part < 0 else clusters.transactions.items[items[part]]
        sizes = (int(one.sum()) for one in (before, taken, left[part]))
        yield (number + 1, name, clusters.transactions.items[item], *sizes)


def _holders(sets: Transactions, item: int) -> BoolArray:
    found = np.zeros(len(sets), dtype=np.bool_)
    found[sets.records[sets.codes == item]] = True
    return found


def _records(clusters: Clusters) -> Iterator[tuple[object, ...]]:
    sets = clusters.transactions
    for record, cluster in enumerate(clusters.of_record.tolist()):
        codes = sets.codes[sets.starts[record] : sets.starts[record + 1]]
        yield (cluster + 1, _named(sets, codes.tolist()))


def _chunks(clusters: Clusters, cut: Cut) -> Iterator[tuple[object, ...]]:
    """Yield the record chunks of each cluster with their pieces, and its term chunk."""
    sets = clusters.transactions
    for cluster in range(len(clusters)):
        first, end = sets.starts[clusters.edges[cluster]], sets.starts[clusters.edges[cluster + 1]]
        chunk, codes, records = cut.chunk[first:end], sets.codes[first:end], sets.records[first:end]
        for number in range(int(chunk.max(initial=-1)) + 1):
            inside = chunk == number
            pieces = _pieces(sets, records[inside], codes[inside])
            yield (cluster + 1, f"record chunk {number + 1}", _named(sets, set(codes[inside].tolist())), pieces)
        yield (cluster + 1, "term chunk", _named(sets, set(codes[chunk < 0].tolist())), None)


def _number_of_chunks(clusters: Clusters, cut: Cut) -> int:
    """Return how many record chunks and term chunks there are."""
    last = np.full(len(clusters), -1, dtype=np.int64)
    np.maximum.at(last, clusters.of_record[clusters.transactions.records], cut.chunk)
    return int((last + 2).sum())


def _shared(clusters: Clusters, joined: Joined) -> Iterator[tuple[object, ...]]:
    sets = clusters.transactions
    for chunk, node in enumerate(joined.chunk_nodes.tolist()):
        inside = joined.shared == chunk
        below = ", ".join(str(one + 1) for one in np.flatnonzero(joined.parents == node).tolist())
        items = _named(sets, set(sets.codes[inside].tolist()))
        yield (node + 1, below, items, _pieces(sets, sets.records[inside], sets.codes[inside]))


def _pieces(sets: Transactions, records: Sequence[int], codes: Sequence[int]) -> str:
    """Return the pieces of a chunk with how often each occurs, the most frequent first."""
    held: dict[int, list[int]] = {}
    for record, code in zip(map(int, records), map(int, codes), strict=True):
        held.setdefault(record, []).append(code)
    counted = Counter(_named(sets, one) for one in held.values())
    return "; ".join(f"{{{piece}}} × {many}" for piece, many in counted.most_common())


def _named(sets: Transactions, codes: "Sequence[int] | set[int]") -> str:
    return ", ".join(sorted(sets.items[code] for code in codes))
