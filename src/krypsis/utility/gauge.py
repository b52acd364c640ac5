"""The utility gauge: one number from 0 to 100 for how much of a table is left, with the parts it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np

from krypsis.release.release import Release
from krypsis.utility.compared import ComparedColumn, compared_columns
from krypsis.utility.dependence import Dependence, dependence_between

FORMULA = "100 × records × √(detail × mean(distributions, dependence))"
SENTENCE = (
    "How much of the table is left: 100 is the table as it was, 0 means that nothing can be learned from it any more."
)


@dataclass(frozen=True)
class Part:
    """One part of the gauge, from 0 to 1 (as before); ``share`` is empty if there was nothing to lose.

    ``columns`` says what each column contributes, where it does.
    """

    name: str
    share: float | None
    formula: str
    sentence: str
    columns: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Gauge:
    """The utility of a release from 0 to 100, and its parts: records, detail, distributions, dependence."""

    parts: tuple[Part, ...]

    @property
    def value(self) -> float:
        """The gauge: records × √(detail × mean of distributions and dependence), in percent.

        A part that there is nothing to lose of counts as kept.

        Examples
        --------
        >>> shares = {"records": 0.9, "detail": 0.25, "distributions": 1.0, "dependence": None}
        >>> Gauge(tuple(Part(name, share, "", "") for name, share in shares.items())).value
        45.0
        """
        records, detail, distributions, dependence = (part.share for part in self.parts)
        faithful = [share for share in (distributions, dependence) if share is not None] or [1.0]
        kept = 1.0 if detail is None else detail
        return 100.0 * (records or 0.0) * sqrt(max(kept * fsum(faithful) / len(faithful), 0.0))


def utility_gauge(release: Release) -> Gauge:
    """Return how much of a table is left in a release, as one number with its parts.

    Notes
    -----
    The gauge of the unchanged table is 100; that of a table whose every value became ``*`` is 0, for its detail is. It
    serves to compare releases of the same table; what a release is good for, an analysis says (see
    :mod:`krypsis.utility`). Two scans over the columns; the number of bins is bounded.

    Raises
    ------
    UsageError
        if the release does not carry the table before: it was loaded from its files, or holds sets of items.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> table = pl.DataFrame({"age": [31, 31, 34, 34, 34, 34], "sex": list("FMFMFM")})
    >>> roles = {"age": "quasi-identifier", "sex": "quasi-identifier"}
    >>> gauge = utility_gauge(krypsis.anonymize(table, roles, models="k-anonymity:k=2"))
    >>> round(gauge.value, 1), [(part.name, part.share) for part in gauge.parts]
    (70.7, [('records', 1.0), ('detail', 0.5), ('distributions', 1.0), ('dependence', 1.0)])
    """
    columns = compared_columns(release)
    return gauge_of(columns, dependence_between(columns))


def gauge_of(columns: Sequence[ComparedColumn], dependence: Dependence) -> Gauge:
    """Return the gauge of compared columns and their dependence."""
    detail = tuple((column.name, 1.0 - column.imprecision) for column in columns if len(column.values) > 1)
    spread = tuple((column.name, _distribution_kept(column)) for column in columns)
    return Gauge(
        (
            Part(
                "records",
                _records_kept(columns),
                "min(published, before) ÷ max(published, before)",
                "The share of the records that are published; where they are drawn anew, whether there are as many.",
            ),
            Part(
                "detail",
                _mean(detail),
                "1 − mean over columns and published records of (values it may be − 1) ÷ (values − 1); for a changed "
                "value, of the number of values from the one before to it ÷ (values − 1)",
                "How exactly a published value tells the one before.",
                detail,
            ),
            Part(
                "distributions",
                _mean(spread),
                "1 − mean over columns of ½ × Σ|share after − share before| over values",
                "How well the frequency of each value can be told.",
                spread,
            ),
            Part(
                "dependence",
                dependence.kept,
                "1 − mean over pairs of columns of |shared information after − before| ÷ the smaller entropy before",
                "How much of what columns tell of each other is as it was.",
            ),
        )
    )


def _records_kept(columns: Sequence[ComparedColumn]) -> float:
    old = max((len(column.before) for column in columns), default=0)
    new = max((float(column.weights.sum()) for column in columns if column.apart is None), default=0.0)
    return min(old, new) / max(old, new) if old and new else 0.0


def _distribution_kept(column: ComparedColumn) -> float:
    """Return 1 − the total variation distance of what can be told of a distribution; 0 if nothing is told."""
    size = int(column.bins.max(initial=-1)) + 1
    old, new = (np.bincount(column.bins, counts, minlength=size) for counts in (column.counts_before, column.estimated))
    if not old.sum() or not new.sum():
        return 0.0
    return 1.0 - float(np.abs(new / new.sum() - old / old.sum()).sum()) / 2


def _mean(shares: Sequence[tuple[str, float]]) -> float | None:
    return fsum(share for _, share in shares) / len(shares) if shares else None
