"""What became of the items of published sets, beside the sets before."""

from __future__ import annotations

from collections.abc import Iterator

from krypsis.report.set_values import Counts
from krypsis.report.text import percent, readable
from krypsis.report.values import Bar
from krypsis.transactions import Disassociated, PublishedSets, Transactions

SHOWN = 15
"""How many general items are drawn."""


def told_as_before(before: Transactions, published: PublishedSets) -> Iterator[str]:
    """Yield how much is told as it was.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["soap", "tea"], ["gel", "tea"]])
    >>> list(told_as_before(baskets, baskets.generalized({"soap": "care", "gel": "care"})))
    ['1 of 3 items are told as they were, with 50.0 % of all occurrences']
    """
    match published:
        case Disassociated():
            share = len(published.pieces.codes) / max(len(before.codes), 1)
            yield f"{percent(share)} of all occurrences of items are in pieces; the rest is only listed for its cluster"
        case Transactions():
            kept = set(before.items) & set(published.items)
            support = dict(zip(published.items, published.supports.tolist(), strict=True))
            share = sum(support[item] for item in kept) / max(len(before.codes), 1)
            items = f"{len(kept)} of {len(before.items)} items"
            yield f"{items} are told as they were, with {percent(share)} of all occurrences"


def general_items(before: Transactions, published: PublishedSets) -> Iterator[Counts]:
    """Yield the general items that are told instead of others, the most frequent first; nothing where there are none.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["soap", "tea"], ["gel", "tea"]])
    >>> [one.after for one in general_items(baskets, baskets.generalized({"soap": "care", "gel": "care"}))]
    [(Bar(label='care', records=2),)]
    """
    if not isinstance(published, Transactions):
        return
    known = set(before.items)
    told = zip(published.items, published.supports.tolist(), strict=True)
    found = sorted(((-records, label) for label, records in told if label not in known and records))
    if found:
        shown = f"the {SHOWN} most frequent of {len(found)} are shown" if len(found) > SHOWN else "all are shown"
        yield Counts(
            title="Which general items are told instead?",
            sentence=f"Number and share of the records that tell an item which stands for others; {shown}.",
            before=(),
            after=tuple(Bar(label=readable(label), records=-count) for count, label in found[:SHOWN]),
            total=len(published),
        )
