"""What a report says about a release of sets: every number is computed here, so that page and JSON agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from krypsis import registry
from krypsis.algorithms.sets.grouping.band import band_order, column_order
from krypsis.arrays import IntArray
from krypsis.dossier import Dossier
from krypsis.errors import UsageError
from krypsis.kinds.sets.publication import SetsPublication
from krypsis.kinds.sets.summary import published_sets, set_losses
from krypsis.profile.sets import profile_sets
from krypsis.release.release import Release
from krypsis.report.charts import svg
from krypsis.report.citation import citation_of
from krypsis.report.content import promise_results
from krypsis.report.dossier import dossier_section
from krypsis.report.risk import BUCKETS, bucket_label, numbers_between
from krypsis.report.set_values import Counts, KnownItems, SetMetricFigure, SetReportContent
from krypsis.report.summary import verdict_sentence
from krypsis.report.text import percent, readable
from krypsis.report.values import Bar
from krypsis.transactions import Disassociated, GroupedSets, PublishedSets, Transactions
from krypsis.version import __version__

CELLS = 160
"""Rows and columns of a picture, where there are as many records and items."""
SIDE = 400
"""Width and height of a picture in pixels."""
SHADES = 5


def band_pictures(transactions: Transactions, row_order: IntArray, column_order: IntArray) -> tuple[str, str]:
    """Return two drawings: records and items in the order in which they came, and in the orders given.

    Both have the same scale, so that the darkness of the one can be compared with that of the other.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["wine"], ["cream"], ["wine"]])
    >>> before, after = band_pictures(baskets, np.array([1, 0, 2]), np.array([0, 1]))
    >>> before.count("<path"), after.count('aria-label="2 items of 3 records, neighbors alike"')
    (1, 1)
    """
    as_they_came = density(transactions, np.arange(len(transactions)), np.arange(len(transactions.items)))
    in_order = density(transactions, row_order, column_order)
    most = max(int(as_they_came.max(initial=0)), int(in_order.max(initial=0)))
    what = f"{len(transactions.items):,} items of {len(transactions):,} records"
    return _drawn(as_they_came, most, f"{what}, as they came"), _drawn(in_order, most, f"{what}, neighbors alike")


def density(transactions: Transactions, row_order: IntArray, column_order: IntArray, cells: int = CELLS) -> IntArray:
    """Count the items of the records that fall into each cell of a grid of at most ``cells`` rows and columns.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["a", "b"], ["b"], ["c"], ["c", "d"]])
    >>> density(baskets, np.array([3, 2, 1, 0]), np.arange(4), cells=2).tolist()
    [[0, 3], [3, 0]]
    """
    rows, columns = _strips(row_order, cells), _strips(column_order, cells)
    height, width = min(cells, len(rows)), min(cells, len(columns))
    keys = rows[transactions.records] * max(width, 1) + columns[transactions.codes]
    return np.bincount(keys, minlength=height * width).reshape(height, width).astype(np.int64)


def _strips(order: IntArray, cells: int) -> IntArray:
    """Return for each number in which of ``cells`` strips of the order it stands, all nearly as wide."""
    strips = np.empty(len(order), dtype=np.int64)
    strips[order] = np.arange(len(order)) * min(cells, len(order)) // max(len(order), 1)
    return strips


def _drawn(grid: IntArray, most: int, title: str) -> str:
    """Return a grid as a drawing: the more of a cell is filled, the darker it is."""
    # On a scale of logarithms single items are seen beside the densest cells.
    shades = np.ceil(SHADES * np.log1p(grid) / np.log1p(max(most, 1))).astype(np.int64)
    paths = [_path(shades, shade) for shade in range(1, SHADES + 1)]
    height, width = grid.shape
    scale = f'<g transform="scale({SIDE / max(width, 1):.6g} {SIDE / max(height, 1):.6g})">'
    frame = f'<rect class="track" x="0" y="0" width="{SIDE}" height="{SIDE}" fill-opacity="0.25"/>'
    return svg([frame, scale, *paths, "</g>"], title, SIDE, SIDE)


def _path(shades: IntArray, shade: int) -> str:
    """Return the cells of one shade as one path of runs along the rows."""
    runs = []
    for row, line in enumerate((shades == shade).tolist()):
        column = 0
        for is_filled, cells in groupby(line):
            length = len(list(cells))
            if is_filled:
                runs.append(f"M{column} {row}h{length}v1h-{length}z")
            column += length
    return f'<path class="after" fill-opacity="{shade / SHADES:.2g}" d="{"".join(runs)}"/>' if runs else ""


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


def build_set_content(release: Release, name: str = "", dossier: Dossier | None = None) -> SetReportContent:
    """Return everything the report of a release of sets says; ``name`` is what the release is called.

    Raises
    ------
    UsageError
        if the release was loaded from its published files: the sets before are not there to compare with.

    Examples
    --------
    >>> import krypsis
    >>> baskets = krypsis.Transactions.of_sets([["bread", "milk"]] * 3 + [["wine"]] * 3)
    >>> release = krypsis.anonymize(baskets, models="km-anonymity:k=3,m=2", algorithm="disassociation")
    >>> build_set_content(release).summary[0]
    'The promise holds.'
    """
    before, publication = None if release.before is None else release.before.sets, release.publication
    if before is None or not isinstance(publication, SetsPublication):
        raise UsageError(
            "a report compares the sets before with the release, and this release does not carry them (it was loaded "
            "from its published files); make the report from the result of krypsis.anonymize"
        )
    published, promises = publication.sets, promise_results(release)
    identified = _identified(before, published)
    return SetReportContent(
        release_id=release.release_id,
        title="Anonymization report",
        name=readable(name) if name else "",
        tool_version=__version__,
        holds=bool(promises) and all(promise.holds for promise in promises),
        summary=(verdict_sentence(promises), f"{published_sets(published)}.", _risk_sentence(identified)),
        promises=promises,
        guarantee=release.guarantee,
        records_published=len(published),
        items_before=len(before.items),
        items_published=_items(published),
        occurrences=len(before.codes),
        identified=identified,
        lost=(*told_as_before(before, published), *set_losses(release, published)),
        metrics=tuple(_metric(metric, value) for metric, value in release.metrics.items()),
        counts=(*_counts(before, published), *general_items(before, published)),
        band=_band(before, published, publication.sensitive_items),
        algorithm=release.algorithm,
        dossier=None if dossier is None else dossier_section(dossier),
        citation=citation_of(release),
    )


def _items(published: PublishedSets) -> int:
    if isinstance(published, GroupedSets):
        return len(published.records.items) + len(published.sensitive)
    return len(published.items)


def _sets(published: PublishedSets) -> Transactions | None:
    """Return the sets that are published as such, one for each record."""
    if isinstance(published, Disassociated):
        return None
    return published.records if isinstance(published, GroupedSets) else published


def _identified(before: Transactions, published: PublishedSets) -> tuple[KnownItems, ...]:
    old, sets = profile_sets(before, "before"), _sets(published)
    new = None if sets is None else profile_sets(sets, "after")
    return tuple(
        KnownItems(
            known=known,
            before=old.identified[known - 1],
            after=None if new is None else new.identified[known - 1],
            is_exact=known < 3 or (old.is_exact and (new is None or new.is_exact)),
        )
        for known in (1, 2, 3)
    )


def _risk_sentence(identified: Sequence[KnownItems]) -> str:
    two = identified[1]
    before = f"Before, {percent(two.before)} of the records could be told from all others by two of their items"
    if two.after is None:
        return f"{before}; now no record is published as one set."
    return f"{before}; now {percent(two.after)}."


def _metric(spec: str, value: float) -> SetMetricFigure:
    metric = registry.find("metric", spec.partition(":")[0])
    return SetMetricFigure(
        name=spec,
        value=value,
        range=metric.range,
        formula=metric.formula,
        sentence=metric.sentence,
        direction="lower is better",
    )


def _counts(before: Transactions, published: PublishedSets) -> tuple[Counts, ...]:
    sets = _sets(published)
    found = [
        Counts(
            title="How many items have the records?",
            sentence="Number of records by the number of their items. Long records are easier to tell apart.",
            before=_bars(before.sizes),
            after=() if sets is None else _bars(sets.sizes),
        ),
        Counts(
            title="In how many records are the items?",
            sentence="Number of items by the number of records that hold them. Rare items tell records apart.",
            before=_bars(before.supports),
            after=() if sets is None else _bars(sets.supports),
        ),
    ]
    if isinstance(published, Disassociated | GroupedSets):
        what = "clusters" if isinstance(published, Disassociated) else "groups"
        sentence = f"Number of {what} by the number of their records."
        found.append(
            Counts(title=f"How large are the {what}?", sentence=sentence, before=(), after=_bars(published.sizes))
        )
    return tuple(found)


def _bars(numbers: IntArray) -> tuple[Bar, ...]:
    """Return how many numbers fall into each range."""
    ranges = [(0, 0), *BUCKETS] if (numbers == 0).any() else list(BUCKETS)
    return tuple(
        Bar(label=bucket_label(smallest, largest), records=len(numbers_between(numbers, smallest, largest)))
        for smallest, largest in ranges
    )


def _band(before: Transactions, published: PublishedSets, sensitive: frozenset[str]) -> tuple[str, str] | None:
    if not isinstance(published, GroupedSets):
        return None
    harmless = before.without(sensitive)
    rows = band_order(harmless)
    return band_pictures(harmless, rows, column_order(harmless, rows))
