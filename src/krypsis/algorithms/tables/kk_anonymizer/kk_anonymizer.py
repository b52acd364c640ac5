"""(k,k)-anonymization."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.boxes import Axis, Boxes, axes_of, publish_groups
from krypsis.algorithms.tables.boxes.boxes import ranks_of
from krypsis.algorithms.tables.kk_anonymizer.kernels import ClosedAxes, cover, grow_tree, hold_boxes, surround
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.mondrian.partition import pack_axes
from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.data.recoding import CellRecoding, FrequencySet, Grain
from krypsis.errors import Infeasible, UsageError
from krypsis.kernels.rows import number_rows
from krypsis.metrics.base import Metric
from krypsis.models.base import PrivacyModel
from krypsis.models.links import LinkModel
from krypsis.progress import NO_PROGRESS, Progress


def closed_axes(axes: Sequence[Axis]) -> ClosedAxes:
    """Return the axes as arrays, one after the other."""
    runs = [_runs(axis.nodes) for axis in axes]
    return ClosedAxes(
        table=pack_axes(axes, range(len(axes))),
        run_low=np.concatenate([low.ravel() for low, _ in runs]),
        run_high=np.concatenate([high.ravel() for _, high in runs]),
    )


def scales_of(axes: Sequence[Axis]) -> FloatArray:
    """Return how much one rank counts on each axis where widths are compared."""
    return np.array([axis.weight / max(len(axis.code_at) - 1, 1) for axis in axes])


def _runs(nodes: CodeArray) -> tuple[CodeArray, CodeArray]:
    """Return for every ``[level, rank]`` the lowest and the highest rank of its node; nodes are runs of ranks."""
    low, high = np.empty_like(nodes), np.empty_like(nodes)
    for level, codes in enumerate(nodes):
        first = np.flatnonzero(np.diff(codes, prepend=-1))
        last = np.append(first[1:], len(codes)) - 1
        run = np.searchsorted(first, np.arange(len(codes)), side="right") - 1
        low[level], high[level] = first[run], last[run]
    return low, high


class KKAnonymizer(Algorithm):
    """Generalizes every record just until k records could be it, and it could be k records, without any groups.

    Notes
    -----
    Step 1, for (k,1): the box of a record starts as the record itself and takes in, again and again, the record outside
    that makes it cost least, until it holds ``k``. Step 2, for (1,k): while an original record lies in fewer than ``k``
    boxes, the box is widened to hold it for which that costs least; records whose own box costs most come first. A box
    counts as wide as the label it is published with. Nothing is suppressed.

    Both steps find the cheapest record through a tree over all of them that leaves out what cannot be cheaper. A single
    search looks at ``effort`` parts of up to 8 records at most; then the best found so far counts. On Adult (30,162
    records, 9 attributes, k = 5) every search of step 1 ends before that; an effort of 100 raises the loss by 0.3 %,
    one of 30 by a fifth.

    Neighbors share no common box, so far less is generalized than for k-anonymity. The price: who knows the attributes
    of *everybody* may rule out candidates that others need (see ``global-1k-anonymity``), and the promise can be
    verified only with the original table.

    Differs from the paper: step 2 may widen the box of any record, not only that of a neighbor of its own tuple, and
    ties go to the part of the tree that is visited first, which depends on the values alone.

    Values without a tree of at least two levels are published as they are or as the top of their hierarchy, never as
    sets: what a set stands for would depend on records that are not its own.

    Cost: ``n log n`` with a factor that grows with ``effort``, ``k`` and the number of attributes; memory of a few
    numbers for each cell.

    References
    ----------
    Gionis, Mazza, Tassa, "k-anonymization revisited", ICDE 2008, algorithms 4 and 5.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> people = pl.DataFrame({"age": [20, 21, 22, 40]})
    >>> release = krypsis.anonymize(people, {"age": "quasi-identifier"}, models="kk-anonymity:k=2",
    ...                             algorithm="kk-anonymizer")
    >>> sorted(release.table["age"])
    ['[20-21]', '[20-21]', '[21-40]', '[22-40]']
    """

    name: ClassVar[str] = "kk-anonymizer"
    scheme: ClassVar[str] = "CG_"
    grain: ClassVar[Grain] = "record"
    reference: ClassVar[str] = "Gionis, Mazza, Tassa, k-anonymization revisited, ICDE 2008"
    promises_about: ClassVar[Literal["groups", "links"]] = "links"

    publish: Literal["auto", "ranges", "hierarchy"] = Field(
        default="auto",
        description="numbers and dates as ranges and other values as nodes of their hierarchy (auto), "
        "everything as ranges, or everything as nodes",
    )
    effort: int = Field(default=300, ge=1, description="parts of 8 records that a search for one neighbor may look at")

    def search(
        self,
        frequency: FrequencySet,
        models: Sequence[PrivacyModel],
        metric: Metric,
        limits: Limits,
        progress: Progress = NO_PROGRESS,  # noqa: ARG002  there are no nodes to hear of
    ) -> CellRecoding:
        _refuse_levels(frequency, limits)
        around, over = _promised(models, "published"), _promised(models, "original")
        _refuse_few(frequency, max(around, over))
        axes = self._axes(frequency, metric)
        ranks, closed = ranks_of(frequency.codes, axes), closed_axes(axes)
        boxes = self._surrounded(ranks, axes, closed, around)
        widened = self._covered(ranks, axes, closed, boxes, over)
        step = {"generalize": "every record by itself", "widened": widened}
        return publish_groups(frequency, axes, np.arange(len(ranks)), boxes, [step])

    def _axes(self, frequency: FrequencySet, metric: Metric) -> tuple[Axis, ...]:
        found = axes_of(frequency, metric, self.publish)
        trees = axes_of(frequency, metric, "hierarchy")
        return tuple(tree if axis.form == "set" else axis for axis, tree in zip(found, trees, strict=True))

    def _surrounded(self, ranks: CodeArray, axes: Sequence[Axis], closed: ClosedAxes, k: int) -> Boxes:
        """Step 1: return a box for each record that holds at least k; records that are alike get the same."""
        tuple_of, first = number_rows(list(ranks.T), [len(axis.code_at) for axis in axes], len(ranks))
        points = np.ascontiguousarray(ranks[first])
        weights = np.bincount(tuple_of, minlength=len(first)).astype(np.int64)
        low, high = np.empty_like(points), np.empty_like(points)
        surround(closed, grow_tree(points, weights, scales_of(axes)), points, weights, k, self.effort, low, high)
        return Boxes(low[tuple_of], high[tuple_of])

    def _covered(self, ranks: CodeArray, axes: Sequence[Axis], closed: ClosedAxes, boxes: Boxes, k: int) -> int:
        """Step 2: widen the boxes until each record lies in at least k of them; return how often one was widened."""
        if k <= 1:
            return 0  # every record lies in its own
        tree = grow_tree(ranks, np.ones(len(ranks), dtype=np.int64), scales_of(axes))
        hold_boxes(tree, boxes.low, boxes.high)
        return cover(closed, tree, ranks, _outliers_first(ranks, axes, boxes), k, self.effort, boxes.low, boxes.high)


def _outliers_first(ranks: CodeArray, axes: Sequence[Axis], boxes: Boxes) -> IntArray:
    """Return one record of each tuple, those with the costliest boxes first."""
    _, first = number_rows(list(ranks.T), [len(axis.code_at) for axis in axes], len(ranks))
    costs = boxes.costs(axes)[first] @ np.array([axis.weight for axis in axes])
    # Costs that differ by rounding only must not decide about the order.
    return first[np.argsort(-costs.round(9), kind="stable")]


def _promised(models: Sequence[PrivacyModel], side: Literal["original", "published"]) -> int:
    """Return how many links every record of a side must have."""
    return max((model.k for model in map(_link_model, models) if side in model.protects), default=1)


def _link_model(model: PrivacyModel) -> LinkModel:
    if not isinstance(model, LinkModel):
        raise UsageError(
            f"kk-anonymizer makes no groups of records that look alike, so it cannot promise {model.spec}; promise "
            "kk-anonymity instead, or choose the algorithm 'optimal'"
        )
    if model.name == "global-1k-anonymity":
        raise UsageError(
            f"kk-anonymizer counts the links of each record by itself, so it cannot promise {model.spec}; promise "
            "kk-anonymity instead, or choose the algorithm 'optimal', whose groups keep it"
        )
    return model


def _refuse_few(frequency: FrequencySet, k: int) -> None:
    if k > frequency.rows:
        closest: dict[str, Any] = {"k": frequency.rows}
        raise Infeasible(
            f"every record must have {k} candidates, and the table has {frequency.rows} record(s); "
            f"the largest k that is possible is {frequency.rows}",
            closest,
        )


def _refuse_levels(frequency: FrequencySet, limits: Limits) -> None:
    given = limits.lowest or (0,) * len(frequency.attributes), limits.highest or frequency.heights
    if any(given[0]) or given[1] != frequency.heights:
        raise UsageError(
            "kk-anonymizer generalizes each record by itself and knows no least or highest level; leave min_level and "
            "max_level out, or choose the algorithm 'optimal'"
        )
