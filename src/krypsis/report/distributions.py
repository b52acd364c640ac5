"""The values of each attribute before and after."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.datasets.texts import PLAIN, text_of
from krypsis.groups import Histogram
from krypsis.recoding import as_cells
from krypsis.release.before import Evidence
from krypsis.report.arrangement import Arrangement, Order, arrange_labels, arrange_values
from krypsis.report.published import CountedTable
from krypsis.report.text import readable
from krypsis.report.values import Distribution


def quasi_identifier_distributions(
    evidence: Evidence, before: CountedTable, after: CountedTable
) -> tuple[Distribution, ...]:
    """Return one distribution per quasi-identifier: original values before, published labels after."""
    return tuple(_of_quasi_identifier(evidence, position, before, after) for position in range(len(before.columns)))


def sensitive_distributions(evidence: Evidence, published: pl.DataFrame) -> tuple[Distribution, ...]:
    """Return one distribution per sensitive attribute; labels that are more general than the values come last."""
    return tuple(
        _of_sensitive(histogram, published.get_column(name)) for name, histogram in evidence.frequency.sensitive.items()
    )


def _of_quasi_identifier(evidence: Evidence, position: int, before: CountedTable, after: CountedTable) -> Distribution:
    name = evidence.frequency.attributes[position]
    old, new = before.columns[position], after.columns[position]
    old_counts, new_counts = old.count(before.counts), new.count(after.counts)
    arrangement = arrange_values(old.labels, old_counts)
    if new.labels[: len(old.labels)] == old.labels and _is_unchanged(evidence, position):
        added = new.labels[len(old.labels) :]
        padded = np.pad(old_counts, (0, len(added)))
        return _aligned(name, "quasi-identifier", arrangement.followed_by(added), padded, new_counts)
    published = arrange_labels(new.labels, new_counts, _label_ranks(evidence, position, old_counts, len(new.labels)))
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


def _of_sensitive(histogram: Histogram, published: pl.Series) -> Distribution:
    values = histogram.domain.values
    before = np.bincount(histogram.value, histogram.count, minlength=len(values)).astype(np.int64)
    counts = dict(text_of(published).rename(PLAIN).value_counts(sort=True).iter_rows())
    added = tuple(sorted(label for label in counts if label is not None and label not in values))
    after = np.array([counts.get(label, 0) for label in (*values, *added)], dtype=np.int64)
    arrangement = arrange_values(values, before).followed_by(added)
    return _aligned(published.name, "sensitive", arrangement, np.pad(before, (0, len(added))), after)


def _aligned(
    name: str,
    role: Literal["quasi-identifier", "sensitive"],
    arrangement: Arrangement,
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


def _is_unchanged(evidence: Evidence, position: int) -> bool:
    cells = as_cells(evidence.recoding, evidence.frequency)
    return bool((cells.released[:, position] == evidence.frequency.codes[:, position]).all())


def _label_ranks(evidence: Evidence, position: int, counts: IntArray, labels: int) -> IntArray | None:
    """Return the place of each published label: that of its first original value; added labels come last."""
    hierarchy = evidence.frequency.hierarchies[position]
    present = np.flatnonzero(counts)
    values = Order(tuple(hierarchy.values[code] for code in present)).ranks
    if values is None:
        return None
    rank_of_value = np.full(len(hierarchy.values), len(present), dtype=np.int64)
    rank_of_value[present] = values
    cells = as_cells(evidence.recoding, evidence.frequency)
    ranks = np.full(labels, len(present), dtype=np.int64)
    np.minimum.at(ranks, cells.released[:, position], rank_of_value[evidence.frequency.codes[:, position]])
    return ranks
