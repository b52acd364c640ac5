"""An attribute as an axis: its values in a total order, and what it costs to publish a run of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, CodeArray, FloatArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet
from krypsis.errors import UsageError, did_you_mean, shorten
from krypsis.metrics.base import Metric
from krypsis.metrics.cells import CellMetric
from krypsis.metrics.ncp import NormalizedCertaintyPenalty

NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?\s*$"
CODE = r"^\s*[+-]?0[0-9]"
"""Codes such as the zip code ``01234`` look like numbers, but their distance means nothing."""
DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$"
NOT_FINITE = r"^(?i)\s*[+-]?(inf|infinity|nan)\s*$"


TimeUnit = Literal["D", "us"]
_DAYS: TimeUnit = "D"
_MICROSECONDS: TimeUnit = "us"


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The number of each level-0 code; 0 where the value is missing."""

    numbers: FloatArray
    is_missing: BoolArray
    unit: TimeUnit | None
    """What dates (days) and times (microseconds) are counted in since 1970."""


def coordinates_of(hierarchy: Hierarchy, name: str, *, required: bool = False) -> Coordinates | None:
    """Return the numbers of an attribute whose values are all numbers, all dates or all times, else nothing.

    Dates and times are written year first.

    Raises
    ------
    UsageError
        if the values are numbers but for some that are infinite or "not a number"; or if numbers are ``required`` and
        there are other values.
    """
    values = pl.Series(hierarchy.values, dtype=pl.String)
    known = values.drop_nulls()
    are_numbers = known.str.contains(NUMBER) & ~known.str.contains(CODE)
    odd = known.str.contains(NOT_FINITE)
    if are_numbers.any() and (are_numbers | odd).all():
        _refuse_infinite(known, odd, name)
    unit, moments = _moments(values)
    if len(known) and (are_numbers.all() or (required and known.str.contains(NUMBER).all())):
        numbers = values.str.strip_chars().cast(pl.Float64)
    elif moments is not None:
        numbers = moments.cast(pl.Float64)
    elif required and len(known):
        raise UsageError(
            f"{name!r} is called numeric and holds values that are no numbers: "
            f"{shorten(map(repr, known.filter(~known.str.contains(NUMBER)).to_list()))}; "
            "correct them, leave the cells empty, or call it ordered"
        )
    else:
        return None
    _refuse_infinite(known, numbers.drop_nulls().is_infinite(), name)
    return Coordinates(numbers.fill_null(0.0).to_numpy(), values.is_null().to_numpy(), unit)


def _refuse_infinite(known: pl.Series, odd: pl.Series, name: str) -> None:
    if odd.any():
        raise UsageError(
            f"{name!r} holds {shorten(map(repr, known.filter(odd).to_list()))} among its numbers, which has no place "
            "on an axis; leave these cells empty, or remove the records"
        )


def _moments(values: pl.Series) -> tuple[TimeUnit | None, pl.Series | None]:
    """Return the days or microseconds since 1970 where all values that are not missing are dates, or all are times."""
    known, unit = values.drop_nulls(), None
    if len(known) and known.str.contains(DATE).all():
        unit, moments = _DAYS, values.str.to_date("%Y-%m-%d", strict=False).cast(pl.Int32)
    elif len(known) and known.str.contains(MOMENT).all():
        texts = values.str.replace(" ", "T", literal=True).str.replace(r"T(\d\d:\d\d)$", "T${1}:00")
        read = texts.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False)
        unit, moments = _MICROSECONDS, read.cast(pl.Int64)
    if unit is None or moments.null_count() > values.null_count():
        return None, None
    return unit, moments


AxisKind = Literal["numeric", "ordered", "taxonomy"]
"""``numeric``: numbers, dates or times, whose distance counts. ``ordered``: only the order counts. ``taxonomy``: a
tree."""

Publish = Literal["auto", "ranges", "sets", "hierarchy"]
"""How a run of values is published: as ``[a-b]``, as ``{a, b}``, or as its lowest common ancestor. ``auto``: numbers
and dates as ranges, values of a tree as ancestors, other values as sets."""

Form = Literal["range", "set", "node"]

COUNTED = frozenset({"loss"})
"""Metrics for which a range of numbers costs what the values in it cost, not the distance of its ends."""


