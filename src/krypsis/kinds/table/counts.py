"""Counts over published tables: generalized, in groups with separate sensitive values, or made by chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from krypsis.algorithms.tables.mechanisms.alpha_beta import estimated_count as estimated_tuples
from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.errors import UsageError, column_not_found
from krypsis.kinds.counting import CountAnswer, Where
from krypsis.kinds.table.utility import queried_columns
from krypsis.kinds.table.utility.queried_columns import ExactColumn, GeneralizedColumn, GroupedColumn, QueriedColumn
from krypsis.models.mechanisms import MechanismRecord, Spending
from krypsis.release.provenance import HISTORY, MADE_BY_CHANCE
from krypsis.release.release import Release

CERTAIN = "no table that could lie behind the release has fewer or more"
CONFIDENCE = 0.95
BLANKS = "_CS"
"""How the schemes of methods end that leave out single cells."""
NO_BOUNDS = "values were replaced by others, so any count could be behind them"


def count_in_table(release: Release, where: Where, domains: Mapping[str, Any]) -> CountAnswer:
    """Return what a published table says about how many records meet all conditions."""
    for name in where:
        if name not in release.publication.columns and name not in release.schema.sensitive:
            raise column_not_found(name, release.publication.columns)
    if release.mechanism_record is not None:
        return _made_by_chance(release, release.mechanism_record, where, domains)
    columns = {name: _column(release, name, domains) for name in where}
    shares = {name: Shares.of(columns[name], where[name], _blank(release, name)) for name in where}
    estimate = float(_product([one.likely for one in shares.values()]).sum())
    if release.scheme in MADE_BY_CHANCE:
        return CountAnswer(estimate, None, None, NO_BOUNDS)
    if release.scheme == HISTORY:
        return CountAnswer(estimate, None, None, "counterfeits may be among the records, so there are no bounds")
    low, high = _in_groups(columns, where, shares)
    hidden = release.suppressed if release.suppression == "remove" else 0
    return CountAnswer(estimate, low, high + hidden, CERTAIN)


@dataclass(frozen=True)
class Shares:
    """Of each record, how likely it meets a condition, whether it does for certain, and whether it may."""

    likely: FloatArray
    certain: BoolArray
    possible: BoolArray

    @classmethod
    def of(cls, column: QueriedColumn, condition: object, blank: BoolArray | None = None) -> "Shares":
        """Return what a column says; of ``blank`` cells the values were left out, and are taken to be as elsewhere."""
        likely = column.shares(condition)
        if blank is None:
            return cls(likely, likely == 1, likely > 0)
        elsewhere = float(likely[~blank].mean()) if not blank.all() else 0.0
        return cls(np.where(blank, elsewhere, likely), (likely == 1) & ~blank, (likely > 0) | blank)


def _column(release: Release, name: str, domains: Mapping[str, Any]) -> QueriedColumn:
    """Return an attribute; a sensitive one may show nodes of a hierarchy, which the release states."""
    tree = release.publication.sensitive_hierarchies.get(name)
    if tree is not None and release.group_column is None:
        return GeneralizedColumn.of(release, name, tree)
    return queried_columns.columns_of(release, [name], domains)[name]


def _blank(release: Release, name: str) -> BoolArray | None:
    """Return which cells were left out one by one, where a method does so."""
    if not release.scheme.endswith(BLANKS):
        return None
    return release.table.get_column(name).is_null().to_numpy()


def _product(shares: Sequence[FloatArray]) -> FloatArray:
    return np.asarray(reduce(np.multiply, shares), dtype=np.float64)


def _in_groups(columns: Mapping[str, QueriedColumn], where: Where, shares: Mapping[str, Shares]) -> tuple[int, int]:
    """In each group the sensitive values may belong to its records in any order; else each record is by itself."""
    others = [one for name, one in shares.items() if not isinstance(columns[name], GroupedColumn)]
    certain, possible = ([one.certain for one in others], [one.possible for one in others])
    for name, column in columns.items():
        if isinstance(column, GroupedColumn):
            meeting = np.bincount(column.group, column.count * column.axis.chosen(where[name])[column.value])
            sizes = np.bincount(column.group, column.count)
            least = _per_group(column, certain) + meeting - sizes
            most = np.minimum(_per_group(column, possible), meeting)
            return int(np.maximum(0, least).sum()), int(most.sum())
    return int(np.all(certain, axis=0).sum()), int(np.all(possible, axis=0).sum())


def _per_group(column: GroupedColumn, met: Sequence[BoolArray]) -> IntArray:
    """Return for each group how many of its records meet all other conditions."""
    groups = len(np.bincount(column.group))
    together = np.all(met, axis=0) if met else np.ones(len(column.group_of_record), dtype=np.bool_)
    return np.bincount(column.group_of_record[together], minlength=groups).astype(np.int64)


def _made_by_chance(release: Release, record: MechanismRecord, where: Where, domains: Mapping[str, Any]) -> CountAnswer:
    table = release.table
    axes = {name: _labels(record, name, condition, domains) for name, condition in where.items()}
    shares = [
        GeneralizedColumn.of(release, name, axes[name]).shares(condition)
        if name in release.schema.quasi_identifiers
        else ExactColumn.of(table, name).shares(condition)
        for name, condition in where.items()
    ]
    share = _product(shares)
    if record.publishes == "counts":
        counts = table.get_column(str(record.count_column)).to_numpy()
        return _with_noise(float((share * counts).sum()), int((share > 0).sum()), record, is_whole=set(share) <= {0, 1})
    if record.publishes == "sample":
        rate = record.chances["rate"]
        basis = "at least the published records, which are true ones; each was drawn by chance, rare ones are left out"
        return CountAnswer(float(share.sum()) / rate, int((share == 1).sum()), None, basis)
    if record.publishes == "tuples":
        return _of_tuples(float(share.sum()), record, where)
    return CountAnswer(float(share.sum()), None, None, "records were drawn from noisy counts, so there are no bounds")


def _labels(record: MechanismRecord, name: str, condition: object, domains: Mapping[str, Any]) -> Any:
    """Return the possible values of a column; a range needs numbers or dates among them."""
    if name in domains:
        return domains[name]
    labels = record.domains[name]
    if isinstance(condition, tuple):
        axis = queried_columns.OrderedValues([label for label in labels if label not in (None, "*")], name)
        if not axis.is_numeric:
            raise UsageError(
                f"{name} is published as {', '.join(map(str, labels[:3]))} …, which are no numbers; ask for these "
                f"labels, or say what they stand for: --domain {name}=0..99, in Python domains={{{name!r}: range(100)}}"
            )
    return labels


def _with_noise(estimate: float, cells: int, record: MechanismRecord, *, is_whole: bool) -> CountAnswer:
    if record.nonnegative or len(record.spent) != 1 or not is_whole:
        return CountAnswer(estimate, None, None, "noisy counts were adjusted or divided, so their noise is not known")
    margin = noise_margin(record.spent[0], cells, CONFIDENCE)
    basis = f"the true count is within them with a chance of {CONFIDENCE:.0%}: {cells} noisy counts were added"
    return CountAnswer(estimate, max(0.0, estimate - margin), estimate + margin, basis)


def noise_margin(spending: Spending, cells: int, confidence: float) -> int:
    """Return a distance that the sum of the noise of so many cells exceeds with a chance of at most 1 - confidence.

    The distribution of the sum is computed as a whole, by the Fourier transform of that of one cell.

    Examples
    --------
    >>> noise = Spending(what="the counts", noise="discrete Laplace", sensitivity=1, scale=1, epsilon=1)
    >>> noise_margin(noise, 1, 0.95), noise_margin(noise, 100, 0.95)
    (3, 27)
    """
    is_laplace = spending.noise == "discrete Laplace"
    variance = 2 * spending.scale**2 if is_laplace else spending.scale
    reach = int(40 * (spending.scale if is_laplace else variance**0.5) + 12 * (cells * variance) ** 0.5) + 8
    distance = np.abs(np.arange(-reach, reach + 1))
    one = np.exp(-distance / spending.scale) if is_laplace else np.exp(-(distance**2) / (2 * spending.scale))
    several = np.fft.irfft(np.fft.rfft(np.fft.ifftshift(one / one.sum())) ** max(cells, 1), 2 * reach + 1)
    tails = 1 - (np.concatenate([several[:1], 2 * several[1 : reach + 1]]).cumsum())
    return int(np.argmax(tails <= 1 - confidence + 1e-12))


def _of_tuples(published: float, record: MechanismRecord, where: Where) -> CountAnswer:
    possible = 1
    for name, labels in record.domains.items():
        axis = queried_columns.OrderedValues(labels, name)
        possible *= int(axis.chosen(where[name]).sum()) if name in where else len(labels)
    estimate = estimated_tuples(round(published), possible, record.chances["alpha"], record.chances["beta"])
    return CountAnswer(estimate, None, None, "an estimate of distinct combinations; some of the published were made up")
