"""Improved μ-Argus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.infeasible import infeasible
from krypsis.algorithms.tables.lattice.evaluation import Judge, Limits
from krypsis.algorithms.tables.lattice.lattice import Lattice
from krypsis.algorithms.tables.mu_argus.outliers import (
    Cells,
    Combination,
    Decider,
    Heard,
    MostOutliers,
    Round,
    Rounds,
    hearing,
    promised_k,
    too_small,
    within_sets,
)
from krypsis.arrays import BoolArray
from krypsis.data.frequency import FrequencySet
from krypsis.data.recoding import Recoding
from krypsis.errors import Infeasible, UsageError
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.progress import NO_PROGRESS, Progress

MOST_ATTRIBUTES = 12
"""With n attributes there are 2ⁿ combinations to count in every round."""


class ImprovedMuArgus(Algorithm):
    """Generalizes attributes, then suppresses cells, until no combination of any size is rare: always k-anonymous.

    A reconstruction: of the published algorithm only its purpose is known, to repair that μ-Argus may fail.

    Notes
    -----
    The steps are those of ``mu-argus``, with two differences. Combinations of every size are looked at, whatever
    their ranks. And a suppressed cell looks like another suppressed cell and like nothing else, so that combinations
    with suppressed cells may be rare, too.

    At the end records may be left that have no value any more and are fewer than k, or that share a group of fewer than
    k after an interrupt. They are published with every cell suppressed if there are k of these, and suppressed as
    records otherwise. So fewer than k records are suppressed, with or without a limit; above a limit there is no
    release, and the error says the number.

    Cost: one count of the groups per combination in every round, 2ⁿ for n attributes; for up to 12 attributes.

    References
    ----------
    The motivation: Acharjya and Iyengar, 2014, as cited in the thesis, which attributes the algorithm to Statistics
    Netherlands; the steps are the reconstruction O2 of the specification.
    """

    name: ClassVar[str] = "mu-argus-improved"
    scheme: ClassVar[str] = "AG_CS"
    reference: ClassVar[str] = "a reconstruction after Hundepool and Willenborg, μ- and τ-Argus, 1996"

    tolerance: float = Field(
        default=0.2,
        ge=0,
        le=1,
        description="share of records that may hold a rare combination before an attribute is generalized further",
    )

    def search(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        metric: Metric,
        limits: Limits,
        progress: Progress = NO_PROGRESS,
    ) -> Recoding:
        k = promised_k(self.name, models)
        judge = Judge(frequency, models, limits)
        recoding = self.recode(frequency, k, limits, progress=progress, heard=hearing(judge, metric, limits, progress))
        left_out = int(frequency.counts[recoding.suppressed].sum())
        if left_out == frequency.rows:
            raise infeasible(judge, Lattice.of(frequency, limits), limits)
        if limits.keep and left_out:
            raise _no_group_of_their_own(left_out, k)
        if limits.suppressed is not None and left_out > limits.suppressed:
            raise _too_many(left_out, limits.suppressed, frequency.rows)
        return recoding

    def recode(
        self,
        frequency: FrequencySet,
        k: int,
        limits: Limits | None = None,
        *,
        decide: Decider | None = None,
        progress: Progress = NO_PROGRESS,
        heard: Heard | None = None,
    ) -> Recoding:
        """Return a k-anonymous recoding, whatever the limit for suppression; the parameters are those of μ-Argus."""
        rounds = Rounds(
            frequency,
            k,
            Lattice.of(frequency, limits or Limits()),
            tested=_every_combination(frequency),
            count_blanks=True,
            progress=progress,
            heard=heard,
        )
        # Steps 2-6 of mu-Argus with combinations of every size; a blank matches only a blank and may be rare itself.
        end = rounds.run(decide or MostOutliers(self.tolerance))
        # Final guard: no group of fewer than k records is left.
        end, hidden = guarded(end, k, frequency)
        return replace(rounds.recoding(end), suppressed=hidden[end.number])


def guarded(end: Round, k: int, frequency: FrequencySet) -> tuple[Round, BoolArray]:
    """Suppress all cells of records in groups of fewer than k, and the records where even that is not enough.

    Returns the table, and for each group whether its records are suppressed. Taking records out may make another group
    too small, if there are several quasi-identifier sets, so this goes on until nothing changes.
    """
    below_top = np.array(end.node.levels) < np.array(frequency.heights)
    doomed = hidden = np.zeros(len(end.cells.counts), dtype=np.bool_)
    while True:
        left = replace(end.cells, counts=np.where(hidden, 0, end.cells.counts))
        # While a class of the full quasi-identifier has fewer than k records …
        more = too_small(left, k, frequency.attribute_sets) & ~doomed
        if not more.any():
            return end, hidden
        doomed = doomed | more
        # … blank all its cells; where an attribute is at the top already, there is nothing to blank.
        end = end.blank(doomed[:, None] & below_top)
        empty = (end.cells.codes == np.array(end.cells.blanks)).all(axis=1)
        # The class of all blanks is published if it has k records, else its records are suppressed.
        hidden = empty & (end.cells.counts[empty].sum() < k)


def _every_combination(frequency: FrequencySet) -> Callable[[Cells], list[Combination]]:
    def tested(cells: Cells) -> list[Combination]:
        varying = cells.varying
        _refuse_many(varying, frequency)
        # Size 1 as well: after blanking, a single value or the blank itself may have become rare.
        sizes = range(1, len(varying) + 1)
        return within_sets([one for size in sizes for one in combinations(varying, size)], frequency)

    return tested


def _refuse_many(varying: Combination, frequency: FrequencySet) -> None:
    if len(varying) > MOST_ATTRIBUTES:
        raise UsageError(
            f"mu-argus-improved counts every combination of up to {MOST_ATTRIBUTES} attributes, and here are "
            f"{len(varying)} of {len(frequency.attributes)} that distinguish records: {2 ** len(varying):,} "
            "combinations. Use algorithm 'mu-argus', 'optimal' or 'datafly', or take fewer quasi-identifiers"
        )


def _too_many(left_out: int, allowed: int, rows: int) -> Infeasible:
    return Infeasible(
        f"mu-argus-improved has to suppress {left_out} of {rows} records, more than the {allowed} allowed. "
        f"Nearest feasible setting: allow {left_out} suppressed records ({left_out / rows:.2%}), or another tolerance",
        {"suppression": left_out, "rows": rows},
    )


def _no_group_of_their_own(left_out: int, k: int) -> Infeasible:
    return Infeasible(
        f"mu-argus-improved has to suppress {left_out} records, and kept with every value at the top they would be "
        f"a group of fewer than {k}. Remove suppressed records instead of keeping them, or try another tolerance",
        {"suppression": left_out},
    )
