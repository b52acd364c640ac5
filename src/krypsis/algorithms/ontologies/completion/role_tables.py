"""Inclusions between roles and chains of roles, as tables that say at once what follows from two roles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.ontologies.normal_forms import NormalForms


@dataclass(frozen=True, eq=False, repr=False)
class RoleTables:
    """All roles that include a role, and the chains that it can begin because of one of them."""

    super_starts: IntArray
    supers: CodeArray
    """The roles that include each role, itself first."""
    places: CodeArray
    """Where a role stands among those that include, or are included in, another one; -1 for all others."""
    above: npt.NDArray[np.uint8]
    """A bit for each two of these: whether the first is included in the second."""
    chain_starts: IntArray
    chains: CodeArray
    """For each first role: second role and result."""
    is_second: BoolArray
    """Whether a role is included in the second role of a chain."""

    @classmethod
    def of(cls, forms: NormalForms) -> RoleTables:
        """Return the tables of normal forms."""
        above_each = _all_above(forms.role_sub.tolist(), forms.roles)
        lengths = np.fromiter(map(len, above_each), dtype=np.int64, count=forms.roles)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        supers = np.fromiter((one for each in above_each for one in each), dtype=np.int32, count=int(starts[-1]))
        lower = np.repeat(np.arange(forms.roles, dtype=np.int32), lengths)
        places, above = _bits(forms, lower, supers)
        # A role begins each chain that a role above it begins.
        chain_of_first = starts_of(forms.role_chain[:, 0], forms.roles)
        by_first = forms.role_chain[np.argsort(forms.role_chain[:, 0], kind="stable")]
        counts = np.diff(chain_of_first)[supers]
        at = np.repeat(chain_of_first[:-1][supers] - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
        chains, chain_starts = grouped(np.repeat(lower, counts), by_first[at, 1:], forms.roles)
        is_second = np.zeros(forms.roles, dtype=np.bool_)
        is_second[lower[np.isin(supers, forms.role_chain[:, 1])]] = True
        return cls(starts, supers, places, above, chain_starts, chains, is_second)


def _all_above(pairs: list[list[int]], roles: int) -> list[list[int]]:
    """Return for each role itself and all roles that include it."""
    upper: dict[int, set[int]] = {}
    for one, other in pairs:
        upper.setdefault(one, set()).add(other)
    found = []
    for role in range(roles):
        reached, waiting = {role: None}, [role]
        while waiting:
            more = upper.get(waiting.pop(), set()) - reached.keys()
            reached.update(dict.fromkeys(more))
            waiting.extend(more)
        found.append(list(reached))
    return found


def _bits(forms: NormalForms, lower: CodeArray, upper: CodeArray) -> tuple[CodeArray, npt.NDArray[np.uint8]]:
    places = np.full(forms.roles + 1, -1, dtype=np.int32)
    ordered = np.unique(forms.role_sub)
    places[ordered] = np.arange(len(ordered))
    is_there = np.zeros((len(ordered), max(len(ordered), 1)), dtype=np.bool_)
    inside = places[lower] >= 0
    is_there[places[lower[inside]], places[upper[inside]]] = True
    return places, np.packbits(is_there, axis=1, bitorder="little")


def starts_of(keys: npt.NDArray[Any], count: int) -> IntArray:
    """Return where the rows of each key begin when rows are ordered by their keys."""
    return np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=count))]).astype(np.int64)


def grouped(keys: npt.NDArray[Any], rows: CodeArray, count: int) -> tuple[CodeArray, IntArray]:
    """Return rows in the order of their keys, and where those of each key begin.

    Examples
    --------
    >>> rows, starts = grouped(np.array([1, 0, 1]), np.array([7, 8, 9], dtype=np.int32), 3)
    >>> rows.tolist(), starts.tolist()
    ([8, 7, 9], [0, 1, 3, 3])
    """
    order = np.argsort(keys, kind="stable")
    return np.ascontiguousarray(rows[order], dtype=np.int32), starts_of(keys, count)
