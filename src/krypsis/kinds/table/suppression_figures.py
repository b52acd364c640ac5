"""The suppressed records of a table, by the size of their group and by the values they would have shown."""

from dataclasses import dataclass

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.recoding import CellRecoding, as_cells
from krypsis.kinds.table import group_risk
from krypsis.release.provenance import RecodingEvidence
from krypsis.report.blocks import Bar
from krypsis.report.text import readable

MOST_VALUES = 8
"""Of more values than this, those with most suppressed records are listed."""


@dataclass(frozen=True)
class SuppressedValue:
    """Of the records that would show a value, how many were suppressed."""

    label: str
    records: int
    suppressed: int


@dataclass(frozen=True)
class SuppressedBy:
    """Which published values of one attribute the suppressed records would have shown, the most concerned first."""

    attribute: str
    values: tuple[SuppressedValue, ...]
    others: int
    """Suppressed records with values that are not listed."""


@dataclass(frozen=True)
class SuppressionFigures:
    """The suppressed records by the size of their group, and by the values they would have shown."""

    sizes: tuple[Bar, ...]
    groups: int
    attributes: tuple[SuppressedBy, ...]


def suppressed_by(evidence: RecodingEvidence) -> SuppressionFigures | None:
    """Return the suppressed records by group size and by value; nothing if none was suppressed."""
    outcome = evidence.outcome
    if not outcome.suppressed:
        return None
    sizes = outcome.sizes[outcome.refused]
    cells = as_cells(evidence.recoding, evidence.frequency)
    counts = evidence.frequency.counts
    return SuppressionFigures(
        sizes=tuple(_bar(smallest, largest, sizes) for smallest, largest in group_risk.BUCKETS),
        groups=len(sizes),
        attributes=tuple(_by_value(evidence, cells, counts, place) for place in range(len(cells.codebooks))),
    )


def _bar(smallest: int, largest: int | None, sizes: IntArray) -> Bar:
    found = group_risk.numbers_between(sizes, smallest, largest)
    return Bar(label=group_risk.bucket_label(smallest, largest), records=int(found.sum()))


def _by_value(evidence: RecodingEvidence, cells: CellRecoding, counts: IntArray, place: int) -> SuppressedBy:
    labels, shown = cells.codebooks[place].labels, cells.released[:, place]
    records = np.bincount(shown, counts, minlength=len(labels)).astype(np.int64)
    lost = np.bincount(shown, counts * cells.suppressed, minlength=len(labels)).astype(np.int64)
    order = [code for code in np.argsort(-lost, kind="stable").tolist() if lost[code]][:MOST_VALUES]
    return SuppressedBy(
        attribute=readable(evidence.frequency.attributes[place]),
        values=tuple(
            SuppressedValue(label=readable(labels[code]), records=int(records[code]), suppressed=int(lost[code]))
            for code in order
        ),
        others=int(lost.sum() - lost[order].sum()),
    )
