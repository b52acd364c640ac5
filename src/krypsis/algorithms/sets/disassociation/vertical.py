"""VERPART: the records of each cluster are cut into pieces, cluster by cluster."""

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.sets.disassociation.chunks import CandidateRows, ChunkRules, chunk_candidates, rows_of
from krypsis.algorithms.sets.disassociation.horizontal import Clusters
from krypsis.algorithms.sets.disassociation.horizontal_kernels import Together
from krypsis.algorithms.threads import work_on_each
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.kernels._jit import compiled


@compiled
def cut_clusters(
    starts: IntArray,
    codes: CodeArray,
    edges: IntArray,
    hidden: BoolArray,
    k: int,
    m: int,
    repair: bool,
    together: Together,
    chunk: CodeArray,
    needy: BoolArray,
) -> None:
    """Write into ``chunk`` the chunk of each occurrence inside its cluster, -1 for the term chunk.

    Cluster ``c`` has the records ``edges[c] … edges[c + 1] - 1``. ``hidden`` items always go to the term chunk.
    ``needy`` is set for clusters in which pieces alone could not fill
    all records besides ``k`` of them that hold the same m items: they depend on a term chunk that is not empty.
    """
    width = len(hidden)
    supports, rank = np.zeros(width, dtype=np.int64), np.full(width, -1, dtype=np.int32)
    for cluster in range(len(edges) - 1):
        begin, end = edges[cluster], edges[cluster + 1]
        # Step 1: T_T = the terms with s(t) < k and the sensitive ones; the others by decreasing support.
        chosen, left = _candidates(codes[starts[begin] : starts[end]], hidden, k, supports)
        if together.members.size:
            # VERPART_U: group by constraint, groups by the support of their first code.
            chosen = grouped(chosen, together)
        for number in range(len(chosen)):
            rank[chosen[number]] = number
        rows = _rows(starts[begin : end + 1], codes, rank, len(chosen))
        rules = rules_of(chosen, np.zeros(len(chosen), dtype=np.bool_), True, together)
        # Step 2: fill one record chunk after the other.
        chunks = chunk_candidates(rows, k, m, rules)
        pieces, most = _count_pieces(rows, chunks)
        # Lemma 3.2 (b): sum |C_i| >= |P| + k (min(m, v) - 1), or a term chunk that is not empty.
        needy[cluster] = pieces < _enough(end - begin, most, k, m)
        if repair and needy[cluster] and not left:
            # Step 3 (REPAIR): T_T is empty and the bound fails, so the rarest term moves to T_T; one move is enough.
            needy[cluster] = _repair(rows, chunks, chosen, k, m, end - begin)
        for place in range(starts[begin], starts[end]):
            chunk[place] = chunks[rank[codes[place]]] if rank[codes[place]] >= 0 else -1
        for place in range(starts[begin], starts[end]):
            rank[codes[place]], supports[codes[place]] = -1, 0


@compiled
def _candidates(codes: CodeArray, hidden: BoolArray, k: int, supports: IntArray) -> tuple[CodeArray, bool]:
    """Count the items of a cluster; return the frequent ones, most frequent first, and whether there are others."""
    for item in codes:
        supports[item] += 1
    found = np.empty(len(codes), dtype=np.int32)
    used, left = 0, False
    for item in codes:
        if supports[item] < 0:
            continue
        if supports[item] >= k and not hidden[item]:
            found[used] = item
            used += 1
        else:
            left = True
        supports[item] = -supports[item]  # seen
    for item in codes:
        supports[item] = abs(supports[item])
    chosen = np.sort(found[:used])
    return chosen[np.argsort(-supports[chosen], kind="mergesort")], left


@compiled
def grouped(chosen: CodeArray, together: Together) -> CodeArray:
    """Return the candidates set by set: sets, and items without a set, where the first of their items stands."""
    order = np.empty_like(chosen)
    used = 0
    done = np.zeros(len(chosen), dtype=np.bool_)
    for number in range(len(chosen)):
        if done[number]:
            continue
        home = together.home[chosen[number]]
        for other in range(number, len(chosen)):
            if other == number or (home >= 0 and together.home[chosen[other]] == home):
                order[used], done[other] = chosen[other], True
                used += 1
    return order


@compiled
def _rows(starts: IntArray, codes: CodeArray, rank: CodeArray, candidates: int) -> CandidateRows:
    """Return the records of a cluster reduced to its candidates."""
    edges = np.zeros(len(starts), dtype=np.int64)
    ranks = np.empty(starts[-1] - starts[0], dtype=np.int32)
    used = 0
    for row in range(len(starts) - 1):
        for place in range(starts[row], starts[row + 1]):
            if rank[codes[place]] >= 0:
                ranks[used] = rank[codes[place]]
                used += 1
        ranks[edges[row] : used].sort()
        edges[row + 1] = used
    return rows_of(edges, ranks[:used], candidates)


