"""Bottom-up."""

from typing import ClassVar

import numpy as np

from krypsis.algorithms.tables.base import Promises
from krypsis.algorithms.tables.clustering.pair_merges import merge_refused
from krypsis.algorithms.tables.clustering.search import GroupingSearch
from krypsis.algorithms.tables.clustering.space import RankSpace
from krypsis.arrays import CodeArray
from krypsis.progress import Progress


class BottomUp(GroupingSearch):
    """Merges every group that is too small with the one that makes the penalty of both least, until none is too small.

    Notes
    -----
    Every record starts as a group. In each round every group that a promise refuses is merged with the group for which
    the penalty of the union is least, of equals the smaller one, then the first one. Groups of ``2 k`` records and more
    are then cut into as many groups of ``k`` as fit, around records that are far apart (the thesis says "in the
    middle"). So every group has from ``k`` to ``2 k - 1`` records. Nothing is suppressed.

    The penalty of a group is its size times the cost of its box, which is that of the metric, weighted; with
    ``generalized-loss`` or ``ncp`` the normalized certainty penalty of the paper.

    Beyond the paper: any models decide which groups are merged. Only groups of the same block are compared, and every
    round makes other blocks; with ``block=none`` all are, as in the paper.

    Cost: ``n · block`` for ``n`` records, ``n²`` without blocks, times the logarithm of ``k``.

    References
    ----------
    Xu et al., "Utility-based anonymization using local recoding", KDD 2006, section 4.1.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> points = pl.DataFrame({"x": [10, 20, 20, 50, 50, 60], "y": [60, 70, 50, 20, 10, 15]})
    >>> release = krypsis.anonymize(points, dict.fromkeys(points.columns, "quasi-identifier"),
    ...                             models="k-anonymity:k=2", algorithm="bottom-up", metric="generalized-loss")
    >>> sorted(set(release.table.rows()))
    [('[10-20]', '[50-70]'), ('[50-60]', '[10-20]')]
    """

    name: ClassVar[str] = "bottom-up"
    reference: ClassVar[str] = "Xu et al., Utility-based anonymization using local recoding, KDD 2006"

    def _groups(self, space: RankSpace, promises: Promises, progress: Progress) -> CodeArray:  # noqa: ARG002  no result before the end
        # One group per record to begin with; merge and split until all are accepted.
        return merge_refused(space, promises, np.arange(space.records, dtype=np.int32), self.block)
