"""VERPART: the records of each cluster are cut into pieces, cluster by cluster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.threads import work_on_each
from krypsis.algorithms.transactions.disassociating.horpart import Clusters
from krypsis.arrays import BoolArray, CodeArray
from krypsis.kernels.horizontal import Together
from krypsis.kernels.vertical import cut_clusters

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
