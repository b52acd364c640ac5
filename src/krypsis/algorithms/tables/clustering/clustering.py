"""Clustering."""

from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.base import Promises
from krypsis.algorithms.tables.blocks import Block
from krypsis.algorithms.tables.clustering.growth import grow, improve
from krypsis.algorithms.tables.clustering.pair_merges import merge_refused
from krypsis.algorithms.tables.clustering.search import GroupingSearch
from krypsis.algorithms.tables.clustering.space import RankSpace
from krypsis.algorithms.tables.lattice.lattice import SearchBudget
from krypsis.algorithms.threads import number_of_threads
from krypsis.arrays import CodeArray
from krypsis.models.k_anonymity import KAnonymity
from krypsis.progress import Progress

IMPROVED = 4
"""Blocks are so many times smaller when groups are improved: that looks at every pair of records again and again."""


class Clustering(GroupingSearch):
    """Grows groups of ``k`` records near each other, then moves and swaps records while that saves anything.

    Notes
    -----
    A group starts with the record farthest from the start of the group before, and takes the record that makes its box
    least expensive until it has ``k``, as in the paper; the last records, fewer than ``k``, join the groups they add
    least to.

    Then the groups are improved, in ``rounds``: a record is moved to another group if its own stays large enough; it is
    swapped with the record of any other group where that saves most; a group is dissolved if its records pay less in
    others. Every step lowers the penalty (size times cost of the box), so the result is never worse than the groups
    grown. No group gets more than ``2 k - 1`` records.

    All this is done in blocks of records that lie near each other; every round makes other blocks, so that records meet
    others. Costs are those of the metric, weighted. Nothing is suppressed.

    Promises beyond k-anonymity: groups that are refused are merged as in bottom-up after the improvement. Without
    k-anonymity among the promises nothing is grown, and what is left is bottom-up.

    Cost: ``n · block`` for ``n`` records.

    References
    ----------
    Byun et al., "Efficient k-anonymization using clustering techniques", DASFAA 2007 (greedy k-member).

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> people = pl.DataFrame({"age": [31, 32, 33, 60, 61, 62], "sex": ["f", "f", "m", "m", "m", "f"]})
    >>> release = krypsis.anonymize(people, dict.fromkeys(people.columns, "quasi-identifier"),
    ...                             models="k-anonymity:k=2", algorithm="clustering", metric="generalized-loss")
    >>> sorted(set(release.table.rows()))
    [('[31-32]', 'f'), ('[33-60]', 'm'), ('[61-62]', '*')]
    """

    name: ClassVar[str] = "clustering"
    aliases: ClassVar[tuple[str, ...]] = ("k-member",)
    reference: ClassVar[str] = "Byun et al., Efficient k-anonymization using clustering techniques, DASFAA 2007"

    block: Block = Field(
        default=8192,
        description="how many records are compared with each other; none compares all, in time that grows with their "
        "square",
    )
    rounds: int = Field(default=3, ge=0, description="how often groups are improved; 0 leaves them as they were grown")
    seconds: float | None = Field(default=None, gt=0, description="begin no further round after so many seconds")
    seed: int = Field(default=0, ge=0, description="of all random choices")
    threads: int | None = Field(
        default=None, ge=1, description="how many threads work; the result is the same. All processors unless given"
    )

    def _groups(self, space: RankSpace, promises: Promises, progress: Progress) -> CodeArray:
        budget = SearchBudget(progress, self.seconds)
        # Step 1: greedy k-member clusters; step 2, beyond the paper: improve them by moves, swaps and dissolutions.
        group_of = self._improved(space, self._grown(space, promises), promises.k, budget)
        # Step 3: promises other than k.
        return merge_refused(space, promises, group_of, self.block)

    def _grown(self, space: RankSpace, promises: Promises) -> CodeArray:
        """Return groups of at least ``k`` records; a block may have had fewer."""
        size_alone = Promises(promises.frequency, (KAnonymity(k=promises.k),))
        grown = grow(space, promises.k, self._block(promises.k), self._threads)
        return merge_refused(space, size_alone, grown, self.block)

    def _improved(self, space: RankSpace, group_of: CodeArray, k: int, budget: SearchBudget) -> CodeArray:
        rng = np.random.default_rng(self.seed)
        block = self._block(k)
        for _ in range(self.rounds if k > 1 else 0):
            if budget.is_spent():
                break
            tilts = rng.uniform(0.2, 1.0, len(space.columns))
            group_of = improve(space, group_of, k, block and max(block // IMPROVED, 4 * k), tilts, self._threads)
        return group_of

    def _block(self, k: int) -> int | None:
        """Return the size of blocks: large enough that every block has ``k`` records, even if cut unevenly."""
        return None if self.block is None else max(self.block, 20 * k)

    @property
    def _threads(self) -> int:
        return number_of_threads(self.threads)
