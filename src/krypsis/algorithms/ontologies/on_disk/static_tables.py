"""The tables that never grow, held in memory: conjunctions, restrictions on the left, axioms about roles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.ontologies.on_disk.pages import MemoryBudget
from krypsis.arrays import CodeArray
from krypsis.data.ontologies.normal_forms import TOP, NormalForms
from krypsis.errors import UsageError

FIRST, SECOND, ROLE_SUB, CHAIN, SOME, SELVES = 0, 3, 7, 9, 12, 15
"""Where the arrays of each table begin: those of R2 by the first and by the second class, R11, R12, and R48."""


@dataclass(frozen=True, eq=False)
class StaticTables:
    """Rows by the number that the rules look them up by; a list for each number, sorted by what is compared next."""

    arrays: tuple[CodeArray, ...]
    """For each table: where lists begin, then the columns of the rows."""
    rows: dict[str, CodeArray]
    """Each row once, in the order in which the log of firings counts them."""
    most_results: int
    """A bound of how many conclusions one or two edges have at a time."""

    @classmethod
    def of(cls, forms: NormalForms, memory: MemoryBudget) -> StaticTables:
        """Return the tables of normal forms, without rows whose conclusion is a tautology."""
        conjunction = _distinct(forms.conjunction[forms.conjunction[:, 2] != TOP])
        second_order = np.lexsort((conjunction[:, 2], conjunction[:, 0], conjunction[:, 1]))
        second = conjunction[second_order]
        role_sub, chain = _distinct(forms.role_sub), _distinct(forms.role_chain)
        some = _distinct(forms.some_left[forms.some_left[:, 2] != TOP][:, [1, 0, 2]])
        selves = _distinct(forms.self_left[forms.self_left[:, 1] != TOP])
        arrays = (
            *_lists(conjunction, forms.atoms),
            *_lists(second[:, [1, 0, 2]], forms.atoms),
            second_order.astype(np.int32),
            *_lists(role_sub, forms.roles),
            *_lists(chain, forms.roles),
            *_lists(some, forms.atoms),
            *_lists(selves, forms.roles),
        )
        rows = {
            "conjunction": conjunction,
            "role_sub": role_sub,
            "role_chain": chain,
            "some_left": some[:, [1, 0, 2]],
            "self_left": selves,
        }
        size = sum(array.nbytes for array in (*arrays, *rows.values()))
        if size > memory.free // 2:
            raise UsageError(
                f"conjunctions, restrictions and axioms about roles take {size:,} bytes of memory, and completion on "
                f"disk has {memory.limit:,} of which half must be left: raise 'memory' to at least {2 * size:,}"
            )
        memory.count(size)
        longest = [_longest(table, width) for table, width in ((role_sub, 1), (chain, 2), (some, 2), (selves, 1))]
        return cls(arrays, rows, 2 * sum(longest) + 4 * _longest(conjunction, 2) + 4)


def _distinct(rows: CodeArray) -> CodeArray:
    return np.unique(rows, axis=0).astype(np.int32) if len(rows) else rows.astype(np.int32)


def _lists(rows: CodeArray, count: int) -> tuple[CodeArray, ...]:
    """Return where the list of each first number begins, and the other columns."""
    starts = np.searchsorted(rows[:, 0], np.arange(count + 1)).astype(np.int32)
    return (starts, *(np.ascontiguousarray(rows[:, place]) for place in range(1, rows.shape[1])))


def _longest(rows: CodeArray, width: int) -> int:
    """Return how many rows have the same numbers in front, at most."""
    return int(np.unique(rows[:, :width], axis=0, return_counts=True)[1].max()) if len(rows) else 0
