"""Statistics of columns before and after: what a perturbation kept. They stay with the publisher."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from krypsis.arrays import BoolArray, FloatArray
from krypsis.data.columns import AnyColumn, CategoryColumn, NumericColumn
from krypsis.data.hierarchies.base import Label
from krypsis.errors import InternalError

QUANTILES = {"minimum": 0, "lower_quartile": 25, "median": 50, "upper_quartile": 75, "maximum": 100}
MOST_COUNTED = 100
"""The counts of a column with more categories than this are left out."""


def compare(before: Mapping[str, AnyColumn], after: Mapping[str, AnyColumn]) -> dict[str, Any]:
    """Return the statistics of each column before and after, and those between columns of numbers, ready for JSON.

    Examples
    --------
    >>> ages = NumericColumn("age", np.array([20.0, 40, np.nan])), NumericColumn("age", np.array([20.0, 44, np.nan]))
    >>> found = compare({"age": ages[0]}, {"age": ages[1]})["columns"]["age"]
    >>> found["changed"], found["before"]["mean"], found["after"]["mean"]
    (0.5, 30.0, 32.0)
    """
    return {
        "columns": {name: _compared(column, after[name]) for name, column in before.items()},
        "correlations": _correlations(before, after),
    }


def unchanged_records(before: Mapping[str, AnyColumn], after: Mapping[str, AnyColumn]) -> int:
    """Return how many records have the same value as before in every column; records without any do not count.

    Examples
    --------
    >>> ages = NumericColumn("age", np.array([20.0, 40, np.nan])), NumericColumn("age", np.array([20.0, 44, np.nan]))
    >>> unchanged_records({"age": ages[0]}, {"age": ages[1]})
    1
    """
    known = np.logical_or.reduce([_known(column) for column in before.values()])
    same = np.logical_and.reduce([_same(column, after[name]) for name, column in before.items()])
    return int((known & same).sum())


def in_words(statistics: Mapping[str, Any]) -> Iterator[str]:
    """Say what changed, one sentence per column.

    Examples
    --------
    >>> ages = NumericColumn("age", np.array([20.0, 40])), NumericColumn("age", np.array([20.0, 44]))
    >>> list(in_words(compare({"age": ages[0]}, {"age": ages[1]})))
    ['age: 50.0% of the values changed; mean 30 → 32, standard deviation 10 → 12']
    """
    for name, found in statistics["columns"].items():
        changed = "drawn anew" if found["changed"] is None else f"{found['changed']:.1%} of the values changed"
        yield f"{name}: {changed}; {_kept(found)}"
    if statistics["correlations"]:
        yield f"correlations between columns: {_largest_gap(statistics['correlations'])}"


def _kept(found: Mapping[str, Any]) -> str:
    before, after = found["before"], found["after"]
    if "distance" in found:
        return f"how often each occurs, {found['distance']:.1%} away from before"
    if "mean" not in before or "mean" not in after:
        return "no number is left"
    spread = [math.sqrt(one["variance"]) for one in (before, after)]
    return f"mean {before['mean']:.5g} → {after['mean']:.5g}, standard deviation {spread[0]:.5g} → {spread[1]:.5g}"


def _largest_gap(correlations: Mapping[str, Any]) -> str:
    pairs = zip(correlations["before"], correlations["after"], strict=True)
    cells = [cell for rows in pairs for cell in zip(*rows, strict=True) if None not in cell]
    return f"changed by at most {max((abs(one - other) for one, other in cells), default=0):.2g}"


def _compared(before: AnyColumn, after: AnyColumn) -> dict[str, Any]:
    if isinstance(before, NumericColumn) and isinstance(after, NumericColumn):
        changed = _share_changed(before.values, after.values, ~np.isnan(before.values))
        return {"changed": changed, "before": _of_numbers(before.values), "after": _of_numbers(after.values)}
    texts, known = _texts(before), np.array([label is not None for label in _categories(before).labels])
    counts, later = _counts(before), _counts(after)
    return {
        "changed": _share_changed(texts, _texts(after), known[_categories(before).codes]),
        "distance": _total_variation(counts, later),
        "before": _of_categories(counts),
        "after": _of_categories(later),
    }


def _known(column: AnyColumn) -> BoolArray:
    if isinstance(column, NumericColumn):
        return np.asarray(~np.isnan(column.values), dtype=np.bool_)
    return np.array([label is not None for label in _categories(column).labels])[_categories(column).codes]


def _same(before: AnyColumn, after: AnyColumn) -> BoolArray:
    if isinstance(before, NumericColumn) and isinstance(after, NumericColumn):
        both_missing = np.isnan(before.values) & np.isnan(after.values)
        return np.asarray((before.values == after.values) | both_missing, dtype=np.bool_)
    return np.asarray(_texts(before) == _texts(after), dtype=np.bool_)


def _share_changed(before: Any, after: Any, known: Any) -> float | None:
    """Return the share of the values that are another now; nothing can be said if the records are others."""
    if len(before) != len(after):
        return None
    return float((before != after)[known].mean()) if known.any() else 0.0


def _of_numbers(values: FloatArray) -> dict[str, Any]:
    known = values[~np.isnan(values)]
    figures: dict[str, Any] = {"records": len(values), "missing": len(values) - len(known)}
    if len(known):
        figures |= {"mean": float(known.mean()), "variance": float(known.var())}
        figures |= {name: float(np.percentile(known, share)) for name, share in QUANTILES.items()}
    return figures


def _texts(column: AnyColumn) -> npt.NDArray[np.object_]:
    return np.array(_categories(column).labels, dtype=object)[_categories(column).codes]


def _counts(column: AnyColumn) -> dict[Label, int]:
    labels, codes = _categories(column).labels, _categories(column).codes
    counts = np.bincount(codes, minlength=len(labels)).tolist()
    return {label: count for label, count in zip(labels, counts, strict=True) if count}


def _categories(column: AnyColumn) -> CategoryColumn:
    if isinstance(column, CategoryColumn):
        return column
    raise InternalError(f"column {column.name!r} was read as numbers once and as categories once; please report this")


def _of_categories(counts: Mapping[Label, int]) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "records": sum(counts.values()),
        "missing": counts.get(None, 0),
        "values": sum(label is not None for label in counts),
    }
    if len(counts) <= MOST_COUNTED:
        figures["counts"] = {label: count for label, count in counts.items() if label is not None}
    return figures


def _total_variation(before: Mapping[Label, int], after: Mapping[Label, int]) -> float:
    """Return the share of the records that would have to change for the counts to agree."""
    sizes = sum(before.values()), sum(after.values())
    gaps = (abs(before.get(label, 0) / sizes[0] - after.get(label, 0) / sizes[1]) for label in {*before, *after})
    return math.fsum(gaps) / 2


def _correlations(before: Mapping[str, AnyColumn], after: Mapping[str, AnyColumn]) -> dict[str, Any]:
    names = [name for name, column in before.items() if isinstance(column, NumericColumn)]
    if len(names) < 2:
        return {}
    return {
        "columns": names,
        "before": _matrix([before[name] for name in names]),
        "after": _matrix([after[name] for name in names]),
    }


def _matrix(columns: Sequence[AnyColumn]) -> list[list[float | None]]:
    """Return the correlations over the records that lack nothing; ``None`` where a column is constant there."""
    values = np.stack([column.values for column in columns if isinstance(column, NumericColumn)])
    complete = values[:, ~np.isnan(values).any(axis=0)]
    if not complete.shape[1]:
        return [[None] * len(values)] * len(values)
    spreads = complete.std(axis=1, keepdims=True)
    standard = (complete - complete.mean(axis=1, keepdims=True)) / np.where(spreads > 0, spreads, np.nan)
    found = standard @ standard.T / complete.shape[1]
    return [[None if np.isnan(one) else float(one) for one in row] for row in found]
