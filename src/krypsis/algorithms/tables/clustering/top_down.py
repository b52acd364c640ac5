"""Top-down."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.clustering.division import adjust, divide
from krypsis.algorithms.tables.clustering.pair_merges import cut_large, merge_refused
from krypsis.algorithms.tables.clustering.search import GroupingSearch
from krypsis.algorithms.tables.clustering.space import Space
from krypsis.algorithms.tables.promises import Promises
from krypsis.arrays import CodeArray
from krypsis.progress import Progress


class TopDown(GroupingSearch):
    """Divides the table around two records that are far apart, again and again, and repairs groups that got too small.

    Notes
    -----
    To find two records far apart, the farthest from a random one is looked for, then the farthest from that one, at
    most six times. The others, in random order, go to the nearer of the two. A group is cut as long as it has ``2 k``
    records, costs anything, and one part at least is accepted. Then every group of fewer than ``k`` records takes the
    cheaper of two ways: it borrows records from a group that has enough, or it is merged with another. Groups of
    ``2 k`` records that come of that are cut as in bottom-up. Nothing is suppressed.

    In the paper a record goes to the part whose box is then less expensive: ``assign=box``. Boxes that have taken in a
    few records far out are soon as large as the whole, and then decide nothing: on Adult the loss is two to four times
    as large.

    Beyond the paper: any models decide which parts are accepted; groups that are still refused in the end are merged as
    in bottom-up. Only groups of the same block borrow and merge; with ``block=none`` all do.

    Cost: ``n`` for every level of cuts, of which there are about ``log n`` unless many records lie far out; the repair
    costs ``block`` for every small group.

    References
    ----------
    Xu et al., "Utility-based anonymization using local recoding", KDD 2006, section 4.2.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> points = pl.DataFrame({"x": [10, 20, 20, 50, 50, 60], "y": [60, 70, 50, 20, 10, 15]})
    >>> release = krypsis.anonymize(points, dict.fromkeys(points.columns, "quasi-identifier"),
    ...                             models="k-anonymity:k=3", algorithm="top-down", metric="generalized-loss")
    >>> sorted(set(release.table.rows()))
    [('[10-20]', '[50-70]'), ('[50-60]', '[10-20]')]
    """

    name: ClassVar[str] = "top-down"
    reference: ClassVar[str] = "Xu et al., Utility-based anonymization using local recoding, KDD 2006"

    assign: Literal["seed", "box"] = Field(
        default="seed",
        description="a record goes to the nearer of the two records a group is divided around, or to the part whose "
        "box is then less expensive",
    )
    seed: int = Field(default=0, ge=0, description="of all random choices")

    def _groups(self, space: Space, promises: Promises, progress: Progress) -> CodeArray:
        rng = np.random.default_rng(self.seed)
        group_of = divide(space, promises, rng, progress, by_box=self.assign == "box")
        group_of = adjust(space, group_of, promises.k, self.block)
        group_of = merge_refused(space, promises, group_of, self.block)
        return cut_large(space, promises, group_of)
