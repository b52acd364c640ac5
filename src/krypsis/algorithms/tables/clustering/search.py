"""What bottom-up, top-down and clustering have in common: from a frequency set to groups to a recoding."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.base import Algorithm, Promises
from krypsis.algorithms.tables.blocks import Block
from krypsis.algorithms.tables.boxes import Axis, axes_of, publish_groups
from krypsis.algorithms.tables.boxes.boxes import Kinds, Publishing
from krypsis.algorithms.tables.clustering.pair_merges import merge_refused
from krypsis.algorithms.tables.clustering.space import RankSpace
from krypsis.algorithms.tables.infeasible import refuse_what_is_not_cut, refuse_what_is_not_judged, unless_accepted
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.arrays import CodeArray
from krypsis.data.recoding import CellRecoding, FrequencySet, Grain
from krypsis.errors import InternalError
from krypsis.kernels.rows import number_rows
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.progress import NO_PROGRESS, Progress


class GroupingSearch(Algorithm):
    """Forms groups of records that are accepted and near each other, and publishes the box around each."""

    scheme: ClassVar[str] = "CG_"
    grain: ClassVar[Grain] = "record"

    block: Block = Field(
        default=4096,
        description="how many groups are compared with each other; none compares all, in time that grows with their "
        "square",
    )
    publish: Publishing = Field(
        default="auto",
        description="how values are published: ranges, sets, hierarchy (the lowest common ancestor) or auto; for all "
        "attributes, or by attribute",
    )
    kinds: Kinds = Field(
        default={}, description="attributes that are not to be what they look like: numeric, ordered or taxonomy"
    )

    def search(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        metric: Metric,
        limits: Limits,
        progress: Progress = NO_PROGRESS,
    ) -> CellRecoding:
        refuse_what_is_not_cut(self.name, frequency, limits)
        if (frequency.counts > 1).any():
            raise InternalError(f"{self.name} needs every record as a tuple of its own, got tuples of several")
        promises = Promises(frequency, tuple(models))
        refuse_what_is_not_judged(self.name, promises)
        unless_accepted(promises, limits)
        axes = axes_of(frequency, metric, self.publish, self.kinds)
        space = RankSpace.of(frequency, axes)
        group_of = self._groups(space, promises, progress)
        return self._published(frequency, axes, space, promises, group_of)

    @abstractmethod
    def _groups(self, space: RankSpace, promises: Promises, progress: Progress) -> CodeArray:
        """Return the group of each record; all groups are accepted."""

    def _published(
        self, frequency: FrequencySet, axes: Sequence[Axis], space: RankSpace, promises: Promises, group_of: CodeArray
    ) -> CellRecoding:
        """Return the recoding of the groups; those that look alike are one group, which must be accepted, too.

        Two groups that keep a monotone promise keep it together.
        """
        while True:
            recoding = publish_groups(frequency, axes, group_of, figures=[_figures_entry(space, group_of)])
            if all(model.monotone for model in promises.models):
                return recoding
            alike = _alike(recoding)
            if promises.keep(alike, int(alike.max()) + 1).all():
                return recoding
            group_of = merge_refused(space, promises, alike, self.block, cut=False)


def _figures_entry(space: RankSpace, group_of: CodeArray) -> dict[str, Any]:
    sizes = np.bincount(group_of)
    return {
        "groups": len(sizes),
        "smallest": int(sizes.min()),
        "largest": int(sizes.max()),
        "penalty": space.penalty(group_of),
    }


def _alike(recoding: CellRecoding) -> CodeArray:
    """Return groups of the records that look alike."""
    radices = [len(book.labels) for book in recoding.codebooks]
    return number_rows(list(recoding.released.T), radices, len(recoding.released))[0]
