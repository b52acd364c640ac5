"""m-invariant releases: everybody is among the same sensitive values in every release."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from krypsis.algorithms.histories.balance import Balance, BalanceDemand, balance
from krypsis.algorithms.histories.base import (
    LEFT_OUT,
    NEW,
    WHERE_TO_SET,
    HistoryMethod,
    Past,
    Snapshot,
    VersionGrouping,
)
from krypsis.algorithms.histories.groups import assign, groups_of_slots
from krypsis.algorithms.histories.signatures import RecordSlots, Signatures, filling_order, holes_of, slot_of
from krypsis.algorithms.histories.steps import phase_steps
from krypsis.arrays import IntArray
from krypsis.errors import Infeasible
from krypsis.models.base import PrivacyModel
from krypsis.models.m_invariance import MInvariance
from krypsis.progress import NO_PROGRESS, Progress


class MInvariant(HistoryMethod):
    """Publishes every version in groups of different sensitive values, with everybody among the same ones for ever.

    Notes
    -----
    Four steps. *Division*: records that were published before go to the signature that they are bound to. *Balancing*:
    where a signature lacks records of one of its values, new records take the place of those who left, else
    counterfeits do. *Assignment*: the other new records form new groups of ``m`` or more values. *Split*: all records
    of a signature are cut into groups of one record per value that lie close together.

    Balancing and assignment differ from what is printed in the sources where that fails, see
    :func:`krypsis.algorithms.histories.balance.balance` and :func:`krypsis.algorithms.histories.groups.assign`.
    Somebody who left and comes back is bound to the old signature. A counterfeit looks like somebody who left the
    same place, where there is such a person, and is made anew for every version.

    Cost: one sort per attribute and halving, so ``n log n`` in the number of records.

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007, section 5.

    Examples
    --------
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> age = Hierarchy.from_rows([[str(age), "*"] for age in (20, 21, 60, 61)])
    >>> disease = Hierarchy.from_rows([[name, "*"] for name in ("flu", "ulcer")])
    >>> new = np.full(4, NEW)
    >>> first = Snapshot(("age",), (age,), np.arange(4).reshape(4, 1), "disease", disease, np.array([0, 1, 0, 1]), new)
    >>> found = MInvariant().publication(first, Past.none(1, 2), [MInvariance(m=2)], np.random.default_rng(1))
    >>> found.group.tolist(), found.signatures.members(0).tolist(), len(found.counterfeits)
    ([0, 0, 1, 1], [0, 1], 0)
    """

    name: ClassVar[str] = "m-invariant"
    describes_steps: ClassVar[bool] = True
    reference: ClassVar[str] = (
        "Xiao, Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007"
    )
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = (MInvariance,)

    def publication(
        self,
        snapshot: Snapshot,
        past: Past,
        models: Sequence[PrivacyModel],
        rng: np.random.Generator,
        progress: Progress = NO_PROGRESS,
    ) -> VersionGrouping:
        self.require_promises(models)
        m = max(model.m for model in models if isinstance(model, MInvariance))
        old, new = np.flatnonzero(snapshot.signature != NEW), np.flatnonzero(snapshot.signature == NEW)
        slot = np.full(len(snapshot), LEFT_OUT)
        # Step 1 (division): S_plus, each record in the slot of its value in the bucket of its signature.
        slot[old] = slot_of(past.signatures, snapshot.signature[old], snapshot.values[old])  # division
        order = filling_order(past.signatures)
        counts = np.bincount(snapshot.values[new], minlength=len(snapshot.taxonomy.values))
        holes = holes_of(past.signatures, slot[old])[order]
        # Step 2 (balancing): fill the holes of the buckets with new records, the rest of which must stay m-eligible.
        need = BalanceDemand.of_values(holes, past.signatures.nodes[order], counts)
        found = self._balanced(need, m, snapshot)
        fillers = RecordSlots(np.repeat(order, found.filled), np.repeat(need.value_of, found.filled))
        rest = counts - found.deferred + found.added - fillers.counts(len(counts))
        # Step 3 (assignment): the other new records form balanced buckets; equal signatures are merged.
        signatures, places = _assigned(past.signatures, rest, m)
        places, false_places = places.without(found.added, rng)
        waiting = np.repeat(np.arange(len(counts)), found.deferred)
        places = fillers.and_more(places).and_more(RecordSlots(np.full(len(waiting), LEFT_OUT), waiting))
        slot[new] = places.dealt_to(snapshot.values[new], rng)
        # Holes that no new record fills get counterfeits, made anew in every release.
        false_slots = np.concatenate([np.repeat(order, holes - found.filled), false_places.slots])
        progress.phase("split")
        # Step 4 (split): cut every balanced bucket into groups of one record per value.
        made = groups_of_slots(snapshot, past, signatures, slot, false_slots, rng)
        was_bound = snapshot.signature != NEW
        progress.each_step(lambda: phase_steps(self.name, snapshot, was_bound, slot, false_slots, made))
        return made

    def _balanced(self, need: BalanceDemand, m: int, snapshot: Snapshot) -> Balance:
        try:
            return balance(need, m, self.on_ineligible)
        except Infeasible as error:
            raise _explained(error, snapshot) from None


def _assigned(past: Signatures, rest: IntArray, m: int) -> tuple[Signatures, RecordSlots]:
    """Return the signatures with those of the new buckets, and the places that these offer."""
    buckets, taken = assign(rest, m)
    signatures, numbers = past.joined(buckets)
    slots = slot_of(signatures, numbers[buckets.owners], buckets.nodes)
    many = taken[buckets.owners]
    return signatures, RecordSlots(np.repeat(slots, many), np.repeat(buckets.nodes, many))


def _explained(error: Infeasible, snapshot: Snapshot) -> Infeasible:
    """Say which value is too frequent, in the words of the table."""
    found = error.closest
    if found["families"] < found["m"]:  # type: ignore[operator]
        return Infeasible(
            f"groups of {found['m']} different values are wanted, and {snapshot.sensitive!r} has only "
            f"{found['families']}; promise a smaller m, or declare all values that it can have in a hierarchy",
            found,
        )
    value = snapshot.taxonomy.values[int(found["family"])]  # type: ignore[call-overload]
    named = "a missing value" if value is None else repr(value)
    return Infeasible(
        f"{found['count']} of {found['new']} new records have {named} as {snapshot.sensitive}, too many for groups of "
        f"{found['m']} different values. Let some of them wait for a later version with on_ineligible=defer, add "
        f"counterfeits with on_ineligible=counterfeits, or start a history with a smaller m. {WHERE_TO_SET}",
        {**found, "value": value},
    )
