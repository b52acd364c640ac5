"""Counts over published tables: generalized, in groups with separate sensitive values, or made by chance."""

from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np
import polars as pl

from krypsis.algorithms.tables.mechanisms.alpha_beta import estimated_count as estimated_tuples
from krypsis.arrays import FloatArray, IntArray
from krypsis.errors import UsageError, column_not_found
from krypsis.kinds.counting import CountAnswer, Where
from krypsis.kinds.table.utility import queried_columns
from krypsis.kinds.table.utility.queried_columns import ExactColumn, GeneralizedColumn, GroupedColumn, QueriedColumn
from krypsis.models.mechanisms import MechanismRecord, Spending
from krypsis.release.provenance import MADE_BY_CHANCE
from krypsis.release.release import Release

CERTAIN = "no table that could lie behind the release has fewer or more"
CONFIDENCE = 0.95
SUPPRESSED = "*"
NO_BOUNDS = "values were replaced by others, so any count could be behind them"


def count_in_table(release: Release, where: Where, domains: Mapping[str, Any]) -> CountAnswer:
    """Return what a published table says about how many records meet all conditions."""
    for name in where:
        if name not in release.publication.columns and name not in release.schema.sensitive:
            raise column_not_found(name, release.publication.columns)
    if release.mechanism_record is not None:
        return _made_by_chance(release, release.mechanism_record, where, domains)
    columns = {**queried_columns.columns_of(release, list(where), domains), **_blurred(release, where, domains)}
    shares = {name: columns[name].shares(condition) for name, condition in where.items()}
    estimate = float(_product(shares.values()).sum())
    if release.scheme in MADE_BY_CHANCE:
        return CountAnswer(estimate, None, None, NO_BOUNDS)
    low, high = _in_groups(columns, where, shares) if release.group_column else _in_records(shares)
    hidden = release.suppressed if release.suppression == "remove" else 0
    return CountAnswer(estimate, low, high + hidden, CERTAIN)


def _blurred(release: Release, where: Where, domains: Mapping[str, Any]) -> dict[str, QueriedColumn]:
    """Return sensitive attributes of which some records show something more general, or nothing."""
    found: dict[str, QueriedColumn] = {}
    for name in where:
        if name in release.schema.sensitive and release.group_column is None:
            shows = release.table.get_column(name)
            if name in release.hierarchies or (shows.dtype == pl.String and SUPPRESSED in shows):
                found[name] = GeneralizedColumn.of(release, name, _values(name, domains))
    return found


def _values(name: str, domains: Mapping[str, Any]) -> Any:
    if name not in domains:
        raise UsageError(
            f"some records show {name} more generally or not at all, and nothing says which values it may have; name "
            f"the plan: --plan plan.yaml, or the values: --domain '{name}=flu|cold'"
        )
    return domains[name]


def _product(shares: Any) -> FloatArray:
    return np.asarray(reduce(np.multiply, list(shares)), dtype=np.float64)


def _in_records(shares: Mapping[str, FloatArray]) -> tuple[int, int]:
    """Each record by itself could have any of the values that its labels stand for."""
    together = np.stack(list(shares.values()))
    return int((together == 1).all(axis=0).sum()), int((together > 0).all(axis=0).sum())


def _in_groups(columns: Mapping[str, QueriedColumn], where: Where, shares: Mapping[str, FloatArray]) -> tuple[int, int]:
    """In each group the sensitive values may belong to its records in any order."""
    grouped = next((name for name, column in columns.items() if isinstance(column, GroupedColumn)), None)
    column = None if grouped is None else columns[grouped]
    if grouped is None or not isinstance(column, GroupedColumn):
        return _in_records(shares)
    others = [share for name, share in shares.items() if name != grouped]
    certain, possible = _per_group(column, others)
    meeting = np.bincount(column.group, column.count * column.axis.chosen(where[grouped])[column.value])
    sizes = np.bincount(column.group, column.count)
    return int(np.maximum(0, certain + meeting - sizes).sum()), int(np.minimum(possible, meeting).sum())


def _per_group(column: GroupedColumn, shares: list[FloatArray]) -> tuple[IntArray, IntArray]:
    """Return for each group how many of its records meet the other conditions, for certain and possibly."""
    groups = len(np.bincount(column.group))
    together = np.stack(shares) if shares else np.ones((1, len(column.group_of_record)))
    certain, possible = (together == 1).all(axis=0), (together > 0).all(axis=0)
    counted = [np.bincount(column.group_of_record[which], minlength=groups) for which in (certain, possible)]
    return counted[0].astype(np.int64), counted[1].astype(np.int64)


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