@dataclass(frozen=True, eq=False)
class Axis:
    """The values of an attribute by rank: ``code_at[rank]`` is the level-0 code, ``rank_of[code]`` the inverse.

    Values below one node of the hierarchy are neighbors wherever nodes are published, so the lowest common ancestor
    of a run of ranks depends on its two ends alone. A missing value has the last rank; published together with any
    other value it becomes the top.
    """

    name: str
    hierarchy: Hierarchy
    kind: AxisKind
    form: Form
    code_at: CodeArray
    position: FloatArray
    """``position[rank]``: where it lies between 0 and 1; a range costs the distance of its ends."""
    node_costs: FloatArray
    """``node_costs[level, rank]``: what it costs to publish the node above a value."""
    has_missing: bool
    weight: float = 1.0
    span: float = 1.0
    """The absolute width of the axis: the distance of the lowest and the highest number, else the number of steps."""
    numbers: FloatArray | None = None
    """``numbers[rank]``: the numbers of a numeric axis, dates and times as numbers; 0 where missing."""
    unit: TimeUnit | None = None
    """What dates and times are counted in."""

    @cached_property
    def rank_of(self) -> CodeArray:
        """The rank of each level-0 code."""
        ranks = np.empty(len(self.code_at), dtype=np.int32)
        ranks[self.code_at] = np.arange(len(self.code_at), dtype=np.int32)
        return ranks

    @cached_property
    def nodes(self) -> CodeArray:
        """``nodes[level, rank]``: the code of the node above a value."""
        return np.ascontiguousarray(self.hierarchy.table[:, self.code_at])

    @property
    def known(self) -> int:
        """The number of values that are not missing; the rank of a missing value, where there is one."""
        return len(self.code_at) - self.has_missing

    def cost(self, low: CodeArray, high: CodeArray) -> FloatArray:
        """Return what it costs one record to be published with the values from rank ``low`` to ``high``, at most 1."""
        if self.form == "node":
            return self.node_costs[self.level(low, high), low]
        cost: FloatArray = self.position[high] - self.position[low]
        mixed = (high >= self.known) & (low < self.known)
        return np.where(mixed, 1.0, cost)

    def level(self, low: CodeArray, high: CodeArray) -> CodeArray:
        """Return the level of the lowest common ancestor of each run."""
        level = np.full(np.shape(low), self.hierarchy.height, dtype=np.int32)
        for above in range(self.hierarchy.height - 1, -1, -1):
            level[self.nodes[above][low] == self.nodes[above][high]] = above
        return level


def axes_of(
    frequency: FrequencySet,
    metric: Metric,
    publish: Publish | Mapping[str, Publish] = "auto",
    kinds: Mapping[str, AxisKind] | None = None,
) -> tuple[Axis, ...]:
    """Return the quasi-identifiers as axes; ``publish`` is one form for all, or the form of some attributes.

    Costs are those of ``metric`` where it charges every cell for itself, else those of the normalized certainty
    penalty.

    Raises
    ------
    UsageError
        if ``kinds`` or ``publish`` names an attribute that there is not, or an attribute is called numeric that holds
        other values.

    Examples
    --------
    >>> age = Hierarchy.from_rows([[str(age), "*"] for age in (31, 9, 11)])
    >>> people = FrequencySet(("age",), (age,), np.array([[0], [1], [2]], dtype=np.int32), np.ones(3, dtype=np.int64))
    >>> axis, = axes_of(people, NormalizedCertaintyPenalty())
    >>> axis.kind, axis.code_at.tolist(), axis.cost(np.array([0]), np.array([1])).round(3).tolist()
    ('numeric', [1, 2, 0], [0.091])
    """
    given = dict(kinds or {})
    forms: dict[str, Publish] = (
        dict.fromkeys(frequency.attributes, publish) if isinstance(publish, str) else {**publish}
    )
    require_attributes("kinds", given, frequency)
    require_attributes("publish", forms, frequency)
    return tuple(
        _axis(frequency, position, metric, forms.get(name, "auto"), given.get(name))
        for position, name in enumerate(frequency.attributes)
    )


def require_attributes(parameter: str, names: Iterable[str], frequency: FrequencySet) -> None:
    """Raise if a parameter names an attribute that is no quasi-identifier."""
    known = frequency.attributes
    for name in names:
        if name not in known:
            raise UsageError(
                f"{parameter} names {name!r}, which is not a quasi-identifier; those are: {', '.join(known)}."
                f"{did_you_mean(name, known)}"
            )


