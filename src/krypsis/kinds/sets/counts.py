"""Counts over published sets: how many records hold all of some items, as sets, groups or pieces say."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Disassociated, GroupedSets, Transactions
from krypsis.errors import UsageError
from krypsis.kinds.counting import CountAnswer, Where, fitting
from krypsis.kinds.sets.publication import SetsPublication
from krypsis.metrics.transactions.counting import SetCounts
from krypsis.release.release import Release

ITEMS = "items"
GENERALIZES, SUPPRESSES = "IG_", "_IS"
"""How schemes say that items are published more generally, and that some are left out."""
CERTAIN = "no sets that could lie behind the release have fewer or more"


def items_of(where: Where) -> tuple[str, ...]:
    """Return the items that records are to hold.

    Raises
    ------
    UsageError
        if something else is asked for.
    """
    if set(where) != {ITEMS}:
        raise UsageError(f"of sets it is asked which items a record holds, such as items=bread|milk; got {list(where)}")
    given = where[ITEMS]
    items = (given,) if isinstance(given, str) else given
    if not isinstance(items, tuple | list | set | frozenset) or isinstance(given, tuple):
        raise UsageError(f"items is one item or several, such as items=bread|milk; got {given!r}")
    found = tuple(map(str, items))
    if len(set(found)) < len(found) or not found:
        raise UsageError(f"items names at least one item, and each once; got {'|'.join(found)}")
    return found


def count_in_release(release: Release, where: Where, domains: Mapping[str, object]) -> CountAnswer:
    """Return what a release of sets says about how many records hold all items."""
    publication, items = release.publication, items_of(where)
    if not isinstance(publication, SetsPublication):
        raise UsageError(f"expected a release of sets of items, got one of {release.kind}")
    published, hierarchy = publication.sets, domains.get(ITEMS, publication.item_hierarchy)
    generalizes = GENERALIZES in release.scheme
    if generalizes and not isinstance(hierarchy, Hierarchy):
        raise UsageError(
            "items are published as more general ones, and nothing says what these stand for; name the plan: --plan "
            "plan.yaml, in a program domains={'items': hierarchy}"
        )
    if isinstance(published, Disassociated):
        return count_in_pieces(published, items)
    if isinstance(published, GroupedSets):
        return count_in_groups(published, items)
    known = hierarchy if isinstance(hierarchy, Hierarchy) else None
    return count_in_labels(published, items, known, suppresses=SUPPRESSES in release.scheme)


def count_in_labels(
    published: Transactions, items: tuple[str, ...], hierarchy: Hierarchy | None, *, suppresses: bool
) -> CountAnswer:
    """Return estimate and bounds of a count: a label stands for one item below it at least, an item for itself.

    Examples
    --------
    >>> goods = Hierarchy.from_rows([["wine", "drink", "*"], ["beer", "drink", "*"], ["bread", "food", "*"]])
    >>> answer = count_in_labels(Transactions.of_sets([["drink"], ["wine"]]), ("wine",), goods, suppresses=False)
    >>> answer.estimate, answer.low, answer.high
    (1.5, 1, 2)
    """
    estimate = SetCounts(published, hierarchy).of_all(items)
    rows = [] if hierarchy is None else [[str(label) for label in row] for row in hierarchy.rows()]
    above = {row[0]: set(row) for row in rows}
    below: dict[str, int] = {}
    for row in rows:
        for label in set(row):
            below[label] = below.get(label, 0) + 1
    possible = [above.get(item, {item}) for item in items]
    certain = [{item, *(label for label in above.get(item, ()) if below[label] == 1)} for item in items]
    sets = published.sets()
    low = sum(all(record & labels for labels in certain) for record in sets)
    high = sum(all(record & labels for labels in possible) for record in sets)
    if suppresses:
        return CountAnswer(estimate, low, len(sets), "items were left out, and could have been in any record")
    return CountAnswer(estimate, low, high, CERTAIN)


def count_in_groups(published: GroupedSets, items: tuple[str, ...]) -> CountAnswer:
    """Return estimate and bounds of a count: in a group the sensitive items may belong to its records in any way."""
    hidden = [published.sensitive.index(item) for item in items if item in published.sensitive]
    known = {item for item in items if item not in published.sensitive}
    holding = np.array([known <= record for record in published.records.sets()], dtype=bool)
    open_part = np.bincount(published.groups[holding], minlength=len(published.sizes))
    counts = np.zeros((len(published.sizes), len(published.sensitive)), dtype=np.int64)
    counts[published.counts[:, 0], published.counts[:, 1]] = published.counts[:, 2]
    estimate, low, high = 0.0, 0, 0
    for group, size in enumerate(published.sizes.tolist()):
        parts = [int(open_part[group]), *counts[group, hidden].tolist()]
        least, most = fitting(parts, size)
        estimate, low, high = estimate + size * prod(part / size for part in parts), low + least, high + most
    return CountAnswer(estimate, low, high, CERTAIN)


def count_in_pieces(published: Disassociated, items: tuple[str, ...]) -> CountAnswer:
    """Return the estimate and the bounds of a count over clusters of pieces.

    Notes
    -----
    A piece belongs to each record of its cluster alike, so ``S`` with parts ``S_i`` in the chunks of a cluster of ``n``
    records is expected in ``n · Π n_i(S_i) / n`` of them; an item of a term chunk is counted once, since it is known to
    be in one record at least. The bounds are those of subsets of the records of a cluster, and of the pieces of shared
    chunks; they are exact for clusters without shared chunks, and may be wider than necessary for others.

    Examples
    --------
    >>> pieces, nothing = Transactions.of_sets([["a"], ["a"], ["b"]]), Transactions.of_sets([[]])
    >>> clusters = Disassociated.of(pieces, [0, 2, 3], [0, 0], sizes=[2], parents=[-1], terms=nothing)
    >>> answer = count_in_pieces(clusters, ("a", "b"))
    >>> answer.estimate, answer.low, answer.high
    (1.0, 1, 1)
    """
    code_of = {item: code for code, item in enumerate(published.items)}
    codes = [code_of[item] for item in items if item in code_of]
    if len(codes) < len(items):
        return CountAnswer(0.0, 0, 0, CERTAIN)
    return _PieceCounts(published, codes).answer()


@dataclass(frozen=True, eq=False)
class _PieceCounts:
    """The counts of one question in all chunks."""

    published: Disassociated
    codes: list[int]

    def answer(self) -> CountAnswer:
        published = self.published
        estimates, low, high = 0.0, 0, dict[int, int]()
        for leaf, size in enumerate(published.sizes.tolist()):
            estimate, least, most = self._leaf(leaf, size)
            estimates, low, high[leaf] = estimates + estimate, low + least, most
        for node in range(published.clusters, len(published.parents)):
            children = np.flatnonzero(published.parents == node).tolist()
            high[node] = min([sum(high[child] for child in children), *self._shared_limits(node)])
        roots = np.flatnonzero(published.parents < 0).tolist()
        together = [self._held[chunk] for chunk, has in self._wanted.items() if len(has) == len(self.codes)]
        return CountAnswer(estimates, max([low, *together]), sum(high[root] for root in roots), CERTAIN)

    @cached_property
    def _wanted(self) -> Mapping[int, frozenset[int]]:
        """Chunk → those of the items that it has."""
        width = max(len(self.published.items), 1)
        chunks, items = np.divmod(self.published.chunk_items, width)
        found: dict[int, set[int]] = {}
        asked = np.isin(items, self.codes)
        for chunk, item in zip(chunks[asked].tolist(), items[asked].tolist(), strict=True):
            found.setdefault(chunk, set()).add(item)
        return {chunk: frozenset(has) for chunk, has in found.items()}

    @cached_property
    def _held(self) -> Mapping[int, int]:
        """Chunk → how many of its pieces hold all of the items that it has."""
        pieces = self.published.pieces
        asked = np.isin(pieces.codes, self.codes)
        per_piece = np.bincount(pieces.records[asked], minlength=len(pieces))
        return {chunk: self._with_all(chunk, per_piece, len(has)) for chunk, has in self._wanted.items()}

    def _with_all(self, chunk: int, per_piece: IntArray, wanted: int) -> int:
        start, end = self.published.chunk_starts[chunk : chunk + 2].tolist()
        return int((per_piece[start:end] == wanted).sum())

    def _scope(self, leaf: int) -> list[int]:
        """Return the cluster and the joint clusters that it lies in."""
        found = [leaf]
        while (above := int(self.published.parents[found[-1]])) >= 0:
            found.append(above)
        return found

    @cached_property
    def _chunks_of(self) -> Mapping[int, list[int]]:
        found: dict[int, list[int]] = {}
        for chunk in self._wanted:
            found.setdefault(int(self.published.chunk_nodes[chunk]), []).append(chunk)
        return found

    @cached_property
    def _below(self) -> IntArray:
        return self.published.below(self.published.sizes)

    def _leaf(self, leaf: int, size: int) -> tuple[float, int, int]:
        """Return estimate, least and most for the records of a simple cluster."""
        chunks = [chunk for node in self._scope(leaf) for chunk in self._chunks_of.get(node, [])]
        places = {code: [chunk for chunk in chunks if code in self._wanted[chunk]] for code in self.codes}
        terms = self.published.terms
        own_terms = set(terms.codes[terms.records == leaf].tolist())
        if any(not places[code] and code not in own_terms for code in self.codes):
            return 0.0, 0, 0
        share, least, most = 1.0, [], [size]
        for chunk in chunks:
            first = [code for code in self._wanted[chunk] if places[code][0] == chunk]
            held = self._held[chunk] if len(first) == len(self._wanted[chunk]) else self._of_part(chunk, first)
            if not first:
                continue
            around = int(self._below[int(self.published.chunk_nodes[chunk])])
            share *= held / around
            least.append(max(0, held - (around - size)))
        for code in self.codes:
            if not places[code]:
                share /= size
                least.append(1)
            elif code not in own_terms:
                most.append(sum(self._of_part(chunk, [code]) for chunk in places[code]))
        most += [self._held[chunk] for chunk in chunks if self._is_only_place(chunk, places, own_terms)]
        return size * share, fitting(least, size)[0], min(most)

    def _is_only_place(self, chunk: int, places: Mapping[int, list[int]], own_terms: set[int]) -> bool:
        return all(places[code] == [chunk] and code not in own_terms for code in self._wanted[chunk])

    def _of_part(self, chunk: int, codes: list[int]) -> int:
        """Return how many pieces of a chunk hold these items."""
        pieces = self.published.pieces
        start, end = self.published.chunk_starts[chunk : chunk + 2].tolist()
        here = (pieces.records >= start) & (pieces.records < end) & np.isin(pieces.codes, codes)
        return int((np.bincount(pieces.records[here] - start, minlength=end - start) == len(codes)).sum())

    def _shared_limits(self, node: int) -> list[int]:
        """Return for each shared chunk of a node how many records below it can have its part, where they need it."""
        leaves = [leaf for leaf in range(self.published.clusters) if node in self._scope(leaf)]
        chunks = self._chunks_of.get(node, [])
        return [self._held[chunk] for chunk in chunks if all(self._needs(leaf, chunk) for leaf in leaves)]

    def _needs(self, leaf: int, chunk: int) -> bool:
        """Say whether records of a cluster can have the part of a chunk from there alone."""
        chunks = [other for node in self._scope(leaf) for other in self._chunks_of.get(node, []) if other != chunk]
        terms = self.published.terms
        elsewhere = set(terms.codes[terms.records == leaf].tolist()).union(*(self._wanted[other] for other in chunks))
        return not elsewhere & self._wanted[chunk]
