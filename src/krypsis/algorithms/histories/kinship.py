"""Which sensitive values may meet in a group, and how new records are balanced and grouped by that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from krypsis.algorithms.histories.balancing import Balance, Need, balance
from krypsis.algorithms.histories.base import Ineligible, Snapshot
from krypsis.algorithms.histories.division import Division
from krypsis.algorithms.histories.families import Families
from krypsis.algorithms.histories.new_groups import groups_of_new
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.algorithms.histories.strategies import Strategy
from krypsis.arrays import IntArray
from krypsis.errors import DataError, Infeasible, shorten


class Kinship(Protocol):
    """What a method must know of values that are related."""

    def balanced(self, division: Division, m: int, on_ineligible: Ineligible) -> Balance:
        """Return what becomes of the new records, or raise what is in the way."""

    def grouped(
        self, snapshot: Snapshot, records: IntArray, values: IntArray, m: int, rng: np.random.Generator
    ) -> IntArray:
        """Return the group of each new record, then of each counterfeit; ``values`` are those of both."""


@dataclass(frozen=True, eq=False)
class FamilyKinship:
    """Values of a hierarchy: those of a family must not meet."""

    families: Families
    assignment: Strategy

    def require_apart(self, bound: Signatures) -> None:
        """Raise if people are bound to values that are one family by now: the hierarchy must have changed."""
        families = self.families
        keys = np.sort(bound.owners * len(families) + families.of_value[bound.nodes])
        if len(twice := keys[1:][keys[1:] == keys[:-1]]):
            labels = families.labels
            named = shorten([repr(labels[family]) for family in np.unique(twice % len(families)).tolist()], 5)
            raise DataError(
                f"records are bound to several values below {named}, which are too closely related in the hierarchy as "
                "it is now; use the hierarchy of the earlier versions, which binds for ever"
            )

    def balanced(self, division: Division, m: int, on_ineligible: Ineligible) -> Balance:
        """Return the balance with the fewest counterfeits, see :mod:`krypsis.algorithms.histories.balancing`."""
        families = self.families
        need = Need(division.holes, division.value_of, division.counts, families.of_value, len(families))
        try:
            return balance(need, m, on_ineligible)
        except Infeasible as error:
            raise _explained(error, division.snapshot, families) from None

    def grouped(
        self, snapshot: Snapshot, records: IntArray, values: IntArray, m: int, rng: np.random.Generator
    ) -> IntArray:
        """Return groups of one record per family that lie close together."""
        return groups_of_new(snapshot, self.families, records, values, m, self.assignment, rng)


def _explained(error: Infeasible, snapshot: Snapshot, families: Families) -> Infeasible:
    """Say which family is too frequent, in the words of the table."""
    found = error.closest
    if found["families"] < found["m"]:  # type: ignore[operator]
        return Infeasible(
            f"groups of {found['m']} values that are not closely related are wanted, and {snapshot.sensitive!r} has "
            f"only {found['families']} families of values that may meet; promise a smaller m or a larger e",
            found,
        )
    value = families.labels[int(found["family"])]  # type: ignore[call-overload]
    named = "a missing value" if value is None else repr(value)
    return Infeasible(
        f"{found['count']} of {found['new']} new records have {named} or a value below it as {snapshot.sensitive}, too "
        f"many for groups of {found['m']} values that are not closely related. Let some of them wait for a later "
        "version with on_ineligible=defer, add counterfeits with on_ineligible=counterfeits, or start a history with "
        "a smaller m or a larger e",
        {**found, "value": value},
    )
