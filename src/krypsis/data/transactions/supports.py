"""How many records hold items together, answered from disassociated sets without putting records together."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.transactions.disassociated import Disassociated
from krypsis.errors import UsageError, did_you_mean


@dataclass(frozen=True, eq=False)
class Spans:
    """Where what lies below each node begins and ends.

    Examples
    --------
    >>> from krypsis.data.transactions import Transactions
    >>> pieces, terms = Transactions.of_sets([["a"]]), Transactions.of_sets([["b"], ["c"]])
    >>> both = Disassociated.of(pieces, [0, 1], [2], sizes=[2, 3], parents=[2, 2, -1], terms=terms)
    >>> spans = Spans.of(both, both.sizes)
    >>> spans.begin.tolist(), spans.end.tolist()
    ([3, 0, 0], [5, 3, 5])
    """

    begin: IntArray
    end: IntArray

    @classmethod
    def of(cls, published: Disassociated, numbers: IntArray) -> "Spans":
        """Return the spans where each simple cluster has a number of things; the last clusters come first."""
        counts = published.below(numbers)
        begin, free, next_top = np.zeros_like(counts), np.zeros_like(counts), 0
        for node in range(len(counts) - 1, -1, -1):  # parents come after their children
            parent = int(published.parents[node])
            begin[node] = free[node] = next_top if parent < 0 else free[parent]
            if parent < 0:
                next_top += int(counts[node])
            else:
                free[parent] += counts[node]
        return cls(begin, begin + counts)

    def below(self, node: int) -> range:
        """Return what lies below a node."""
        return range(int(self.begin[node]), int(self.end[node]))

    def clusters(self, published: Disassociated) -> IntArray:
        """Return for each of the things the simple cluster that has it."""
        order = np.argsort(self.begin[: published.clusters], kind="stable")
        return np.repeat(order, (self.end - self.begin)[order])


MOST_ITEMS = 12
"""A set of more items is not estimated: they may be spread over chunks in too many ways."""


@dataclass(frozen=True, eq=False)
class Supports:
    """Answers how many records hold a set of items: at least, and about.

    Examples
    --------
    >>> from krypsis.data.transactions import Transactions
    >>> pieces = Transactions.of_sets([["flu"], ["flu"], ["tv"], ["tv"]])
    >>> terms = Transactions.of_sets([["ikea"]])
    >>> published = Disassociated.of(pieces, [0, 2, 4], [0, 0], sizes=[4], parents=[-1], terms=terms)
    >>> supports = Supports(published)
    >>> supports.certain([["flu"], ["ikea"], ["flu", "tv"]]).tolist()
    [2, 1, 0]
    >>> supports.expected([["flu"], ["ikea"], ["flu", "tv"]]).tolist()
    [2.0, 1.0, 1.0]
    """

    published: Disassociated

    def certain(self, queries: Iterable[Iterable[str]]) -> IntArray:
        """Return for each set of items how many records hold it in every data set that fits what is published.

        Counted are the pieces that hold the set; for a single item, one more for each term chunk that lists it.
        """
        return np.array([self._certain(items) for items in self._coded(queries)], dtype=np.int64)

    def expected(self, queries: Iterable[Iterable[str]]) -> FloatArray:
        """Return for each set of items how many records hold it on average, if all placements are equally likely.

        In a cluster of ``n`` records, of which ``c`` pieces of a chunk hold the items that the set has there, this is
        ``n`` times the product of ``c / n`` over the chunks. A piece of a shared chunk may belong to any record below
        it whose cluster does not hold its items elsewhere. An item of a term chunk counts as held by one record.

        References
        ----------
        Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 5(10), 2012.
        """
        return np.array([self._expected(items) for items in self._coded(queries)], dtype=np.float64)

    def _certain(self, items: list[int]) -> int:
        if not items:
            return len(self.published)
        listed = int(self.published.terms.supports[items[0]]) if len(items) == 1 else 0
        return len(self._pieces_with(items)) + listed

    def _expected(self, items: list[int]) -> float:
        if len(items) > MOST_ITEMS:
            raise UsageError(f"at most {MOST_ITEMS} items can be asked for together, got {len(items)}")
        sources = np.array([self._source(item) for item in items], dtype=np.int64).reshape(-1, self.published.clusters)
        product: FloatArray = np.asarray((sources >= 0).all(axis=0), dtype=np.float64)
        for size in range(1, len(items) + 1):
            for places in combinations(range(len(items)), size):
                if (alone := _exactly(sources, places) & (product > 0)).any():
                    product[alone] *= self._share([items[place] for place in places], sources, places)[alone]
        return float((self.published.sizes * product).sum())

    def _share(self, items: list[int], sources: IntArray, places: tuple[int, ...]) -> FloatArray:
        """Return for each cluster the share of its records that hold some items, which one chunk has."""
        source, chunks = sources[places[0]], len(self.published.chunk_nodes)
        sizes = self.published.sizes
        together = (sources[list(places)] == source).all(axis=0) & (source >= 0) & (source < chunks)
        records = np.bincount(source[together], weights=sizes[together], minlength=chunks)
        pieces = np.bincount(self.published.chunk_of_piece[self._pieces_with(items)], minlength=chunks)
        of_chunk = np.append(pieces / np.maximum(records, 1), 0.0)
        return np.where(source >= chunks, 1 / sizes, of_chunk[np.minimum(source, chunks)])

    def _source(self, item: int) -> IntArray:
        """Return for each cluster the chunk that its records have an item from; -1 where they do not hold it.

        It is the lowest one on the way up. Every entry of a term chunk is a source of its own, after all chunks.
        """
        published, spans = self.published, self._spans
        order = np.argsort(spans.begin[: published.clusters], kind="stable")
        found = np.full(published.clusters, -1, dtype=np.int64)
        chunks = np.unique(published.chunk_of_piece[self._pieces_with([item])])
        # Parents have larger numbers than what lies in them, so the lowest chunk has the last word.
        for chunk in chunks[np.argsort(-published.chunk_nodes[chunks], kind="stable")].tolist():
            node = published.chunk_nodes[chunk]
            found[order[spans.begin[node] : spans.end[node]]] = chunk
        terms = published.terms
        found[terms.records[terms.codes == item]] = len(published.chunk_nodes) + item
        return found

    @cached_property
    def _spans(self) -> Spans:
        return Spans.of(self.published, np.ones(self.published.clusters, dtype=np.int64))

    def _pieces_with(self, items: list[int]) -> IntArray:
        """Return the pieces that hold all of some items."""
        order, edges = self._holders
        found = [
            order[edges[item] : edges[item + 1]] for item in sorted(items, key=lambda one: edges[one + 1] - edges[one])
        ]
        pieces = found[0]
        for other in found[1:]:
            pieces = np.intersect1d(pieces, other, assume_unique=True)
        return pieces

    @cached_property
    def _holders(self) -> tuple[IntArray, IntArray]:
        """Return the pieces of each item, one item after the other, and where each item starts."""
        pieces = self.published.pieces
        order = np.argsort(pieces.codes, kind="stable")
        edges = np.searchsorted(pieces.codes[order], np.arange(len(pieces.items) + 1))
        return pieces.records[order], edges

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {item: code for code, item in enumerate(self.published.items)}

    def _coded(self, queries: Iterable[Iterable[str]]) -> Iterable[list[int]]:
        for items in queries:
            if isinstance(items, str):
                raise UsageError(f"a query is a list of items such as ['bread', 'milk'], got {items!r}")
            wanted = sorted(set(items))
            if strangers := [item for item in wanted if item not in self._codes]:
                hint = did_you_mean(strangers[0], self.published.items)
                raise UsageError(f"no record holds {strangers[0]!r}; ask for items that occur.{hint}")
            yield [self._codes[item] for item in wanted]


def _exactly(sources: IntArray, places: tuple[int, ...]) -> BoolArray:
    """Say in which clusters just these items have the same source."""
    same = sources == sources[places[0]]
    is_wanted = np.isin(np.arange(len(sources)), places)
    return np.asarray((same == is_wanted[:, None]).all(axis=0) & (sources[places[0]] >= 0))
