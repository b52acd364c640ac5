"""Which records were suppressed: by the size of their group, and by the values they would have shown."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import IntArray
from krypsis.recoding import CellRecoding, as_cells
from krypsis.release.before import Evidence
from krypsis.report.parts import SuppressedBy, SuppressedValue, Suppression
from krypsis.report.risk import BUCKETS, bucket_label, numbers_between
from krypsis.report.text import readable
from krypsis.report.values import Bar

MOST_VALUES = 8
"""Of more values than this, those with most suppressed records are listed."""


def suppressed_by(evidence: Evidence) -> Suppression | None:
    """Return the suppressed records by group size and by value; nothing if none was suppressed."""
    outcome = evidence.outcome
    if not outcome.suppressed:
        return None
    sizes = outcome.sizes[outcome.refused]
    cells = as_cells(evidence.recoding, evidence.frequency)
    counts = evidence.frequency.counts
    return Suppression(
        sizes=tuple(_bar(smallest, largest, sizes) for smallest, largest in BUCKETS),
        groups=len(sizes),
        attributes=tuple(_by_value(evidence, cells, counts, place) for place in range(len(cells.codebooks))),
    )


def _bar(smallest: int, largest: int | None, sizes: IntArray) -> Bar:
    found = numbers_between(sizes, smallest, largest)
    return Bar(label=bucket_label(smallest, largest), records=int(found.sum()))


def _by_value(evidence: Evidence, cells: CellRecoding, counts: IntArray, place: int) -> SuppressedBy:
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
