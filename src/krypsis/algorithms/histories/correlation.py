"""Releases in which nobody is among sensitive values that are closely related, in no version of the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.algorithms.histories.balancing import Balance, Need, balance
from krypsis.algorithms.histories.base import LEFT_OUT, NEW, HistoryMethod, Past, Publication, Snapshot
from krypsis.algorithms.histories.families import Families, families_of
from krypsis.algorithms.histories.forming import groups_of_slots
from krypsis.algorithms.histories.new_groups import bound_to, groups_of_new
from krypsis.algorithms.histories.places import Places
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.algorithms.histories.slots import filling_order, holes_of, slot_of
from krypsis.algorithms.histories.strategies import Strategy
from krypsis.algorithms.watch import UNWATCHED, Watch
from krypsis.errors import DataError, Infeasible, shorten
from krypsis.groups import IntArray
from krypsis.models.base import PrivacyModel
from krypsis.models.em_correlation import EMCorrelation


class Correlation(HistoryMethod):
    """Publishes every version in groups of sensitive values that are not closely related, the same ones for ever.

    Notes
    -----
    Values that must not meet in a group form a family, see
    :func:`krypsis.algorithms.histories.families.families_of`. Seven steps. *Division*: records that were published
    before go to the signature that they are bound to. *Balancing*: new records take the place of those who left, else
    counterfeits do, so that no family has too many of the other new records. *Generalization*: these are known by
    their families. *Assignment*: they form buckets of ``m`` or more families. *Split*: a bucket is cut into groups of
    one record per family that lie close together. *De-generalization*: the group gets its values back; they are what
    its records are bound to. *Split by value*: all records of a signature, old and new, are cut into groups again.

    Sensitive values are published as they are, so everybody is among exactly the same ones in all releases.

    Cost: one sort per attribute and halving, so ``n log n`` in the number of records.

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007, section 5.

    Examples
    --------
    >>> from krypsis.hierarchies.base import Hierarchy
    >>> age = Hierarchy.from_rows([[str(age), "*"] for age in (20, 21, 60, 61)])
    >>> rows = [["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"], ["colic", "stomach", "*"]]
    >>> codes, new = np.arange(4, dtype=np.int32).reshape(4, 1), np.full(4, NEW)
    >>> first = Snapshot(("age",), (age,), codes, "disease", Hierarchy.from_rows(rows), np.array([0, 1, 2, 3]), new)
    >>> promise = EMCorrelation(e=1, m=2)
    >>> found = Correlation().publication(first, Past.none(1, 4), [promise], np.random.default_rng(1))
    >>> bool(found.group[0] == found.group[1]), found.groups
    (False, 2)
    """

    name: ClassVar[str] = "correlation"
    reference: ClassVar[str] = (
        "Xiao, Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007"
    )
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = (EMCorrelation,)

    assignment: Strategy = Field(
        default="sub-trees",
        description="how new records form groups. sub-trees: among values as closely related as they may be; whole: "
        "among all values, as m-invariance does; anatomize: in the smallest groups",
    )

    def publication(
        self,
        snapshot: Snapshot,
        past: Past,
        models: Sequence[PrivacyModel],
        rng: np.random.Generator,
        watch: Watch = UNWATCHED,
    ) -> Publication:
        self.require_promises(models)
        wanted = [model for model in models if isinstance(model, EMCorrelation)]
        m, families = max(model.m for model in wanted), families_of(snapshot.taxonomy, min(one.e for one in wanted))
        old, new = np.flatnonzero(snapshot.signature != NEW), np.flatnonzero(snapshot.signature == NEW)
        _require_apart(past.signatures, np.unique(snapshot.signature[old]), families)
        slot = np.full(len(snapshot), LEFT_OUT)
        slot[old] = slot_of(past.signatures, snapshot.signature[old], snapshot.values[old])  # division
        order = filling_order(past.signatures)
        counts = np.bincount(snapshot.values[new], minlength=len(snapshot.taxonomy.values))
        holes = holes_of(past.signatures, slot[old])[order]
        need = Need(holes, past.signatures.nodes[order], counts, families.of_value, len(families))
        found = self._balanced(need, m, snapshot, families)
        fillers = Places(np.repeat(order, found.filled), np.repeat(need.value_of, found.filled))
        waiting = np.repeat(np.arange(len(counts)), found.deferred)
        rest = np.repeat(np.arange(len(counts)), counts - found.deferred - fillers.counts(len(counts)))
        places = fillers.and_more(Places(np.full(len(waiting), LEFT_OUT), waiting))
        unassigned = len(past.signatures.nodes)  # no slot yet
        places = places.and_more(Places(np.full(len(rest), unassigned), rest))
        slot[new] = places.dealt_to(snapshot.values[new], rng)
        watch.phase("split")
        joining = np.flatnonzero(slot == unassigned)
        added = np.repeat(np.arange(len(counts)), found.added)
        signatures, slots = self._assigned(snapshot, past.signatures, families, joining, added, m, rng)
        slot[joining] = slots[: len(joining)]
        false_slots = np.concatenate([np.repeat(order, holes - found.filled), slots[len(joining) :]])
        return groups_of_slots(snapshot, past, signatures, slot, false_slots, rng)

    def _balanced(self, need: Need, m: int, snapshot: Snapshot, families: Families) -> Balance:
        try:
            return balance(need, m, self.on_ineligible)
        except Infeasible as error:
            raise _explained(error, snapshot, families) from None

    def _assigned(
        self,
        snapshot: Snapshot,
        past: Signatures,
        families: Families,
        records: IntArray,
        added: IntArray,
        m: int,
        rng: np.random.Generator,
    ) -> tuple[Signatures, IntArray]:
        """Return the signatures with those of new groups, and the slots of new records and of counterfeits among them.

        ``added`` are the values of the counterfeits; while groups are looked for, they lie where some record does.
        """
        values = np.concatenate([snapshot.values[records], added])
        if not len(values):
            return past, values
        group = groups_of_new(snapshot, families, records, values, m, self.assignment, rng)
        return bound_to(past, group, values)


def _require_apart(signatures: Signatures, in_use: IntArray, families: Families) -> None:
    """Raise if people are bound to values that are one family by now: the hierarchy must have changed."""
    bound = signatures.only(in_use)
    keys = np.sort(bound.owners * len(families) + families.of_value[bound.nodes])
    if len(twice := keys[1:][keys[1:] == keys[:-1]]):
        labels = families.labels
        named = shorten([repr(labels[family]) for family in np.unique(twice % len(families)).tolist()], 5)
        raise DataError(
            f"records are bound to several values below {named}, which are too closely related in the hierarchy as it "
            "is now; use the hierarchy of the earlier versions, which binds for ever"
        )


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
