"""The recoding that a set of cuts stands for."""

from __future__ import annotations

import numpy as np

from krypsis.algorithms.interval_labels import label_intervals
from krypsis.algorithms.split_appraisal import Appraiser
from krypsis.algorithms.split_space import Cuts, SplitSpace
from krypsis.arrays import BoolArray, CodeArray
from krypsis.errors import InternalError
from krypsis.hierarchies.base import Label
from krypsis.recoding import CellRecoding, Codebook


def split_recoding(appraiser: Appraiser, cuts: Cuts) -> CellRecoding:
    """Return the recoding of the best set of cuts, whose groups are made and judged once more from the tuples."""
    space = appraiser.space
    groups = space.regroup(appraiser.everything(), space.digits(cuts))
    again = appraiser.appraise(groups.groups(), 0)
    if again.cost != appraiser.best.cost or not again.feasible:
        raise InternalError(f"cuts that cost {appraiser.best.cost} in the search cost {again.cost} when judged again")
    suppressed = np.zeros(len(space.frequency.counts), dtype=np.bool_)
    suppressed[groups.tuples] = again.refused[groups.group_of_cell]
    labeled = [_labeled(space, column, cuts, ~suppressed) for column in range(len(space.domains))]
    released = np.stack([codes for _, codes in labeled], axis=1)
    return CellRecoding(released, tuple(book for book, _ in labeled), suppressed)


def starts(space: SplitSpace, cuts: Cuts) -> dict[str, tuple[Label, ...]]:
    """Return for each attribute the values that start a new interval, besides the first."""
    found: dict[str, tuple[Label, ...]] = {}
    for column, name in enumerate(space.frequency.attributes):
        domain = space.domains[column]
        ranks = space.ranks[cuts & (space.columns == column)].tolist()
        units = [domain.units[domain.present[rank]] for rank in ranks if rank != domain.missing]
        found[name] = tuple(domain.hierarchy.values[unit[0]] for unit in units) + (None,) * (domain.missing in ranks)
    return found


def _labeled(space: SplitSpace, column: int, cuts: Cuts, kept: BoolArray) -> tuple[Codebook, CodeArray]:
    """Return the codebook of an attribute and the code of each tuple in it."""
    domain, values = space.domains[column], space.frequency.codes[:, column]
    published = np.zeros(len(domain.hierarchy.values), dtype=np.bool_)
    published[values[kept]] = True
    book, codes = label_intervals(domain, space.ranks[cuts & (space.columns == column)].tolist(), published)
    return book, codes[values]
