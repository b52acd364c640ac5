"""What engines that complete an ontology have in common."""

from abc import ABC, abstractmethod
from math import prod
from typing import Any, ClassVar

import numpy as np

from krypsis.arrays import CodeArray
from krypsis.data.ontologies.closure import Closure
from krypsis.data.ontologies.normal_forms import BOTTOM, TOP, NormalForms
from krypsis.progress import NO_PROGRESS, Progress


class CompletionEngine(ABC):
    """Applies the rules IR1 to IR16 to normal forms until nothing new follows.

    Every engine gives the same closure. ``C ⊑ C`` and ``C ⊑ ⊤`` are premises of the rules for every atom C, ⊥ included,
    but are not reported. Nothing else is a premise about ⊥: what is stated of it, or follows for every atom, is not
    applied to it. That ``C ⊑ ⊥`` implies ``C ⊑ D`` for every D is not written out.
    """

    engine: ClassVar[str]
    """What it is called; `name` is the word for what plans choose."""

    @abstractmethod
    def complete(self, forms: NormalForms, progress: Progress = NO_PROGRESS) -> Closure:
        """Return everything that the rules derive."""


def closure_of(
    forms: NormalForms, sub: CodeArray, some: CodeArray, selves: CodeArray, figures: dict[str, Any] | None = None
) -> Closure:
    """Return the closure of rows in any order and with repetitions, after taking out tautologies and all about ⊥."""
    is_said = (sub[:, 0] != BOTTOM) & (sub[:, 0] != sub[:, 1]) & (sub[:, 1] != TOP)
    some, selves = some[some[:, 0] != BOTTOM], selves[selves[:, 0] != BOTTOM]
    return Closure(forms, _distinct(sub[is_said]), _distinct(some), _distinct(selves), figures or {})


def _distinct(rows: CodeArray) -> CodeArray:
    """Return each row once, in ascending order."""
    if not len(rows):
        return rows.astype(np.int32)
    sizes = [int(largest) + 1 for largest in rows.max(axis=0)]
    if prod(sizes) >= 2**63:
        return np.unique(rows, axis=0).astype(np.int32)
    # One number for each row is sorted much faster than the row.
    keys = rows[:, 0].astype(np.int64)
    for column, size in enumerate(sizes[1:], 1):
        keys = keys * size + rows[:, column]
    keys.sort()
    is_new = np.ones(len(keys), dtype=np.bool_)
    is_new[1:] = keys[1:] != keys[:-1]
    keys = keys[is_new]
    found = np.empty((len(keys), rows.shape[1]), dtype=np.int32)
    for column in range(rows.shape[1] - 1, 0, -1):
        keys, found[:, column] = np.divmod(keys, sizes[column])
    found[:, 0] = keys
    return found
