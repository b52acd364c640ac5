"""The values of each attribute before and after, as bars: few enough to read, in the order a reader expects."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.checker.grouping import Coded
from krypsis.checker.parted_rows import PartedRows
from krypsis.data.groups import Domain, Histogram
from krypsis.data.hierarchies.base import Label
from krypsis.data.recoding import Codebook, as_cells
from krypsis.data.schema import Role
from krypsis.io.texts import PLAIN, text_of
from krypsis.kinds.table.group_risk import TupleCounts
from krypsis.kinds.table.utility.bins import ranks_of
from krypsis.kinds.table.utility.column_comparison import ComparedColumn
from krypsis.release.provenance import PartsEvidence, RecodingEvidence
from krypsis.report.blocks import Bar
from krypsis.report.text import readable

MOST_BARS = 30
_DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?([ T].*)?")
_PERIODS = {7: "month", 4: "year", 3: "decade", 2: "century"}
"""What a date is cut to when only that many characters of it are kept."""
_LEADING_ZERO = re.compile(r"[+-]?0\d")
SHOWN = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
"""The columns that a report draws: what an attacker may know, and what nobody should learn."""


@dataclass(frozen=True)
class Distribution:
    """The values of one attribute before and after; if ``aligned``, both have the same bars in the same order."""

    attribute: str
    role: Literal["quasi-identifier", "sensitive"]
    aligned: bool
    before: tuple[Bar, ...]
    after: tuple[Bar, ...]
    note: str


def quasi_identifier_distributions(
    evidence: RecodingEvidence, before: TupleCounts, after: TupleCounts
) -> tuple[Distribution, ...]:
    """Return one distribution per quasi-identifier: original values before, published labels after."""
    return tuple(_of_quasi_identifier(evidence, position, before, after) for position in range(len(before.columns)))


def sensitive_distributions(
    evidence: RecodingEvidence, published: pl.DataFrame | PartedRows
) -> tuple[Distribution, ...]:
    """Return one distribution per sensitive attribute; labels that are more general than the values come last."""
    return tuple(
        _of_sensitive(name, histogram, _published_counts(published, name))
        for name, histogram in evidence.frequency.sensitive.items()
    )


def _published_counts(published: pl.DataFrame | PartedRows, name: str) -> dict[Label, int]:
    """Return how many published records show each value of a column."""
    if isinstance(published, pl.DataFrame):
        texts = text_of(published.get_column(name)).rename(PLAIN)
        return dict(texts.value_counts(sort=True).iter_rows())
    counted = published.counted([name])
    values = Coded.of_counted(counted.columns[name], text_of)
    numbers = np.bincount(values.codes, counted.counts, minlength=len(values)).astype(np.int64)
    return dict(zip(values.values.to_list(), numbers.tolist(), strict=True))


def _of_quasi_identifier(
    evidence: RecodingEvidence, position: int, before: TupleCounts, after: TupleCounts
) -> Distribution:
    name = evidence.frequency.attributes[position]
    old, new = before.columns[position], after.columns[position]
    old_counts, new_counts = old.count(before.counts), new.count(after.counts)
    arrangement = arrange_values(old.labels, old_counts)
    if new.labels[: len(old.labels)] == old.labels and _is_unchanged(evidence, position):
        added = new.labels[len(old.labels) :]
        padded = np.pad(old_counts, (0, len(added)))
        return _aligned(name, "quasi-identifier", arrangement.followed_by(added), padded, new_counts)
    published = arrange_labels(new.labels, new_counts, _label_ranks(evidence, position, old_counts, len(new.labels)))
    return _side_by_side(name, (arrangement, old_counts), (published, new_counts))


def distributions_of_parts(parts: PartsEvidence, published: pl.DataFrame | PartedRows) -> tuple[Distribution, ...]:
    """Return the same of a table that was cut where it lies."""
    known = [_of_divided(parts, position) for position in range(len(parts.groups.attributes))]
    hidden = [
        _of_sensitive(name, histogram, _published_counts(published, name))
        for name, histogram in parts.groups.sensitive.items()
    ]
    return (*known, *hidden)


def _of_divided(parts: PartsEvidence, position: int) -> Distribution:
    name, hierarchy = parts.groups.attributes[position], parts.groups.hierarchies[position]
    book, old_counts = parts.recoding.codebooks[position], parts.marginals[position]
    codes = parts.recoding.released[:, position]
    new_counts = np.bincount(codes, parts.groups.counts, minlength=len(book.labels)).astype(np.int64)
    arrangement = arrange_values(hierarchy.values, old_counts)
    if name in parts.unchanged:
        return _aligned(name, "quasi-identifier", arrangement, old_counts, old_counts)
    order = ValueOrder(tuple(hierarchy.values[code] for code in np.flatnonzero(old_counts))).ranks
    ranks = None if order is None else _ranks_of_labels(book, old_counts, order)
    return _side_by_side(name, (arrangement, old_counts), (arrange_labels(book.labels, new_counts, ranks), new_counts))


def _ranks_of_labels(book: Codebook, counts: IntArray, order: IntArray) -> IntArray:
    """Return the place of each label: that of the first value that it stands for and that occurs."""
    rank = np.full(len(counts), len(order), dtype=np.int64)
    rank[np.flatnonzero(counts)] = order
    spans = zip(book.starts.tolist(), book.ends.tolist(), strict=True)
    return np.array([rank[book.values[start:end]].min(initial=len(order)) for start, end in spans], dtype=np.int64)


def _side_by_side(
    name: str, before: "tuple[Arrangement, IntArray]", after: "tuple[Arrangement, IntArray]"
) -> Distribution:
    (arrangement, old_counts), (published, new_counts) = before, after
    return Distribution(
        attribute=readable(name),
        role="quasi-identifier",
        aligned=False,
        before=arrangement.bars(old_counts),
        after=published.bars(new_counts),
        note=" ".join(
            f"{when}: {note}" for when, note in (("Before", arrangement.note), ("After", published.note)) if note
        ),
    )


def _of_sensitive(name: str, histogram: Histogram, counts: Mapping[Label, int]) -> Distribution:
    values = histogram.domain.values
    before = np.bincount(histogram.value, histogram.count, minlength=len(values)).astype(np.int64)
    added = tuple(sorted(label for label in counts if label is not None and label not in values))
    after = np.array([counts.get(label, 0) for label in (*values, *added)], dtype=np.int64)
    arrangement = arrange_values(values, before).followed_by(added)
    return _aligned(name, "sensitive", arrangement, np.pad(before, (0, len(added))), after)


def _aligned(
    name: str,
    role: Literal["quasi-identifier", "sensitive"],
    arrangement: "Arrangement",
    before: IntArray,
    after: IntArray,
) -> Distribution:
    return Distribution(
        attribute=readable(name),
        role=role,
        aligned=True,
        before=arrangement.bars(before),
        after=arrangement.bars(after),
        note=arrangement.note,
    )


def _is_unchanged(evidence: RecodingEvidence, position: int) -> bool:
    cells = as_cells(evidence.recoding, evidence.frequency)
    return bool((cells.released[:, position] == evidence.frequency.codes[:, position]).all())


def _label_ranks(evidence: RecodingEvidence, position: int, counts: IntArray, labels: int) -> IntArray | None:
    """Return the place of each published label: that of its first original value; added labels come last."""
    hierarchy = evidence.frequency.hierarchies[position]
    present = np.flatnonzero(counts)
    values = ValueOrder(tuple(hierarchy.values[code] for code in present)).ranks
    if values is None:
        return None
    rank_of_value = np.full(len(hierarchy.values), len(present), dtype=np.int64)
    rank_of_value[present] = values
    cells = as_cells(evidence.recoding, evidence.frequency)
    ranks = np.full(labels, len(present), dtype=np.int64)
    np.minimum.at(ranks, cells.released[:, position], rank_of_value[evidence.frequency.codes[:, position]])
    return ranks


def distributions_of(columns: Iterable[ComparedColumn]) -> tuple[Distribution, ...]:
    """Return the values of the columns before and after, quasi-identifiers first."""
    shown = [column for column in columns if column.role in SHOWN]
    return tuple(
        _compared_distribution(column) for column in sorted(shown, key=lambda column: SHOWN.index(column.role))
    )


def _compared_label_ranks(column: ComparedColumn) -> IntArray | None:
    """Return the place of each label: that of the first value it stands for, where values have an order."""
    present = np.flatnonzero(column.counts_before)
    known = ranks_of([column.values[code] for code in present])
    if known is None:
        return None
    ranks = np.full(len(column.values), len(present), dtype=np.int64)  # what no record has comes last
    ranks[present] = known
    return np.array([ranks[column.book.below(code)].min(initial=len(ranks)) for code in range(len(column.book.labels))])


def _compared_distribution(column: ComparedColumn) -> Distribution:
    role: Literal["quasi-identifier", "sensitive"] = (
        "sensitive" if column.role is Role.SENSITIVE else "quasi-identifier"
    )
    before = arrange_values(column.values, column.counts_before + (column.estimated > 0))
    if column.sensitive_counts is not None or set(column.book.labels) <= set(column.values):
        counts = np.round(column.estimated).astype(np.int64)
        after, note = before.bars(counts), before.note
    else:
        counts = np.round(column.counts_after).astype(np.int64)
        published = arrange_labels(column.book.labels, counts, _compared_label_ranks(column))
        after = published.bars(counts)
        before = arrange_values(column.values, column.counts_before)
        note = " ".join(f"{when}: {one}" for when, one in (("Before", before.note), ("After", published.note)) if one)
    return Distribution(
        attribute=readable(column.name),
        role=role,
        aligned=column.sensitive_counts is not None or set(column.book.labels) <= set(column.values),
        before=before.bars(column.counts_before),
        after=after,
        note=note,
    )


@dataclass(frozen=True, eq=False)
class Arrangement:
    """The bar of every label: ``bar_of[code]``, with the title of each bar; -1 means the label does not occur."""

    titles: tuple[str, ...]
    bar_of: IntArray
    note: str = ""

    def bars(self, counts: IntArray) -> tuple[Bar, ...]:
        """Return the bars for these numbers of records per label."""
        shown = self.bar_of >= 0
        heights = np.bincount(self.bar_of[shown], counts[shown], minlength=len(self.titles))
        return tuple(
            Bar(label=title, records=int(records)) for title, records in zip(self.titles, heights, strict=True)
        )

    def followed_by(self, labels: Sequence[Label]) -> "Arrangement":
        """Return the arrangement with one more bar for each of some more labels."""
        places = np.arange(len(self.titles), len(self.titles) + len(labels))
        titles = (*self.titles, *map(readable, labels))
        return Arrangement(titles, np.concatenate([self.bar_of, places]), self.note)


@dataclass(frozen=True, eq=False)
class ValueOrder:
    """The natural order of values: numbers by size, dates by time; other text has none."""

    values: tuple[Label, ...]

    @cached_property
    def is_numeric(self) -> bool:
        """Whether the values are amounts; postal codes and other numbers that only name something are not."""
        present = [value for value in self.values if value is not None]
        return bool(present) and Domain(self.values).is_numeric and not _are_codes(present)

    @cached_property
    def is_date(self) -> bool:
        """Whether the values are dates, with the year first."""
        present = [value for value in self.values if value is not None]
        return bool(present) and all(map(_DATE.fullmatch, present))

    @cached_property
    def ranks(self) -> IntArray | None:
        """The place of each value, or nothing if the values have no natural order."""
        return Domain(self.values).ranks if self.is_numeric or self.is_date else None


def arrange_values(values: tuple[Label, ...], counts: IntArray) -> Arrangement:
    """Return the bars for original values: themselves, or ranges of numbers or dates where there are too many."""
    present = np.flatnonzero(counts)
    order = ValueOrder(tuple(values[code] for code in present))
    if len(present) > MOST_BARS and order.is_numeric:
        return _ranges(values, present)
    if len(present) > MOST_BARS and order.is_date:
        return _periods(values, present)
    return arrange_labels(values, counts, None if order.ranks is None else _spread(order.ranks, present, len(values)))


def arrange_labels(labels: Sequence[Label], counts: IntArray, ranks: IntArray | None) -> Arrangement:
    """Return one bar per label, by rank or else the most frequent first; beyond the limit the rarest share one bar."""
    frequent_first = sorted(np.flatnonzero(counts).tolist(), key=lambda code: (-int(counts[code]), code))
    shown, rest = _divide(frequent_first)
    if ranks is not None:
        shown = sorted(shown, key=lambda code: int(ranks[code]))
    bar_of = np.full(len(labels), -1, dtype=np.int64)
    bar_of[shown] = np.arange(len(shown))
    bar_of[rest] = len(shown)
    titles = [readable(labels[code]) for code in shown] + ([f"{len(rest)} other values"] if rest else [])
    note = f"The {len(shown)} most frequent of {len(frequent_first)} values; the others share one bar." if rest else ""
    return Arrangement(tuple(titles), bar_of, note)


def _divide(codes: list[int]) -> tuple[list[int], list[int]]:
    return (codes, []) if len(codes) <= MOST_BARS else (codes[: MOST_BARS - 1], codes[MOST_BARS - 1 :])


def _ranges(values: tuple[Label, ...], present: IntArray) -> Arrangement:
    """Return bars of equal width with round limits; missing values have their own."""
    numbers = np.array([math.nan if (value := values[code]) is None else float(value) for code in present])
    width = _round_width(float(np.nanmax(numbers) - np.nanmin(numbers)))
    place = np.floor(numbers / width)
    first, last = int(np.nanmin(place)), int(np.nanmax(place))
    titles = [_range_title(position * width, (position + 1) * width) for position in range(first, last + 1)]
    bars = np.where(np.isnan(place), len(titles), place - first).astype(np.int64)
    note = f"{len(present)} different values, shown in steps of {_plain(width)}."
    return _with_missing(titles, bars, values, present, note)


def _periods(values: tuple[Label, ...], present: IntArray) -> Arrangement:
    """Return one bar per month or, where that is too many, per year, decade or century."""
    texts = [values[code] for code in present]
    length = next((length for length in (7, 4, 3) if len(_starts(texts, length)) <= MOST_BARS), 2)
    starts = _starts(texts, length)
    place = {start: position for position, start in enumerate(starts)}
    bars = np.array([len(starts) if text is None else place[text[:length]] for text in texts])
    titles = [start if length >= 4 else start.ljust(4, "0") + "s" for start in starts]
    note = f"{len(present)} different values, shown by {_PERIODS[length]}."
    return _with_missing(titles, bars, values, present, note)


def _starts(texts: list[Label], length: int) -> list[str]:
    return sorted({text[:length] for text in texts if text is not None})


def _with_missing(
    titles: list[str], bars: IntArray, values: tuple[Label, ...], present: IntArray, note: str
) -> Arrangement:
    titles = [*titles, readable(None)] if int(bars.max()) == len(titles) else titles
    return Arrangement(tuple(titles), _spread(bars, present, len(values)), note)


def _spread(entries: IntArray, codes: IntArray, length: int) -> IntArray:
    """Return an array of that length with the entries at their codes and -1 elsewhere."""
    spread = np.full(length, -1, dtype=np.int64)
    spread[codes] = entries
    return spread


def _round_width(span: float) -> float:
    """Return the smallest of 1, 2, 5, 10, 20, … (and their decimal parts) that needs at most 25 steps."""
    if span < 1e-300:  # the same number in many spellings
        return 1.0
    exponent = math.floor(math.log10(span / 25))
    steps = (factor * 10.0 ** (exponent + shift) for shift in (0, 1) for factor in (1, 2, 5))
    return next(step for step in steps if span / step <= 25)


def _range_title(low: float, high: float) -> str:
    return f"[{_plain(low)}{', ' if low < 0 else '-'}{_plain(high)})"


def _plain(number: float) -> str:
    return f"{number:.12g}"


def _are_codes(texts: list[str]) -> bool:
    """Whether numbers have leading zeros, all the same five digits or more, or are too large to calculate with."""
    long_digits = {len(text) if text.isdigit() and len(text) >= 5 else 0 for text in texts}
    same_length = len(texts) > 1 and len(long_digits) == 1 and 0 not in long_digits
    return same_length or any(_LEADING_ZERO.match(text) or not abs(float(text)) < 1e300 for text in texts)
