"""The utility gauge: one number from 0 to 100 for how much of a table is left, with the parts it is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np

from krypsis.kinds.table.utility.column_comparison import ComparedColumn
from krypsis.kinds.table.utility.counted_comparison import comparison_of
from krypsis.kinds.table.utility.dependence import Dependence, dependence_between
from krypsis.release.release import Release

FORMULA = "100 × records × √(detail × mean(distributions, dependence))"
SENTENCE = (
    "How much of the table is left: 100 is the table as it was, 0 means that nothing can be learned from it any more."
)


NOTHING = 1e-9
"""A distribution this near to one in which all values are as frequent reveals nothing that could be lost."""


@dataclass(frozen=True)
class GaugeShare:
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

    parts: tuple[GaugeShare, ...]

    @property
    def value(self) -> float:
        """The gauge: records × √(detail × mean of distributions and dependence), in percent.

        A part that there is nothing to lose of counts as kept.

        Examples
        --------
        >>> shares = {"records": 0.9, "detail": 0.25, "distributions": 1.0, "dependence": None}
        >>> Gauge(tuple(GaugeShare(name, share, "", "") for name, share in shares.items())).value
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
    The gauge of the unchanged table is 100. It is 0 where nothing is left of the columns that the release protects:
    every quasi-identifier became ``*``, or all records are in one group, or none is published. So is every part but
    the records. It serves to compare releases of the same table; what a release is good for, an analysis says (see
    :mod:`krypsis.kinds.table.utility`). Two scans over the columns; the number of bins is bounded.

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
    (70.7, [('records', 1.0), ('detail', 0.5), ('distributions', 1.0), ('dependence', None)])
    """
    compared = comparison_of(release)
    return gauge_of(compared.columns, dependence_between(compared))


def gauge_of(columns: Sequence[ComparedColumn], dependence: Dependence) -> Gauge:
    """Return the gauge of compared columns and their dependence."""
    treated = [column for column in columns if column.is_treated]
    detail = tuple((column.name, max(1.0 - column.imprecision, 0.0)) for column in treated if len(column.values) > 1)
    shares = ((column.name, _distribution_kept(column)) for column in treated)
    spread = tuple((name, share) for name, share in shares if share is not None)
    return Gauge(
        (
            GaugeShare(
                "records",
                _records_kept(columns),
                "min(published, before) ÷ max(published, before)",
                "The share of the records that are published; where they are drawn anew, whether there are as many.",
            ),
            GaugeShare(
                "detail",
                _mean(detail),
                "1 − mean over protected columns and published records of (values it may be − 1) ÷ (values − 1); for a "
                "changed value, of the number of values from the one before to it ÷ (values − 1)",
                "How exactly a published value of a protected column reveals the one before.",
                detail,
            ),
            GaugeShare(
                "distributions",
                _mean(spread),
                "1 − mean over protected columns of Σ(share after − share before)² ÷ Σ(equal share − share before)²",
                "How well the frequency of each value can be estimated: 0 is as if all values were as frequent.",
                spread,
            ),
            GaugeShare(
                "dependence",
                dependence.kept,
                "1 − Σ|after − before| ÷ Σ before, over pairs with a protected column, of their shared information ÷ "
                "the smaller entropy before",
                "How much of what columns reveal about each other is as it was: 0 if protected ones reveal nothing."
                + (f" In part {from_sample(dependence.sampled)}." if dependence.is_kept_from_sample else ""),
            ),
        )
    )


def from_sample(records: int) -> str:
    """Return the words that figures carry which do not come from all records.

    Examples
    --------
    >>> from_sample(50000)
    'from a sample of 50,000 records'
    """
    return f"from a sample of {records:,} records"


def _records_kept(columns: Sequence[ComparedColumn]) -> float:
    old = max((column.records_before for column in columns), default=0)
    new = max((float(column.weights.sum()) for column in columns if column.sensitive_counts is None), default=0.0)
    return min(old, new) / max(old, new) if old and new else 0.0


def _distribution_kept(column: ComparedColumn) -> float | None:
    """Return how near what is known of a distribution comes to it, from where all values would be as frequent.

    Squares, because they never fall when a label becomes more general; nothing where there is nothing to lose.
    """
    if column.sensitive_counts is not None:
        return None
    size, occur = column.bin_count, column.counts_before > 0
    counts = (column.counts_before, column.estimated, occur.astype(np.float64))
    old, new, even = (np.bincount(column.bins, each, minlength=size) for each in counts)
    if not old.sum() or not new.sum():
        return 0.0
    old, new, even = (each / each.sum() for each in (old, new, even))
    most = float(np.square(even - old).sum())
    return max(1.0 - float(np.square(new - old).sum()) / most, 0.0) if most > NOTHING else None


def _mean(shares: Sequence[tuple[str, float]]) -> float | None:
    return fsum(share for _, share in shares) / len(shares) if shares else None
