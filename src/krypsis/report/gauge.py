"""The utility gauge and the dependence of columns, as a report tells them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from krypsis.arrays import FloatArray
from krypsis.report.parts import DependenceMap, GaugeFigure, GaugePart
from krypsis.report.text import readable
from krypsis.utility.compared import ComparedColumn
from krypsis.utility.dependence import Dependence
from krypsis.utility.gauge import FORMULA, SENTENCE, Gauge

MAP_FORMULA = "mutual information, corrected for chance ÷ the smaller of the two entropies before"
MAP_SENTENCE = "How much one column tells of another: 0 is nothing, 1 is everything."


def gauge_figure(gauge: Gauge) -> GaugeFigure:
    """Return the gauge with all that is needed to read it."""
    return GaugeFigure(
        value=gauge.value,
        formula=FORMULA,
        sentence=SENTENCE,
        parts=tuple(
            GaugePart(
                name=part.name,
                share=part.share,
                formula=part.formula,
                sentence=part.sentence,
                columns=tuple((readable(name), share) for name, share in part.columns),
            )
            for part in gauge.parts
        ),
    )


def dependence_map(found: Dependence, columns: Sequence[ComparedColumn]) -> DependenceMap | None:
    """Return the dependence of columns, or nothing where there are not two."""
    if len(found.columns) < 2:
        return None
    left_out = len(columns) - len(found.columns)
    return DependenceMap(
        columns=tuple(map(readable, found.columns)),
        before=_rows(found.before),
        after=_rows(found.after),
        formula=MAP_FORMULA,
        sentence=MAP_SENTENCE,
        note=f"{left_out} more columns are not shown." if left_out else "",
    )


def _rows(matrix: FloatArray) -> tuple[tuple[float, ...], ...]:
    # Four digits are more than anybody sees, and rounding in the last ones depends on the machine.
    return tuple(tuple(float(cell) for cell in row) for row in np.round(matrix, 4))