@compiled
def rules_of(chosen: CodeArray, conflict: BoolArray, alone: bool, together: Together) -> ChunkRules:
    """Return the rules for candidates, with the wanted sets that each is in."""
    first = together.first
    member_first = np.zeros(len(chosen) + 1, dtype=np.int64)
    for number in range(len(chosen)):
        member_first[number + 1] = member_first[number] + first[chosen[number] + 1] - first[chosen[number]]
    members = np.empty(member_first[-1], dtype=np.int32)
    for number in range(len(chosen)):
        begin, end = first[chosen[number]], first[chosen[number] + 1]
        members[member_first[number] : member_first[number + 1]] = together.sets[begin:end]
    return ChunkRules(conflict, alone, together.home[chosen], member_first, members, len(together.starts) - 1)


@compiled
def _enough(size: int, chunks: int, k: int, m: int) -> int:
    """Return how many pieces fill all records of a cluster, also when k of them take a piece of m chunks each.

    Without a chunk the formula of the paper would ask for fewer pieces than there are records; but a record without a
    piece is filled by nothing then, once shared chunks are placed elsewhere.
    """
    return size + k * (max(1, min(m, chunks)) - 1)


@compiled
def _count_pieces(rows: CandidateRows, chunks: CodeArray) -> tuple[int, int]:
    """Return how many pieces that are not empty the chunks have, and how many chunks there are."""
    most = chunks.max() + 1 if len(chunks) else 0
    seen = np.full(max(most, 1), -1, dtype=np.int64)
    pieces = 0
    for row in range(len(rows.starts) - 1):
        for place in range(rows.starts[row], rows.starts[row + 1]):
            chunk = chunks[rows.ranks[place]]
            if chunk >= 0 and seen[chunk] != row:
                seen[chunk] = row
                pieces += 1
    return pieces, most


@compiled
def _repair(rows: CandidateRows, chunks: CodeArray, chosen: CodeArray, k: int, m: int, size: int) -> bool:
    """Move the rarest item (of equally rare ones the last) to the term chunk; say whether it is still needed there."""
    rarest = 0
    for number in range(len(chosen)):
        held, least = rows.first[number + 1] - rows.first[number], rows.first[rarest + 1] - rows.first[rarest]
        if held < least or (held == least and chosen[number] > chosen[rarest]):
            rarest = number
    # A chunk that becomes empty is dropped and the numbers after it move up.
    alone, gone = True, chunks[rarest]
    for number in range(len(chosen)):
        alone = alone and (number == rarest or chunks[number] != gone)
    chunks[rarest] = -1
    for number in range(len(chosen)):
        if alone and chunks[number] > gone:
            chunks[number] -= 1
    pieces, most = _count_pieces(rows, chunks)
    return pieces < _enough(size, most, k, m)


AT_ONCE = 512
"""Clusters that a thread takes at a time."""


@dataclass(frozen=True, eq=False)
class Cut:
    """Where every occurrence of an item goes."""

    chunk: CodeArray
    """Occurrence → record chunk of its cluster, numbered from 0 on in each; -1 for the term chunk."""
    needy: BoolArray
    """Cluster → whether its guarantee depends on a term chunk that is not empty."""


def cut_records(
    clusters: Clusters,
    k: int,
    m: int,
    *,
    hidden: BoolArray,
    together: Together,
    repair: bool = True,
    threads: int = 1,
) -> Cut:
    """Return the chunk of each occurrence.

    Items that fewer than ``k`` records of a cluster hold, and all ``hidden`` ones, go to its term chunk. The others
    are put into chunks in which every combination of up to ``m`` of them occurs ``k`` times or not at all. With
    ``repair``, the rarest item moves to a term chunk that is empty, where pieces alone would not fill all records.
    """
    sets, edges = clusters.transactions, clusters.edges
    chunk = np.full(len(sets.codes), -1, dtype=np.int32)
    needy = np.zeros(len(clusters), dtype=np.bool_)

    def cut(begin: int) -> None:
        part = edges[begin : begin + AT_ONCE + 1]
        inside = needy[begin : begin + AT_ONCE]
        cut_clusters(sets.starts, sets.codes, part, hidden, k, m, repair, together, chunk, inside)

    work_on_each(cut, range(0, len(clusters), AT_ONCE), threads)
    return Cut(chunk, needy)
