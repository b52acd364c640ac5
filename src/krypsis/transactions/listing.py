"""Put the items that clusters only list into records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.arrays import IntArray
from krypsis.transactions.disassociated import Disassociated
from krypsis.transactions.spans import Spans


@dataclass(frozen=True, eq=False)
class Listed:
    """Records that get an item of a term chunk."""

    records: IntArray
    items: IntArray


def place_listed(
    published: Disassociated, spans: Spans, slots: IntArray, rng: np.random.Generator, most: int
) -> Listed:
    """Put every item of a term chunk into one to ``most`` records, empty ones first, until none is left empty.

    ``slots`` says which record each piece is in.
    """
    clusters = spans.clusters(published)
    found = _placed(published, spans, clusters, slots, rng, most)
    held = np.bincount(np.concatenate([slots, found.records]), minlength=len(published))
    empty = np.flatnonzero(held == 0)
    terms, leaf = published.terms, clusters[empty]
    more = terms.codes[terms.starts[leaf] + rng.integers(0, terms.sizes[leaf])]
    return Listed(np.concatenate([found.records, empty]), np.concatenate([found.items, more.astype(np.int64)]))


def _placed(
    published: Disassociated, spans: Spans, clusters: IntArray, slots: IntArray, rng: np.random.Generator, most: int
) -> Listed:
    terms = published.terms
    counts = np.minimum(rng.integers(1, most + 1, len(terms.codes)), published.sizes[terms.records])
    term = np.repeat(np.arange(len(counts)), counts)
    is_more = np.arange(len(term)) > np.repeat(np.cumsum(counts) - counts, counts)
    # In each cluster every item comes once before any comes again; otherwise the order is random.
    term = term[np.lexsort((rng.random(len(term)), is_more, terms.records[term]))]
    leaf = terms.records[term]
    empty = np.flatnonzero(np.bincount(slots, minlength=len(published)) == 0)
    empty = empty[np.lexsort((rng.random(len(empty)), clusters[empty]))]
    edges = np.searchsorted(clusters[empty], np.arange(published.clusters + 1))
    place = edges[leaf] + _ranks(leaf)
    records = np.full(len(term), -1, dtype=np.int64)
    is_first = place < edges[leaf + 1]
    records[is_first] = empty[place[is_first]]
    return Listed(
        _apart(records, term, spans.begin[leaf], published.sizes[leaf], rng), terms.codes[term].astype(np.int64)
    )


def _ranks(groups: IntArray) -> IntArray:
    """Return the number of each member in its group; groups ascend."""
    return np.asarray(np.arange(len(groups)) - np.searchsorted(groups, groups))


def _apart(records: IntArray, term: IntArray, begin: IntArray, size: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw the records that are missing (-1), none twice for the same item of a term chunk."""
    missing = records < 0
    while missing.any():
        records[missing] = begin[missing] + rng.integers(0, size[missing])
        order = np.lexsort((missing, records, term))
        is_again = (np.diff(records[order], prepend=-1) == 0) & (np.diff(term[order], prepend=-1) == 0)
        missing = np.zeros(len(records), dtype=np.bool_)
        missing[order[is_again]] = True
    return records
