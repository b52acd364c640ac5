"""Datafly."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np

from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.infeasible import infeasible
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Lattice, Limits, NodeGroups, raised
from krypsis.algorithms.tables.lattice.steps import groups_table
from krypsis.data.recoding import FrequencySet, FullDomain
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.models.k_anonymity import KAnonymity
from krypsis.progress import NO_PROGRESS, JudgedNode, Progress, StepTable, TraceStep


class Datafly(Algorithm):
    """Generalizes the attribute with most distinct values until few enough records are left in undersized groups.

    Notes
    -----
    Greedy: fast on any number of attributes, and often more general than needed. The chosen metric plays no part in the
    search, it is only reported. Without a limit for suppression, Sweeney's rule holds: at most ``k`` records are
    suppressed, none where no ``k`` is promised. Ties go to the first attribute in the order of the quasi-identifiers.

    The thesis stops "while f > k" (erratum E37): with its own example that would delete all records; the rule here is
    Sweeney's. "Undersized" means refused by any of the models.

    References
    ----------
    Sweeney, "Datafly: a system for providing anonymity in medical data", Database Security XI, 1998; the loop as in
    Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", IJUFKS 10(5), 2002.
    """

    name: ClassVar[str] = "datafly"
    describes_steps: ClassVar[bool] = True
    scheme: ClassVar[str] = "AG_TS"
    judges_all: ClassVar[bool] = True
    reference: ClassVar[str] = "Sweeney, Datafly: a system for providing anonymity in medical data, 1998"

    def search(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        metric: Metric,
        limits: Limits,
        progress: Progress = NO_PROGRESS,
    ) -> FullDomain:
        judge = Judge(frequency, models, limits)
        lattice = Lattice.of(frequency, limits)
        if limits.suppressed is None:
            # Sweeney's threshold: the loop may end once at most k records are left in undersized groups.
            limits = replace(limits, suppressed=_sweeneys_rule(models))
        # Step 1: freq = the distinct combinations of quasi-identifier values, with their counts.
        node, _ = judge.rollup.coarsen(judge.rollup.bottom(), lattice.lowest)
        figures: list[Mapping[str, object]] = []
        while True:
            # Step 2: count the records in undersized combinations; this count, not f, meets the limit (erratum E37).
            judged = judge.assess(node, metric, limits)
            progress.judged(judged)
            # Step 3: f[a] = the number of distinct values of each attribute in freq.
            distinct = _distinct_values(frequency, node)
            step = _step(frequency, judged, distinct)
            if judged.feasible:
                progress.step(partial(_described, judge, node, step, len(figures) + 1))
                # Step 6: suppress the records of undersized combinations; sensitive values stay with their records.
                return judge.recoding(node.levels, (*figures, step))
            free = [position for position, level in enumerate(node.levels) if level < lattice.highest[position]]
            if not free:
                raise infeasible(judge, lattice, limits)
            # Step 4: a* = argmax f; ``max`` takes the first of equals, attributes at the top are skipped.
            widest = max(free, key=lambda position: distinct[position])
            figures.append({**step, "generalize": frequency.attributes[widest]})
            progress.step(partial(_described, judge, node, figures[-1], len(figures)))
            # Step 5: generalize every value of a* by one level and merge freq; no scan of the table is needed.
            node, _ = judge.rollup.coarsen(node, raised(node.levels, widest))


def _sweeneys_rule(models: Sequence[GroupModel]) -> int:
    return max((model.k for model in models if isinstance(model, KAnonymity)), default=0)


def _step(frequency: FrequencySet, judged: JudgedNode, distinct: list[int]) -> dict[str, object]:
    return {
        "levels": judged.levels,
        "distinct": dict(zip(frequency.attributes, distinct, strict=True)),
        "undersized": judged.suppressed,
    }


def _described(judge: Judge, node: NodeGroups, step: Mapping[str, object], number: int) -> TraceStep:
    """Return a step as the thesis prints it: the table so far with the size of each group, and ``f`` below it."""
    frequency, chosen = judge.frequency, step.get("generalize")
    says = f"{step['undersized']} of {frequency.rows} records are in groups that the promises refuse."
    tables = (
        groups_table(frequency, node),
        StepTable.of(frequency.attributes, [_distinct_values(frequency, node)], "f"),
    )
    if chosen is None:
        return TraceStep("datafly", f"Step {number}: done", f"{says} That is within the limit.", tables)
    why = f"{chosen} has the most distinct values of the attributes that can still be generalized."
    return TraceStep("datafly", f"Step {number}: generalize {chosen}", f"{says} {why}", tables)


def _distinct_values(frequency: FrequencySet, node: NodeGroups) -> list[int]:
    return [
        len(np.unique(hierarchy.table[level][frequency.codes[node.tuples, position]]))
        for position, (hierarchy, level) in enumerate(zip(frequency.hierarchies, node.levels, strict=True))
    ]
