"""What cannot be cut, and what cannot be kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from krypsis.algorithms.tables.base import Promises
from krypsis.algorithms.tables.infeasible import infeasible
from krypsis.algorithms.tables.lattice.evaluation import Judge, Limits
from krypsis.algorithms.tables.lattice.lattice import Lattice
from krypsis.data.frequency import FrequencySet
from krypsis.errors import UsageError
from krypsis.kernels.rows import merge, number_rows
from krypsis.models.base import GroupModel, TableModel


def refuse_what_is_not_cut(algorithm: str, frequency: FrequencySet, limits: Limits) -> None:
    """Raise if there are several sets of quasi-identifiers, or levels to keep to."""
    if len(frequency.attribute_sets) > 1:
        raise UsageError(
            f"{algorithm} knows one set of quasi-identifiers, got {len(frequency.attribute_sets)}. "
            "Use algorithm 'optimal', which keeps the promises on several"
        )
    lowest = limits.lowest or (0,) * len(frequency.attributes)
    highest = limits.highest or frequency.heights
    if any(lowest) or highest != frequency.heights:
        raise UsageError(
            f"{algorithm} goes by records and not by levels, so it cannot keep to minimum or maximum levels. "
            "Leave them out, or use algorithm 'optimal', which goes by levels"
        )


def refuse_what_is_not_judged(algorithm: str, promises: Promises) -> None:
    """Raise if a promise cannot be decided part by part."""
    for model in promises.models:
        if reason := _reason(model, promises.frequency):
            raise UsageError(
                f"{algorithm} judges each part of the table for itself, and {model.spec} {reason}. "
                "Use algorithm 'optimal', which looks at all groups together"
            )


def _reason(model: GroupModel, frequency: FrequencySet) -> str:
    if isinstance(model, TableModel):
        return "is about all groups together"
    if model.needs_population:
        return "compares the groups with a population, whose members may fit several groups"
    if model.sets_of(frequency.attributes) is not None and not model.monotone:
        return "is about groups in fewer attributes, which may break it although every part keeps it"
    return ""


def unless_accepted(promises: Promises, limits: Limits) -> None:
    """Raise if the table as one group does not keep the promises: cutting starts there, and nothing is suppressed."""
    frequency = promises.frequency
    everything = np.zeros(len(frequency.counts), dtype=np.int32)
    if not promises.keep(everything, 1).all():
        distinct = _by_tuple(frequency)
        unlimited = replace(limits, suppressed=0)
        raise infeasible(Judge(distinct, promises.models), Lattice.of(distinct, unlimited), unlimited)


def _by_tuple(frequency: FrequencySet) -> FrequencySet:
    """Return the frequency set with equal tuples counted together."""
    radices = [len(hierarchy.values) for hierarchy in frequency.hierarchies]
    numbers, first = number_rows(list(frequency.codes.T), radices, len(frequency.counts))
    return replace(
        frequency,
        codes=np.ascontiguousarray(frequency.codes[first]),
        counts=np.bincount(numbers, frequency.counts, minlength=len(first)).astype(np.int64),
        sensitive={name: merge(histogram, numbers) for name, histogram in frequency.sensitive.items()},
        combined={names: merge(histogram, numbers) for names, histogram in frequency.combined.items()},
    )
