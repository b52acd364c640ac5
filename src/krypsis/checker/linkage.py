"""The links between an original table and a published one: which published record could be which original one.

All counting is done on the distinct tuples of both tables. Per attribute, a bit says for each published label and each
original tuple whether the one stands for the other; the links of a published tuple are the bits that its labels have
in common. So a pair of tuples costs one bit per attribute, and memory stays within that of one block and of the
links themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from krypsis.arrays import BoolArray, IntArray
from krypsis.checker.base import judges
from krypsis.checker.coverage import coverage_of
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.errors import DataError, UsageError, column_not_found
from krypsis.io.texts import PLAIN, text_of
from krypsis.models.base import Verdict
from krypsis.models.links import LinkModel, Side

if TYPE_CHECKING:
    from krypsis.checker.table import TableCase


def usable_links(
    originals: IntArray, published: IntArray, original_counts: IntArray, published_counts: IntArray
) -> BoolArray:
    """Say for each link whether some assignment of all records uses it; none does if there is no assignment.

    Link ``i`` is between the distinct tuples ``originals[i]`` and ``published[i]``, of which there are so many records.

    Notes
    -----
    One assignment is a maximum flow from the original to the published tuples. A link is used by some assignment if it
    carries flow, or lies on a cycle along which flow can be moved: both ends are in the same strongly connected
    component of the residual graph.

    References
    ----------
    Tassa, "Finding all maximally-matchable edges in a bipartite graph", Theoretical Computer Science 423, 2012.

    Examples
    --------
    >>> one = np.array([1, 1])
    >>> usable_links(np.array([0, 0, 1]), np.array([0, 1, 1]), one, one)
    array([ True, False,  True])
    """
    # Loaded here: nothing else needs these libraries.
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    flow = _flow(originals, published, original_counts, published_counts)
    if flow is None:
        return np.zeros(len(originals), dtype=np.bool_)
    # Links on some perfect matching: those of one matching, and those on a cycle of the residual graph.
    carries = flow > 0
    size = len(original_counts) + len(published_counts)
    ends = published + len(original_counts)
    rows = np.concatenate([originals, ends[carries]])
    columns = np.concatenate([ends, originals[carries]])
    residual = csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(size, size))
    _, component = connected_components(residual, directed=True, connection="strong")
    return np.asarray(carries | (component[originals] == component[ends]))


def _flow(
    originals: IntArray, published: IntArray, original_counts: IntArray, published_counts: IntArray
) -> IntArray | None:
    """Return the number of records that one assignment sends along each link; nothing if there is no assignment."""
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import maximum_flow  # noqa: PLC0415

    before, after = len(original_counts), len(published_counts)
    source, sink = before + after, before + after + 1
    ends = published + before
    rows = np.concatenate([originals, np.full(before, source), np.arange(before, before + after)])
    columns = np.concatenate([ends, np.arange(before), np.full(after, sink)])
    room = np.minimum(original_counts[originals], published_counts[published])
    capacity = np.concatenate([room, original_counts, published_counts]).astype(np.int32)
    network = csr_array((capacity, (rows, columns)), shape=(sink + 1, sink + 1))
    found = maximum_flow(network, source, sink)
    if found.flow_value < original_counts.sum():
        return None
    flow: IntArray = np.asarray(csr_array(found.flow)[originals, ends]).astype(np.int64).ravel()
    return flow


Bits = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]

WORD = 64
BLOCK = 1 << 20
"""Bytes of bits that are looked at together; where everything is linked, 130 times as many are needed for a moment."""

MOST_LINKS = 10_000_000
"""Links that are kept to find assignments, about 120 bytes each for a while; counting alone keeps none."""


@dataclass(frozen=True, eq=False)
class Tuples:
    """The distinct tuples of a table: ``codes[tuple, attribute]`` are places in ``values[attribute]``."""

    values: tuple[tuple[Label, ...], ...]
    codes: IntArray
    counts: IntArray

    @classmethod
    def of(cls, table: pl.DataFrame, attributes: Sequence[str]) -> "Tuples":
        """Count the distinct tuples of a table, in a fixed order."""
        for name in attributes:
            if name not in table.columns:
                raise column_not_found(name, table.columns)
        keys = [f"q{place}" for place in range(len(attributes))]
        texts = [text_of(table.get_column(name)).rename(PLAIN) for name in attributes]
        domains = [text.unique().sort(nulls_last=True) for text in texts]
        columns = [
            text.replace_strict(domain, pl.int_range(len(domain), dtype=pl.Int64, eager=True)).alias(key)
            for text, domain, key in zip(texts, domains, keys, strict=True)
        ]
        counted = pl.DataFrame(columns).group_by(keys).agg(count=pl.len().cast(pl.Int64)).sort(keys)
        codes = counted.select(keys).to_numpy().reshape(-1, len(keys)).astype(np.int64)
        return cls(tuple(tuple(domain.to_list()) for domain in domains), codes, counted["count"].to_numpy())

    def row(self, place: int) -> tuple[Label, ...]:
        """Return the values of a tuple."""
        return tuple(self.values[at][code] for at, code in enumerate(self.codes[place].tolist()))


@dataclass(frozen=True, eq=False)
class Linkage:
    """The links of one quasi-identifier set; see :class:`krypsis.models.links.Links`.

    Examples
    --------
    >>> original = pl.DataFrame({"zip": ["94138", "94141", "94142"]})
    >>> published = pl.DataFrame({"zip": ["*", "94141", "{94141, 94142}"]})
    >>> linkage = Linkage.of(original, published, ["zip"])
    >>> [row[0] for row in map(linkage.originals.row, range(3))], linkage.of_originals, linkage.matches_of_originals
    (['94138', '94141', '94142'], array([1, 3, 2]), array([1, 1, 1]))
    """

    attributes: tuple[str, ...]
    originals: Tuples
    published: Tuples
    covered: tuple[BoolArray, ...]
    """Per attribute ``[label, value]``."""

    @classmethod
    def of(
        cls,
        original: pl.DataFrame,
        published: pl.DataFrame,
        attributes: Sequence[str],
        hierarchies: Mapping[str, Hierarchy] | None = None,
    ) -> "Linkage":
        """Link two tables that hold the same records, in any order.

        Raises
        ------
        DataError
            if they have different numbers of records, or a published label is not understood.
        """
        if original.height != published.height:
            raise DataError(
                f"the original table has {original.height} records and the published one {published.height}; who "
                "could be who is counted where both hold the same records: give the table that was published from"
            )
        return cls.between(original, published, attributes, hierarchies)

    @classmethod
    def between(
        cls,
        original: pl.DataFrame,
        published: pl.DataFrame,
        attributes: Sequence[str],
        hierarchies: Mapping[str, Hierarchy] | None = None,
    ) -> "Linkage":
        """Link two tables of any size.

        Raises
        ------
        DataError
            if a published label is not understood.
        """
        before, after = Tuples.of(original, attributes), Tuples.of(published, attributes)
        covered = tuple(
            coverage_of(after.values[place], before.values[place], name, (hierarchies or {}).get(name))
            for place, name in enumerate(attributes)
        )
        return cls(tuple(attributes), before, after, covered)

    @property
    def of_originals(self) -> IntArray:
        """For each distinct original tuple, the number of published records that generalize it."""
        return self._degrees[0]

    @property
    def of_published(self) -> IntArray:
        """For each distinct published tuple, the number of original records that it generalizes."""
        return self._degrees[1]

    @cached_property
    def matches_of_originals(self) -> IntArray:
        """For each distinct original tuple, the number of published records it is given in some assignment."""
        published, originals = self.pairs
        usable = usable_links(originals, published, self.originals.counts, self.published.counts)
        weights = self.published.counts[published[usable]]
        return np.bincount(originals[usable], weights, minlength=len(self.originals.counts)).astype(np.int64)

    @property
    def has_assignment(self) -> bool:
        """Whether every original record can be given a published one that generalizes it, and each one once."""
        return bool((self.matches_of_originals > 0).all())

    @cached_property
    def _degrees(self) -> tuple[IntArray, IntArray]:
        of_originals = np.zeros(len(self.originals.counts), dtype=np.int64)
        of_published = np.zeros(len(self.published.counts), dtype=np.int64)
        for published, originals in self._blocks():
            of_originals += _sums(originals, self.published.counts[published], len(of_originals))
            of_published += _sums(published, self.originals.counts[originals], len(of_published))
        return of_originals, of_published

    @cached_property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """The links: which distinct published tuple generalizes which distinct original one, one entry per link."""
        blocks, total = [], 0
        for published, originals in self._blocks():
            total += len(published)
            if total > MOST_LINKS:
                raise UsageError(
                    f"the two tables have more than {MOST_LINKS:,} links between different records, too many to look "
                    "for assignments of all records at once; check kk-anonymity, which needs none, or a sample"
                )
            blocks.append((published, originals))
        if not blocks:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        return np.concatenate([one for one, _ in blocks]), np.concatenate([other for _, other in blocks])

    def _blocks(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the links as pairs of a published and an original tuple, some published tuples at a time."""
        width = -(-len(self.originals.counts) // WORD)
        tables = [self._words(place, width) for place in range(len(self.attributes))]
        size = max(BLOCK // max(8 * width, 1), 1)
        for start in range(0, len(self.published.counts), size):
            labels = self.published.codes[start : start + size]
            # A published tuple generalizes an original one if every one of its labels does: the common bits.
            common = tables[0][labels[:, 0]]
            for place, table in enumerate(tables[1:], start=1):
                common &= table[labels[:, place]]
            rows, columns = _ones(common)
            yield rows + start, columns

    def _words(self, place: int, width: int) -> Words:
        """Return ``[label, word]``: one bit per original tuple."""
        covered, codes = self.covered[place], self.originals.codes[:, place]
        bits: Bits = np.zeros((len(covered), width * WORD // 8), dtype=np.uint8)
        for label, row in enumerate(covered):
            packed = np.packbits(row[codes])
            bits[label, : len(packed)] = packed
        return bits.view(np.uint64)


def _ones(words: Words) -> tuple[IntArray, IntArray]:
    """Return row and column of every bit that is set."""
    rows, places = np.nonzero(words)
    bits = np.unpackbits(words[rows, places].view(np.uint8)).reshape(-1, WORD)
    found, offsets = np.nonzero(bits)
    return rows[found], places[found] * WORD + offsets


def _sums(places: IntArray, weights: IntArray, length: int) -> IntArray:
    return np.bincount(places, weights, minlength=length).astype(np.int64)


SHOWN = 5
"""How many offending records a verdict shows."""

OTHER: dict[Side, Side] = {"original": "published", "published": "original"}


def judge_links(model: LinkModel, sets: Sequence[Linkage]) -> Verdict:
    """Return the verdict over all quasi-identifier sets: the record with the fewest links in any of them counts."""
    # k-anonymity revisited: (1,k) counts matches of private tuples, (k,1) those of published ones, (k,k) both.
    counts = [(links, side, count) for links in sets for side, count in model.counts(links).items()]
    achieved = min((int(count.min(initial=np.iinfo(np.int64).max)) for _, _, count in counts), default=0)
    broken = [(links, side, count) for links, side, count in counts if (count < model.k).any()]
    return Verdict(
        promise=model.spec,
        holds=not broken,
        required=model.required,
        achieved=float(achieved),
        sentence=_sentence(model, broken, achieved, several_sets=len(sets) > 1),
        offending=tuple(_offending(model, broken))[:SHOWN],
    )


@judges(LinkModel, pl.DataFrame)
def _judge_table(model: LinkModel, table: pl.DataFrame, case: "TableCase") -> Verdict:
    return nothing_to_link(model) if table.is_empty() else judge_links(model, case.links(model, table))


def nothing_to_link(model: LinkModel) -> Verdict:
    """Return the verdict about a table without records."""
    sentence = "Not kept: the published table has no records, so there is nothing to hide among."
    return Verdict(promise=model.spec, holds=False, required=model.required, achieved=0.0, sentence=sentence)


Broken = Sequence[tuple[Linkage, Side, IntArray]]


def _sentence(model: LinkModel, broken: Broken, achieved: int, *, several_sets: bool) -> str:
    figures = f"required at least {model.k}, achieved {achieved}"
    if not broken:
        return f"Kept, compared with the original table: {model.promise()} ({figures})."
    if achieved == 0 and model.counts_assignments and not broken[0][0].has_assignment:
        return (
            f"Not kept: the published table cannot come from this original one, since no assignment gives every "
            f"original record a published one of its own that generalizes it ({figures})."
        )
    links, side, count = max(broken, key=lambda entry: _records(entry[0], entry[1], entry[2], model.k))
    where = f" by {', '.join(links.attributes)}" if several_sets else ""
    return (
        f"Not kept: {_records(links, side, count, model.k)} of {_tuples(links, side).sum()} {side} records{where} "
        f"break the promise that {model.promise()} ({figures})."
    )


def _tuples(links: Linkage, side: Side) -> IntArray:
    return links.originals.counts if side == "original" else links.published.counts


def _records(links: Linkage, side: Side, count: IntArray, k: int) -> int:
    return int(_tuples(links, side)[count < k].sum())


def _offending(model: LinkModel, broken: Broken) -> Iterator[dict[str, object]]:
    """Yield records with too few links, those with fewest first."""
    sample = [
        (int(count[place]), side, links, place)
        for links, side, count in broken
        for place in np.argsort(count, kind="stable")[:SHOWN].tolist()
        if count[place] < model.k
    ]
    for number, side, links, place in sorted(sample, key=lambda entry: entry[0]):
        tuples = links.originals if side == "original" else links.published
        values = dict(zip(links.attributes, tuples.row(place), strict=True))
        yield {"values": values, "size": number, "record": side, "counts": OTHER[side]}
