"""The report on a release of sets of items: its figures, each computed once, and the blocks made of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from krypsis import registry
from krypsis.algorithms.sets.grouping.band import band_order, column_order
from krypsis.arrays import IntArray
from krypsis.data.transactions import Disassociated, GroupedSets, PublishedSets, Transactions
from krypsis.errors import UsageError
from krypsis.kinds.sets.measures import MEASURES, MeasuredFigure, errors_by_range
from krypsis.kinds.sets.profile import profile_sets
from krypsis.kinds.sets.publication import SetsPublication
from krypsis.kinds.sets.summary import published_sets, set_losses
from krypsis.kinds.table.group_risk import BUCKETS, bucket_label, numbers_between
from krypsis.release.dossier import Dossier
from krypsis.release.release import Release
from krypsis.report import blocks, sections
from krypsis.report.charts import FULL
from krypsis.report.text import percent, readable, sentence
from krypsis.version import __version__

CELLS = 160
"""Rows and columns of a picture, where there are as many records and items."""
SHOWN = 15
"""How many general items are drawn."""


@dataclass(frozen=True)
class KnownItems:
    """How many records are distinguished from all others by a number of their items, before and after.

    ``after`` is empty where no record is published as one set: then the promise limits what can be found.
    """

    known: int
    before: float
    after: float | None
    is_exact: bool


@dataclass(frozen=True)
class RangeCounts:
    """How often something occurs, in ranges, before and after; ``after`` is empty where that is not published."""

    title: str
    sentence: str
    before: tuple[blocks.Bar, ...]
    after: tuple[blocks.Bar, ...]
    total: int | None = None
    """What shares are of, where the bars do not add up to it."""

    def sides(self) -> Iterator[tuple[str, tuple[blocks.Bar, ...], Literal["before", "after"], int | None]]:
        """Yield the bars before and after that there are, with their titles and colors."""
        if self.before:
            yield "Before", self.before, "before", None
        if self.after:
            yield "After", self.after, "after", self.total


@dataclass(frozen=True)
class SetReportFigures:
    """All that a report says about a release of sets, number by number."""

    summary: tuple[str, ...]
    promises: tuple[blocks.PromiseResult, ...]
    guarantee: str
    records_published: int
    items_before: int
    items_published: int
    occurrences: int
    identified: tuple[KnownItems, ...]
    lost: tuple[str, ...]
    metrics: Mapping[str, float]
    counts: tuple[RangeCounts, ...]
    band: blocks.Pair | None
    """Which records hold which items, as they came and with neighbors alike."""
    algorithm: str
    measures: tuple[MeasuredFigure, ...] = ()
    """What the plan wanted to know beyond the usual metrics."""


def sets_report(release: Release, name: str = "", dossier: Dossier | None = None) -> blocks.Report:
    """Return the report of a release of sets; ``name`` is what the release is called.

    Raises
    ------
    UsageError
        if the release was loaded from its published files: the sets before are not there to compare with.
    """
    return sections.assemble(release, set_sections(set_figures(release)), name, dossier)


def set_figures(release: Release) -> SetReportFigures:
    """Return everything the report of a release of sets says.

    Raises
    ------
    UsageError
        if the release was loaded from its published files: the sets before are not there to compare with.

    Examples
    --------
    >>> import krypsis
    >>> baskets = krypsis.Transactions.of_sets([["bread", "milk"]] * 3 + [["wine"]] * 3)
    >>> release = krypsis.anonymize(baskets, models="km-anonymity:k=3,m=2", algorithm="disassociation")
    >>> set_figures(release).summary[0]
    'The promise holds.'
    """
    before, publication = None if release.before is None else release.before.sets, release.publication
    if before is None or not isinstance(publication, SetsPublication):
        raise UsageError(
            "a report compares the sets before with the release, and this release does not carry them (it was loaded "
            "from its published files); make the report from the result of krypsis.anonymize"
        )
    published, promises = publication.sets, sections.promise_results(release)
    identified = _identified(before, published)
    return SetReportFigures(
        summary=(sections.verdict_sentence(promises), f"{published_sets(published)}.", _risk_sentence(identified)),
        promises=promises,
        guarantee=release.guarantee,
        records_published=len(published),
        items_before=len(before.items),
        items_published=_items(published),
        occurrences=len(before.codes),
        identified=identified,
        lost=(*kept_items(before, published), *set_losses(release, published)),
        metrics=release.metrics,
        counts=(*_counts(before, published), *general_items(before, published)),
        band=_band(before, published, publication.sensitive_items),
        algorithm=release.algorithm,
        measures=tuple(MeasuredFigure(**one) for one in release.private.get(MEASURES, ())),
    )


def set_sections(figures: SetReportFigures) -> Iterator[blocks.Section]:
    """Yield the sections of the report on sets of items."""
    yield sections.summary_section(map(sentence, figures.summary), _tiles(figures))
    yield sections.promises_section(figures.promises)
    if figures.guarantee:
        yield blocks.Section(
            "guarantee", ("What the method guarantees",), (blocks.Panel((), (blocks.Text((figures.guarantee,)),)),)
        )
    yield _risk(figures.identified)
    yield blocks.Section("lost", ("What was lost",), tuple(_lost(figures)))
    if figures.measures:
        yield blocks.Section("measures", ("Measured on request",), tuple(_measures(figures.measures)))
    made = blocks.FactList(
        (blocks.fact("Algorithm", figures.algorithm or "–"), blocks.fact("Tool", f"Krypsis {__version__}"))
    )
    yield blocks.Section("recipe", ("How it was made",), (blocks.Panel((), (made,)),))


def _tiles(figures: SetReportFigures) -> Iterator[blocks.Tile]:
    yield sections.promises_tile(figures.promises)
    yield blocks.Tile("Records", (blocks.Number(figures.records_published),), ("sets of items",))
    yield blocks.Tile(
        "Items", (blocks.Number(figures.items_published),), (blocks.Number(figures.items_before), " before")
    )
    yield blocks.Tile("Occurrences", (blocks.Number(figures.occurrences),), ("items of all records before",))


def _risk(identified: Sequence[KnownItems]) -> blocks.Section:
    about = (
        "The share of the records that hold a combination of items which no other record holds: whoever knows these "
        f"items finds the record with certainty. From {blocks.SHARES}, lower is better."
    )
    table = blocks.TableBlock(blocks.heads("Known items", "#Before", "#After"), tuple(map(_known_items, identified)))
    card = blocks.Panel(("If an attacker knows some items of a record",), (blocks.Text((about,), "quiet"), table))
    return blocks.Section("risk", ("Risk before and after",), (card,))


def _known_items(found: KnownItems) -> blocks.Row:
    least = "" if found.is_exact else "at least "
    after: blocks.Words = (least, blocks.Number(found.after, "share", strong=True))
    if found.after is None:
        after = (blocks.StyledText("no record is published as one set", "quiet"),)
    return blocks.row(str(found.known), blocks.Cell((least, blocks.Number(found.before, "share"))), blocks.Cell(after))


def _lost(figures: SetReportFigures) -> Iterator[blocks.Block]:
    yield blocks.Panel((), (blocks.Bullets(tuple((sentence(line),) for line in figures.lost)),))
    if figures.metrics:
        rows = tuple(_metric(spec, value) for spec, value in figures.metrics.items())
        yield blocks.Panel(
            ("Measured against the sets before",),
            (blocks.TableBlock(blocks.heads("Metric", "#Value", "What it says"), rows),),
        )
    for shown in figures.counts:
        charts = [
            blocks.BarChart(f"{shown.title} {caption}", bars, color, caption, total, columns=("Range", "Number"))
            for caption, bars, color, total in shown.sides()
        ]
        yield blocks.Panel((shown.title,), (blocks.Text((shown.sentence,), "quiet"), *charts), on_one_page=True)
    if figures.band is not None:
        about = (
            "Rows are records, columns are items. On the right, records that share items are neighbors; groups are "
            "formed along this band."
        )
        yield blocks.Panel(
            ("Which records hold which items",), (blocks.Text((about,), "quiet"), figures.band), on_one_page=True
        )


def _measures(measures: Sequence[MeasuredFigure]) -> Iterator[blocks.Block]:
    """Yield what the plan wanted to know, and the signed errors of single sets, folded."""
    rows = tuple(
        _metric(one.metric, one.value) if one.value is not None else blocks.row(one.metric, blocks.Number(), one.reason)
        for one in measures
    )
    yield blocks.Panel((), (blocks.TableBlock(blocks.heads("Metric", "#Value", "What it says"), rows),))
    for one in measures:
        if one.errors:
            yield blocks.Panel((f"The errors of {one.metric} with their signs",), tuple(_errors(one)))


def _errors(measured: MeasuredFigure) -> Iterator[blocks.Block]:
    known = [error for error in measured.errors.values() if error is not None]
    about = (
        "The error of a set is (records that matched before − now) ÷ before: below 0, the release counts too many. "
        f"{len(known)} of {len(measured.errors)} sets were matched before."
    )
    yield blocks.Text((about,), "quiet")
    bars = tuple(blocks.Bar(label, many) for label, many in errors_by_range(known))
    yield blocks.BarChart("Sets by their error", bars, columns=("Error", "Sets"))
    rows = tuple(
        blocks.row(blocks.StyledText(readable(items), "name"), blocks.Number(error, "fine share"))
        for items, error in measured.errors.items()
    )
    table = blocks.TableBlock(blocks.heads("Set of items", "#Error"), rows, is_small=True)
    yield blocks.Folded(f"All {len(rows)} sets", (table,))


def _metric(spec: str, value: float) -> blocks.Row:
    metric = registry.find("metric", spec.partition(":")[0])
    reading: blocks.Words = (blocks.StyledText(metric.formula, "formula"), f" · {metric.range}, {blocks.LOWER}")
    return blocks.row(spec, blocks.Number(value, strong=True), blocks.Cell((sentence(metric.sentence),), (reading,)))


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
    before = (
        f"Before, {percent(two.before)} of the records could be distinguished from all others by two of their items"
    )
    if two.after is None:
        return f"{before}; now no record is published as one set."
    return f"{before}; now {percent(two.after)}."


def _counts(before: Transactions, published: PublishedSets) -> tuple[RangeCounts, ...]:
    sets = _sets(published)
    found = [
        RangeCounts(
            title="How many items have the records?",
            sentence="Number of records by the number of their items. Long records are easier to distinguish.",
            before=_bars(before.sizes),
            after=() if sets is None else _bars(sets.sizes),
        ),
        RangeCounts(
            title="In how many records are the items?",
            sentence="Number of items by the number of records that hold them. Rare items distinguish records.",
            before=_bars(before.supports),
            after=() if sets is None else _bars(sets.supports),
        ),
    ]
    if isinstance(published, Disassociated | GroupedSets):
        what = "clusters" if isinstance(published, Disassociated) else "groups"
        sentence = f"Number of {what} by the number of their records."
        found.append(
            RangeCounts(title=f"How large are the {what}?", sentence=sentence, before=(), after=_bars(published.sizes))
        )
    return tuple(found)


def _bars(numbers: IntArray) -> tuple[blocks.Bar, ...]:
    """Return how many numbers fall into each range."""
    ranges = [(0, 0), *BUCKETS] if (numbers == 0).any() else list(BUCKETS)
    return tuple(
        blocks.Bar(label=bucket_label(smallest, largest), records=len(numbers_between(numbers, smallest, largest)))
        for smallest, largest in ranges
    )


def _band(before: Transactions, published: PublishedSets, sensitive: frozenset[str]) -> blocks.Pair | None:
    if not isinstance(published, GroupedSets):
        return None
    harmless = before.without(sensitive)
    rows = band_order(harmless)
    return band_pictures(harmless, rows, column_order(harmless, rows))


def band_pictures(transactions: Transactions, row_order: IntArray, column_order: IntArray) -> blocks.Pair:
    """Return two pictures: records and items in the order in which they came, and in the orders given.

    Both have the same scale, so that the darkness of the one can be compared with that of the other.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["wine"], ["cream"], ["wine"]])
    >>> before, after = band_pictures(baskets, np.array([1, 0, 2]), np.array([0, 1])).charts
    >>> before.rows, after.title
    (('05', '50', '05'), '2 items of 3 records, neighbors alike')
    """
    as_they_came = density(transactions, np.arange(len(transactions)), np.arange(len(transactions.items)))
    in_order = density(transactions, row_order, column_order)
    most = max(int(as_they_came.max(initial=0)), int(in_order.max(initial=0)))
    what = f"{len(transactions.items):,} items of {len(transactions):,} records"
    return blocks.Pair(
        (
            blocks.ShadedGrid(f"{what}, as they came", _shades(as_they_came, most), "As they came"),
            blocks.ShadedGrid(f"{what}, neighbors alike", _shades(in_order, most), "Neighbors alike"),
        )
    )


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


def _shades(grid: IntArray, most: int) -> tuple[str, ...]:
    """Return the shades of a grid, row by row: the more of a cell is filled, the darker it is."""
    # On a scale of logarithms single items are seen next to the densest cells.
    shades = np.ceil(FULL * np.log1p(grid) / np.log1p(max(most, 1))).astype(np.int64)
    return tuple("".join(map(str, line)) for line in shades.tolist())


def kept_items(before: Transactions, published: PublishedSets) -> Iterator[str]:
    """Yield how much is published as it was.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["soap", "tea"], ["gel", "tea"]])
    >>> list(kept_items(baskets, baskets.generalized({"soap": "care", "gel": "care"})))
    ['1 of 3 items are published as they were, with 50.0 % of all occurrences']
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
            yield f"{items} are published as they were, with {percent(share)} of all occurrences"


def general_items(before: Transactions, published: PublishedSets) -> Iterator[RangeCounts]:
    """Yield the general items that are published instead of others, the most frequent first, if there are any.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["soap", "tea"], ["gel", "tea"]])
    >>> [one.after for one in general_items(baskets, baskets.generalized({"soap": "care", "gel": "care"}))]
    [(Bar(label='care', records=2, groups=None),)]
    """
    if not isinstance(published, Transactions):
        return
    known = set(before.items)
    supports = zip(published.items, published.supports.tolist(), strict=True)
    found = sorted(((-records, label) for label, records in supports if label not in known and records))
    if found:
        shown = f"the {SHOWN} most frequent of {len(found)} are shown" if len(found) > SHOWN else "all are shown"
        yield RangeCounts(
            title="Which general items are published instead?",
            sentence=f"Number and share of the records that show an item which stands for others; {shown}.",
            before=(),
            after=tuple(blocks.Bar(label=readable(label), records=-count) for count, label in found[:SHOWN]),
            total=len(published),
        )
