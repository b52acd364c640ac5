"""Draw data that could lie behind disassociated sets."""

from __future__ import annotations

from typing import Literal

import numpy as np

from krypsis.errors import UsageError
from krypsis.transactions.disassociated import Disassociated
from krypsis.transactions.filling import fill_records
from krypsis.transactions.listing import place_listed
from krypsis.transactions.placing import Placing
from krypsis.transactions.sets import Transactions
from krypsis.transactions.spans import Spans

Copies = Literal["one", "uniform"]


def reconstruct(
    published: Disassociated, rng: np.random.Generator, *, copies: Copies = "one", k: int | None = None
) -> Transactions:
    """Return one of the data sets that could lie behind the clusters, drawn at random.

    Every piece is put into a record of its cluster that has no other piece of the same chunk and none of its items
    elsewhere; every item of a term chunk into a record, where one is still empty into that one. No record stays empty.
    The records of a cluster follow each other; nothing else about their order means anything.

    Parameters
    ----------
    published
        the clusters.
    rng
        all chance comes from it.
    copies
        how many records get an item of a term chunk, of which only the presence is told: ``one``, or ``uniform``
        between 1 and ``k`` - 1, since an item that k records hold would have left the term chunk.
    k
        the k of the promise, for ``copies="uniform"``.

    Raises
    ------
    DataError
        if no data can lie behind the clusters.

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 5(10), 2012.

    Examples
    --------
    >>> pieces, terms = Transactions.of_sets([["flu"], ["flu"]]), Transactions.of_sets([["ikea"]])
    >>> clusters = Disassociated.of(pieces, [0, 2], [0], sizes=[3], parents=[-1], terms=terms)
    >>> sorted(sorted(one) for one in reconstruct(clusters, np.random.default_rng(0)).sets())
    [['flu'], ['flu'], ['ikea']]
    """
    if copies == "uniform" and (k is None or k < 2):
        raise UsageError(f"copies='uniform' needs the k of the promise, at least 2; got {k}")
    placing = Placing(published, Spans.of(published, published.sizes), rng)
    placing.place_all()
    fill_records(placing)
    most = 1 if copies == "one" or k is None else k - 1
    listed = place_listed(published, placing.spans, placing.slots, rng, most)
    pieces = published.pieces
    records = np.concatenate([placing.slots[pieces.records], listed.records])
    codes = np.concatenate([pieces.codes, listed.items]).astype(np.int64)
    return Transactions.of_pairs(records, codes, published.items, len(published))
