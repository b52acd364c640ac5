"""Mondrian, strict and relaxed."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from krypsis.algorithms.tables.base import Algorithm, Promises
from krypsis.algorithms.tables.boxes import Axis, axes_of, publish_groups
from krypsis.algorithms.tables.boxes.axes import TimeUnit, require_attributes
from krypsis.algorithms.tables.boxes.boxes import Boxes, Kinds, Names, Publishing, ranks_of
from krypsis.algorithms.tables.infeasible import refuse_what_is_not_cut, refuse_what_is_not_judged, unless_accepted
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.mondrian.kernels import CutRule
from krypsis.algorithms.tables.mondrian.partition import Partition, Partitioner, pack_axes, pack_classes
from krypsis.algorithms.tables.mondrian.steps import layer_steps
from krypsis.algorithms.tables.mondrian.top_cuts import TopCuts
from krypsis.algorithms.threads import number_of_threads
from krypsis.arrays import CodeArray, FloatArray
from krypsis.data.groups import Histogram
from krypsis.data.recoding import CellRecoding, Codebook, FrequencySet, Grain
from krypsis.errors import InternalError, UsageError, did_you_mean
from krypsis.kernels.rows import number_rows
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.progress import NO_PROGRESS, Progress, TraceStep

DIGITS = 12
"""Means are rounded to so many digits: enough that sums of whole numbers can be had back, and no more."""


def with_means(
    recoding: CellRecoding, frequency: FrequencySet, axes: Sequence[Axis], group_of: CodeArray
) -> CellRecoding:
    """Return the recoding with labels such as ``[20-23] (mean 21.5)``; all records of a group get the same."""
    groups, first = np.unique(group_of, return_index=True)
    sizes = np.bincount(group_of, frequency.counts)
    books, released = list(recoding.codebooks), recoding.released.copy()
    for place, axis in enumerate(axes):
        if axis.numbers is not None and axis.form == "range":
            start = axis.numbers[0]  # large numbers far from 0, such as times, would be summed with too few digits
            above = (axis.numbers[axis.rank_of[frequency.codes[:, place]]] - start) * frequency.counts
            means = start + (np.bincount(group_of, above) / sizes)[groups]
            text = _as_number if axis.unit is None else partial(_as_moment, unit=axis.unit)
            books[place], codes = _with_means(books[place], released[first, place], means, text)
            released[:, place] = codes[group_of]
    return CellRecoding(released, tuple(books), recoding.suppressed, recoding.figures, recoding.lower_bound)


def _with_means(
    book: Codebook, released: CodeArray, means: FloatArray, text: Callable[[float], str]
) -> tuple[Codebook, CodeArray]:
    """Return the codebook with one entry for each label and mean, and the code of each group in it.

    Single values and the top stay as they are.
    """
    is_range = book.leaves > 1
    is_range &= np.array([label is not None and label.endswith("]") for label in book.labels], dtype=np.bool_)
    pairs = np.stack([released.astype(np.float64), np.where(is_range[released], means, 0.0)])
    (old, mean), codes = np.unique(pairs, axis=1, return_inverse=True)
    chosen = old.astype(np.int64)
    labels = [
        f"{book.labels[code]} (mean {text(value)})" if is_range[code] else book.labels[code]
        for code, value in zip(chosen.tolist(), mean.tolist(), strict=True)
    ]
    book_with_means = Codebook(tuple(labels), book.starts[chosen], book.ends[chosen], book.values, book.climbed[chosen])
    return book_with_means, codes.astype(np.int32)


def _as_number(mean: float) -> str:
    return f"{mean:.{DIGITS}g}"


def _as_moment(mean: float, unit: TimeUnit) -> str:
    moment = str(np.datetime64(round(mean), unit))
    return moment.removesuffix(".000000")


class PartitioningSearch(Algorithm):
    """Cuts a table in two, again and again, as long as every part keeps the promises."""

    scheme: ClassVar[str] = "CG_"
    describes_steps: ClassVar[bool] = True
    counts_combined: ClassVar[bool] = True
    relaxed: ClassVar[bool]
    """Whether records at the median may go to either side."""

    choose: Literal["width", "ncp", "classification"] = Field(
        default="width",
        description="the attribute a part is cut on: the one it is widest in, the one where the cut lowers the loss "
        "most, or the one where it distinguishes the classes of the target best",
    )
    target: str | None = Field(
        default=None,
        description="with choose=classification: the sensitive attribute with the classes; the first one unless given",
    )
    publish: Publishing = Field(
        default="auto",
        description="how values are published: ranges, sets, hierarchy (the lowest common ancestor) or auto; for all "
        "attributes, or by attribute",
    )
    kinds: Kinds = Field(
        default={}, description="attributes that are not to be what they look like: numeric, ordered or taxonomy"
    )
    summary: Literal["tight", "region"] = Field(
        default="tight", description="publish what spans the records of a group, or all of the region cut out for it"
    )
    extent: Literal["records", "region"] = Field(
        default="records", description="what the width of a part is measured on: its records, or its region"
    )
    dimension_order: Names = Field(
        default=(),
        description="of attributes that are equally good, the first in this list is cut; unless given, the one with "
        "the smaller absolute range, then the one that stands first in the table",
    )
    means: bool = Field(
        default=False, description="publish with every range of numbers the mean of its group; read what it reveals"
    )
    threads: int | None = Field(
        default=None, ge=1, description="how many threads cut; the result is the same. All processors unless given"
    )

    @model_validator(mode="after")
    def _check_target(self) -> Self:
        if self.target is not None and self.choose != "classification":
            raise ValueError(f"target belongs to choose=classification; choose here is {self.choose}")
        return self

    def search(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        metric: Metric,
        limits: Limits,
        progress: Progress = NO_PROGRESS,
    ) -> CellRecoding:
        self._check(frequency, limits)
        promises = Promises(frequency, tuple(models))
        refuse_what_is_not_judged(self.name, promises)
        unless_accepted(promises, limits)
        axes = axes_of(frequency, metric, self.publish, self.kinds)
        # Parts may look alike when published: where that breaks a promise, a second run makes only cuts that show.
        for separating in (False, True):
            found = self._partition(axes, promises, progress, separating=separating)
            recoding = self._recoding(frequency, axes, found)
            if _keeps_when_published(recoding, promises):
                progress.each_step(partial(self._steps, frequency, axes, found))
                return recoding
        raise InternalError("parts that keep the promises were published as groups that do not")

    def top_cuts(
        self,
        whole: FrequencySet,
        models: Sequence[GroupModel],
        metric: Metric,
        limits: Limits,
        most: int,
        *,
        separating: bool,
    ) -> TopCuts:
        """Return the search for the first cuts of a table whose tuples do not fit into memory.

        Parameters
        ----------
        whole
            the table with all records in one tuple.
        most
            parts of up to so many records are left for :meth:`search_part`.
        separating
            whether only cuts are made whose sides can never be published alike.
        models, metric, limits
            as for :meth:`search`.

        Raises
        ------
        UsageError
            if counts of single values do not decide the cuts.
        """
        self._check(whole, limits)
        if self.relaxed or self.choose != "width" or self.extent != "records" or self.summary != "tight" or self.means:
            raise UsageError(
                f"{self.spec} needs all distinct combinations of values in memory, and they do not fit; allow more "
                "memory, or use the algorithm 'mondrian' as it is without parameters"
            )
        promises = Promises(whole, tuple(models))
        refuse_what_is_not_judged(self.name, promises)
        unless_accepted(promises, limits)
        axes = axes_of(whole, metric, self.publish, self.kinds)
        rule = CutRule(promises.k, self.relaxed, separating, not self.dimension_order)
        return TopCuts(axes, pack_axes(axes, self._precedence(whole)), rule, whole, models, most)

    def search_part(self, found: TopCuts, part: FrequencySet, progress: Progress) -> tuple[CellRecoding, CodeArray]:
        """Return the recoding of a part that the first cuts have left, and the group of each of its tuples."""
        promises = Promises(part, tuple(found.models))
        groups = self._partition(found.axes, promises, progress, separating=found.rule.separating)
        return self._recoding(part, found.axes, groups), groups.group_of

    def _precedence(self, frequency: FrequencySet) -> list[int]:
        """Return the axes in the order in which ties are broken."""
        listed = [frequency.attributes.index(name) for name in self.dimension_order]
        return [*listed, *(place for place in range(len(frequency.attributes)) if place not in listed)]

    def _check(self, frequency: FrequencySet, limits: Limits) -> None:
        refuse_what_is_not_cut(self.name, frequency, limits)
        require_attributes("dimension_order", self.dimension_order, frequency)
        if self.relaxed and (frequency.counts > 1).any():
            raise InternalError(f"{self.name} needs every record as a tuple of its own, got tuples of several")

    def _partition(
        self, axes: Sequence[Axis], promises: Promises, progress: Progress, *, separating: bool
    ) -> Partition:
        frequency = promises.frequency
        partitioner = Partitioner(
            axes=pack_axes(axes, self._precedence(frequency)),
            widest=self.choose == "width",
            classes=pack_classes(self._classes(frequency), len(frequency.counts)),
            rule=CutRule(promises.k, self.relaxed, separating, not self.dimension_order),
            promises=promises,
            threads=number_of_threads(self.threads),
            by_region=self.extent == "region",
        )
        return partitioner.run(ranks_of(frequency.codes, axes), progress)

    def _classes(self, frequency: FrequencySet) -> Histogram | None:
        if self.choose != "classification":
            return None
        known = list(frequency.sensitive)
        if not known:
            raise UsageError(
                f"{self.name}:choose=classification distinguishes the classes of a sensitive attribute, and none is "
                "declared; give one column the role 'sensitive'"
            )
        target = self.target or known[0]
        if target not in known:
            raise UsageError(
                f"target names {target!r}, which is not sensitive; sensitive attributes: {', '.join(known)}."
                f"{did_you_mean(target, known)}"
            )
        return frequency.sensitive[target]

    def _steps(self, frequency: FrequencySet, axes: Sequence[Axis], found: Partition) -> Iterator[TraceStep]:
        return layer_steps(self.name, axes, ranks_of(frequency.codes, axes), found.notes)

    def _recoding(self, frequency: FrequencySet, axes: Sequence[Axis], found: Partition) -> CellRecoding:
        sizes = np.bincount(found.group_of, frequency.counts).astype(np.int64)
        figures: dict[str, Any] = {"parts": len(sizes), "smallest": int(sizes.min()), "largest": int(sizes.max())}
        boxes = found.boxes if self.summary == "tight" else self._regions(axes, found)
        recoding = publish_groups(frequency, axes, found.group_of, boxes, [figures])
        return with_means(recoding, frequency, axes, found.group_of) if self.means else recoding

    def _regions(self, axes: Sequence[Axis], found: Partition) -> Boxes:
        """Return the regions; they reach to missing values only where a record has one."""
        known = np.array([axis.known for axis in axes], dtype=np.int32)
        reaches = found.boxes.high >= known
        high = np.where(reaches, found.regions.high, np.minimum(found.regions.high, known - 1)).astype(np.int32)
        opened = (found.regions.low > 0) & (not self.relaxed)
        return Boxes(found.regions.low, high, is_region=True, opened=opened)


def _keeps_when_published(recoding: CellRecoding, promises: Promises) -> bool:
    """Say whether the groups keep the promises as they look: parts that look alike are one group.

    Two parts that keep a monotone promise keep it together, too.
    """
    if all(model.monotone for model in promises.models):
        return True
    radices = [len(book.labels) for book in recoding.codebooks]
    alike, first = number_rows(list(recoding.released.T), radices, len(recoding.released))
    return bool(promises.keep(alike, len(first)).all())


class RelaxedMondrian(PartitioningSearch):
    """Halves the table again and again: a group never has ``2·k`` records or more.

    Notes
    -----
    As ``mondrian``, but records at the median go to either side, so that the two sides differ by one record at most,
    and records with equal quasi-identifiers may be published differently. With k-anonymity alone every part ends with
    ``k`` to ``2·k − 1`` records. Parts that look alike are one group to a reader, which is then larger.

    Smaller groups need not lose less: ranges overlap. Trees are halved in the order of their leaves.

    Cost: ``n log n`` for ``n`` records; it does not gain from equal ones.

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006, section 4.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> people = pl.DataFrame({"age": [25, 26, 26, 26, 26, 27]})
    >>> release = krypsis.anonymize(people, {"age": "quasi-identifier"}, models="k-anonymity:k=3",
    ...                             algorithm="mondrian-relaxed")
    >>> sorted(release.table["age"])
    ['[25-26]', '[25-26]', '[25-26]', '[26-27]', '[26-27]', '[26-27]']
    """

    name: ClassVar[str] = "mondrian-relaxed"
    relaxed: ClassVar[bool] = True
    grain: ClassVar[Grain] = "record"
    reference: ClassVar[str] = "LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006"


class Mondrian(PartitioningSearch):
    """Cuts the table at medians into boxes that do not overlap, as small as the promises allow.

    Notes
    -----
    Records are points, attributes are axes. A part is cut on the axis it is widest in, as a share of the whole axis, at
    the median: the smallest value up to which at least half of the records lie, or the value before it. If any cut
    leaves ``k`` records on both sides, one of these two does (the thesis takes values with *more* than half, for which
    that is wrong: erratum 5). If it is refused, the next axis is tried. Records with equal quasi-identifiers stay
    together. Nothing is suppressed.

    With k-anonymity alone, and no trees, a group has at most ``2·d·(k − 1) + m`` records, ``d`` the number of
    attributes and ``m`` the largest number of records with equal quasi-identifiers. The result is not the smallest
    possible loss: to find that is NP-hard.

    Beyond the paper: any model decides which cuts are made; every part must be accepted, so every published group is,
    also where a model is not monotone. An attribute with a tree is cut along it: the child of the lowest common
    ancestor with most records is taken away from the others; if that is refused, the children are halved in their
    order. Missing values are taken away from the others first. Widths are those of the metric, weighted.

    Cost: ``n log n`` for ``n`` distinct tuples and ``choose=width``; the other choices try each cut and cost as many
    times more as there are attributes.

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006; "Workload-aware anonymization",
    KDD 2006 (choose=classification).

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> people = pl.DataFrame({"age": [25, 26, 27, 28], "zip": ["53711", "53711", "53710", "53712"]})
    >>> release = krypsis.anonymize(people, dict.fromkeys(people.columns, "quasi-identifier"),
    ...                             models="k-anonymity:k=2", algorithm="mondrian")
    >>> sorted(set(release.table.rows()))
    [('[25-26]', '53711'), ('[27-28]', '[53710-53712]')]
    """

    name: ClassVar[str] = "mondrian"
    relaxed: ClassVar[bool] = False
    reference: ClassVar[str] = "LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006"
