"""What pieces of disassociated sets give away where one item always comes with another."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.attacks.base import Attack, AttackSuccess
from krypsis.attacks.exposure import opened
from krypsis.data.transactions import Disassociated
from krypsis.errors import UsageError


class CoverAttack(Attack):
    """Learns a further item of a person from an item that comes with it in the same chunk (the cover problem).

    All pieces of a chunk that hold the item ``known`` may hold ``learned`` as well. Whoever knows that a person of that
    cluster holds the first knows the second, too: m known items count as more than m, for which nothing is promised.
    Found from what is published alone.

    Notes
    -----
    k records or more still hold both, so the promise of k^m-anonymity is kept; what is learned is another item, not who
    the person is. The papers describe items so tightly coupled; their own measure of the
    breach is another. Cost: linear in the pairs of items in pieces.

    References
    ----------
    Barakat, al Bouna, Nassar, Guyeux, "On the evaluation of the privacy breach in disassociated set-valued datasets",
    SECRYPT 2016. Awad, al Bouna, Couchot, Philippe, "Safe disassociation of set-valued datasets", 2019.

    Examples
    --------
    >>> from krypsis.data.transactions import Transactions
    >>> pieces, terms = Transactions.of_sets([["aids", "clinic"]] * 2 + [["clinic"]] * 2), Transactions.of_sets([[]])
    >>> found = CoverAttack().find(Disassociated.of(pieces, [0, 4], [0], sizes=[4], parents=[-1], terms=terms))
    >>> found.rows()
    [(0, 'aids', 'clinic', 2, 1.0)]
    """

    name: ClassVar[str] = "cover"
    title: ClassVar[str] = "cover problem"
    kind: ClassVar[str] = "transactions"
    knowledge: ClassVar[str] = "in which cluster a person is, and one item of the person"
    success: ClassVar[str] = "the item that most often comes with the known one in its chunk is also the person's"
    baseline: ClassVar[str] = "the most frequent other item of all records, as far as the pieces say, is the person's"
    reference: ClassVar[str] = (
        "Barakat, al Bouna, Nassar, Guyeux, On the evaluation of the privacy breach in disassociated set-valued "
        "datasets, SECRYPT 2016"
    )

    def aimed_at(self, target: object) -> tuple[Self, ...]:
        """Return the attack for sets in pieces, nothing for anything else."""
        return () if _chunks_of(target) is None else (self,)

    def find(self, target: Any) -> pl.DataFrame:
        """Return the items that never stand without another one in their chunk.

        Parameters
        ----------
        target
            disassociated sets, a release of them, or its folder.

        Returns
        -------
        polars.DataFrame
            ``cluster``, the number of the simple or joint cluster; ``known`` and ``learned``; ``pieces``, how many hold
            both; ``probability``, with which a person of any cluster who holds ``known`` holds ``learned``, as far as
            the pieces say: the pieces of the whole release with both, by those with ``known`` and the term chunks that
            list it. Inside the cluster it is 1.
        """
        published = _published(target)
        couples = _Couples.of(published)
        # Cover problem: every sub-record of a chunk with the one term has the other as well.
        known, learned = couples.known[couples.is_covered], couples.learned[couples.is_covered]
        names = np.array([*published.items, ""], dtype=object)
        return pl.DataFrame(
            {
                "cluster": published.chunk_nodes[couples.chunk[couples.is_covered]],
                "known": pl.Series(names[known].tolist(), dtype=pl.String),
                "learned": pl.Series(names[learned].tolist(), dtype=pl.String),
                "pieces": couples.count[couples.is_covered].astype(np.int64),
                "probability": pl.Series(couples.shares(published).tolist(), dtype=pl.Float64),
            }
        ).sort("probability", "pieces", "known", "learned", "cluster", descending=[True, True, False, False, False])

    def evaluate(self, found: pl.DataFrame, target: Any) -> AttackSuccess:  # noqa: ARG002  it counts all items
        """Return the chance of the best guess, on average over the items of all pieces."""
        published = _published(target)
        couples = _Couples.of(published)
        best = np.zeros(len(couples.own_count), dtype=np.int64)
        np.maximum.at(best, couples.place, couples.count)
        targets = int(couples.own_count.sum())
        hidden = len(published.terms.codes) > 0
        return AttackSuccess.of(
            self.name,
            targets=targets,
            rate=float(best.sum()) / targets if targets else 0.0,
            baseline=_baseline(published, couples),
            certain=float(couples.own_count[best == couples.own_count].sum()),
            cannot_say=["How often the items of term chunks occur is hidden; they are not attacked."] if hidden else (),
        )


def _chunks_of(target: Any) -> Disassociated | None:
    """Return the clusters of what is attacked; nothing where it has none."""
    opened_target = opened(target)
    chunks = getattr(getattr(opened_target, "publication", None), "chunks", opened_target)
    return chunks if isinstance(chunks, Disassociated) else None


def _published(target: Any) -> Disassociated:
    chunks = _chunks_of(target)
    if chunks is None:
        raise UsageError("this attack is for sets in pieces, such as 'disassociation' publishes; this release has none")
    return chunks


@dataclass(frozen=True, eq=False)
class _Couples:
    """Pairs of different items that stand together in some piece of a chunk, in both orders.

    An item of a chunk has the place ``place`` in ``own_item`` and ``own_count``, the pieces of the chunk that hold it.
    """

    own_item: IntArray
    own_chunk: IntArray
    own_count: IntArray
    place: IntArray
    learned: IntArray
    count: IntArray
    """How many pieces of the chunk hold both."""
    together: IntArray
    """Each pair in each piece, as ``known * width + learned``."""

    @classmethod
    def of(cls, published: Disassociated) -> "_Couples":
        width = max(len(published.items), 1)
        piece, known, learned = _pairs(published)
        pieces = published.pieces
        own, own_count = np.unique(published.chunk_of_piece[pieces.records] * width + pieces.codes, return_counts=True)
        place = np.searchsorted(own, published.chunk_of_piece[piece] * width + known)
        pair, count = np.unique(place * width + learned, return_counts=True)
        together = known * width + learned
        return cls(own % width, own // width, own_count, pair // width, pair % width, count, together)

    @property
    def known(self) -> IntArray:
        return self.own_item[self.place]

    @property
    def chunk(self) -> IntArray:
        return self.own_chunk[self.place]

    @property
    def is_covered(self) -> BoolArray:
        """Whether the first item of the pair never stands without the second."""
        return np.asarray(self.count == self.own_count[self.place])

    def shares(self, published: Disassociated) -> FloatArray:
        """Return for each covered pair the share of all places with the first item that have the second as well."""
        width = max(len(published.items), 1)
        pairs, counts = np.unique(self.together, return_counts=True)
        wanted = (self.known * width + self.learned)[self.is_covered]
        both = counts[np.searchsorted(pairs, wanted)]
        return np.asarray(both / _supports(published)[wanted // width], dtype=np.float64)


def _supports(published: Disassociated) -> IntArray:
    """Return for each item how many pieces and term chunks name it."""
    return np.asarray(published.pieces.supports + published.terms.supports)


def _baseline(published: Disassociated, couples: _Couples) -> float:
    """Return how often the most frequent item besides the known one is right, on average over the known items."""
    supports = _supports(published)
    if len(supports) < 2 or not len(published) or not len(couples.own_count):
        return 0.0
    second, first = np.argsort(supports, kind="stable")[-2:]
    guessed = np.where(couples.own_item == first, supports[second], supports[first])
    return float(guessed @ couples.own_count) / float(couples.own_count.sum() * len(published))


def _pairs(published: Disassociated) -> tuple[IntArray, IntArray, IntArray]:
    """Return all pairs of different items that stand in one piece, in both orders: piece, item, other item."""
    pieces = published.pieces
    room = pieces.sizes[pieces.records]
    entry = np.repeat(np.arange(len(pieces.codes)), room)
    offset = np.arange(len(entry)) - np.repeat(np.cumsum(room) - room, room)
    other = pieces.starts[pieces.records[entry]] + offset
    different = entry != other
    codes = pieces.codes.astype(np.int64)
    return pieces.records[entry[different]], codes[entry[different]], codes[other[different]]
