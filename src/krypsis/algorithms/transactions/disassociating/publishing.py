"""Puts together what is published from where every occurrence goes."""

from __future__ import annotations

import numpy as np

from krypsis.algorithms.transactions.disassociating.horpart import Clusters
from krypsis.algorithms.transactions.disassociating.refine import Joined
from krypsis.algorithms.transactions.disassociating.verpart import Cut
from krypsis.arrays import IntArray
from krypsis.transactions import Disassociated, Transactions


def disassociated(clusters: Clusters, cut: Cut, joined: Joined) -> Disassociated:
    """Return the clusters with their chunks, and the term chunk of what is in no other."""
    sets = clusters.transactions
    cluster = clusters.of_record[sets.records]
    first, nodes = _record_chunks(cluster, cut, len(clusters))
    chunk = np.where(cut.chunk >= 0, first[cluster] + cut.chunk, -1)
    chunk = np.where(joined.shared >= 0, len(nodes) + joined.shared, chunk)
    pieces, starts = _pieces(sets, chunk, len(nodes) + len(joined.chunk_nodes))
    rest = chunk < 0
    terms = Transactions.of_pairs(cluster[rest], sets.codes[rest].astype(np.int64), sets.items, len(clusters))
    all_nodes = np.concatenate([nodes, joined.chunk_nodes])
    return Disassociated(pieces, starts, all_nodes, clusters.sizes, joined.parents, terms)


def _record_chunks(cluster: IntArray, cut: Cut, clusters: int) -> tuple[IntArray, IntArray]:
    """Return the number of each cluster's first chunk, and the cluster of each chunk."""
    count = np.zeros(clusters, dtype=np.int64)
    np.maximum.at(count, cluster, cut.chunk.astype(np.int64) + 1)
    return np.cumsum(count) - count, np.repeat(np.arange(clusters, dtype=np.int64), count)


def _pieces(sets: Transactions, chunk: IntArray, chunks: int) -> tuple[Transactions, IntArray]:
    """Return the pieces chunk by chunk, and where the pieces of each chunk begin."""
    told = np.flatnonzero(chunk >= 0)
    keys = chunk[told] * np.int64(max(len(sets), 1)) + sets.records[told]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    begins = np.flatnonzero(np.diff(keys, prepend=-1))
    pieces = Transactions(sets.items, sets.codes[told[order]], np.append(begins, len(keys)).astype(np.int64))
    chunk_of_piece = keys[begins] // max(len(sets), 1)
    return pieces, np.searchsorted(chunk_of_piece, np.arange(chunks + 1)).astype(np.int64)