def _axis(frequency: FrequencySet, position: int, metric: Metric, publish: Publish, wanted: AxisKind | None) -> Axis:
    name, hierarchy = frequency.attributes[position], frequency.hierarchies[position]
    coordinates = coordinates_of(hierarchy, name, required=wanted == "numeric")
    kind = wanted or _kind(hierarchy, coordinates)
    form = _form(publish, kind, hierarchy)
    order = _order(hierarchy, coordinates if kind == "numeric" else None, form)
    if order is None:  # the tree joins numbers that are not neighbors: its own order counts
        kind, order = "taxonomy", _leaf_order(hierarchy)
    numbers = coordinates.numbers[order] if coordinates is not None and kind == "numeric" else None
    known = len(order) - (None in hierarchy.code_of)
    return Axis(
        name=name,
        hierarchy=hierarchy,
        kind=kind,
        form=form,
        code_at=order.astype(np.int32),
        position=_positions(None if metric.name in COUNTED else numbers, known, frequency.marginals[position][order]),
        node_costs=_node_costs(frequency, position, metric)[:, order],
        has_missing=None in hierarchy.code_of,
        weight=float(frequency.attribute_weights[position]),
        span=max(known - 1, 0) if numbers is None or not known else float(numbers[known - 1]) - float(numbers[0]),
        numbers=numbers,
        unit=None if coordinates is None else coordinates.unit,
    )


def _kind(hierarchy: Hierarchy, coordinates: Coordinates | None) -> AxisKind:
    if coordinates is not None:
        return "numeric"
    return "taxonomy" if hierarchy.height > 1 else "ordered"


def _form(publish: Publish, kind: AxisKind, hierarchy: Hierarchy) -> Form:
    forms: dict[Publish, Form] = {"ranges": "range", "sets": "set", "hierarchy": "node" if hierarchy.height else "set"}
    by_kind: dict[AxisKind, Form] = {"numeric": "range", "ordered": "set", "taxonomy": "node"}
    return forms.get(publish, by_kind[kind])


def _order(hierarchy: Hierarchy, coordinates: Coordinates | None, form: Form) -> CodeArray | None:
    """Return the codes in order, or nothing if the nodes of the tree are not runs in the order of the numbers."""
    if coordinates is None:
        return _leaf_order(hierarchy)
    order = np.lexsort((np.arange(len(hierarchy.values)), coordinates.numbers, coordinates.is_missing))
    # A node must be a run of ranks, or the common ancestor of a run would not depend on its ends alone.
    if form == "node" and not _nodes_are_runs(hierarchy.table[:, order]):
        return None
    return order.astype(np.int32)


def _leaf_order(hierarchy: Hierarchy) -> CodeArray:
    """Return the codes as the leaves of the tree from left to right, a missing value last."""
    missing = np.array([value is None for value in hierarchy.values])
    return np.lexsort((*hierarchy.table, missing)).astype(np.int32)


def _nodes_are_runs(nodes: CodeArray) -> bool:
    runs = 1 + (np.diff(nodes, axis=1) != 0).sum(axis=1)
    return all(int(count) == len(np.unique(level)) for count, level in zip(runs, nodes, strict=True))


def _positions(numbers: FloatArray | None, known: int, records: IntArray) -> FloatArray:
    """Return where each rank lies between 0 and 1, the lowest and the highest value that any record has.

    A missing value lies at the end.
    """
    ranks = len(records)
    if numbers is None:
        return np.arange(ranks) / max(ranks - 1, 1)
    halves = numbers[:known] / 2  # the span of the largest numbers would be too large for a number
    occurring = halves[records[:known] > 0] if records[:known].any() else halves
    span = occurring[-1] - occurring[0] if known else 0.0
    places = np.clip((halves - occurring[0]) / span, 0, 1) if span else np.zeros(known)
    return np.append(places, np.ones(ranks - known))


def _node_costs(frequency: FrequencySet, position: int, metric: Metric) -> FloatArray:
    charged = metric if isinstance(metric, CellMetric) else NormalizedCertaintyPenalty()
    return charged.level_costs(frequency, position)
