"""Releases in which nobody is among sensitive values that are closely related, in no version of the table."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.algorithms.histories.balance import UNASSIGNED, Division
from krypsis.algorithms.histories.base import NEW, HistoryMethod, Past, Snapshot, VersionGrouping
from krypsis.algorithms.histories.families import FamilyKinship, Kinship, Strategy, bound_to, families_of
from krypsis.algorithms.histories.groups import groups_of_slots
from krypsis.algorithms.histories.near_numbers import NumberKinship
from krypsis.errors import UsageError
from krypsis.models.base import PrivacyModel
from krypsis.models.em_correlation import EMCorrelation
from krypsis.progress import NO_PROGRESS, Progress


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

    Of numbers, whose promise has limits, those must not meet that lie too close together, which forms no families: new
    records are dealt out to groups in ascending order instead, see
    :func:`krypsis.algorithms.histories.near_numbers.strides`, which works whenever anything does.

    Sensitive values are published as they are, so everybody is among exactly the same ones in all releases.

    Cost: one sort per attribute and halving, so ``n log n`` in the number of records.

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007, section 5.

    Examples
    --------
    >>> from krypsis.data.hierarchies.base import Hierarchy
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
        description="how new records with values of a hierarchy form groups. sub-trees: among values as closely "
        "related as they may be; whole: among all values, as m-invariance does; anatomize: in the smallest groups",
    )

    def publication(
        self,
        snapshot: Snapshot,
        past: Past,
        models: Sequence[PrivacyModel],
        rng: np.random.Generator,
        progress: Progress = NO_PROGRESS,
    ) -> VersionGrouping:
        self.require_promises(models)
        wanted = [model for model in models if isinstance(model, EMCorrelation)]
        m, kinship = max(model.m for model in wanted), self._kinship(snapshot, past, wanted)
        # Step 1 (division).
        division = Division.of(snapshot, past.signatures)
        # Step 2 (balancing): eligibility counts gsa-nodes, holes ask for the exact value.
        found = kinship.balanced(division, m, self.on_ineligible)
        slot, false_slots = division.dealt(found, rng)
        progress.phase("split")
        joining, added = np.flatnonzero(slot == UNASSIGNED), np.repeat(np.arange(len(found.added)), found.added)
        signatures = past.signatures
        if len(joining):
            values = np.concatenate([snapshot.values[joining], added])
            # Steps 3-5 (generalization, assignment, gsa-split) for the new records that fill no hole.
            group = kinship.grouped(snapshot, joining, values, m, rng)
            # Step 6 (de-generalization): the signature of a new group is the set of its true values.
            signatures, slots = bound_to(signatures, group, values)
            slot[joining] = slots[: len(joining)]
            false_slots = np.concatenate([false_slots, slots[len(joining) :]])
        # Step 7 (SA-balancing split): old and new records of a signature are cut into groups together.
        return groups_of_slots(snapshot, past, signatures, slot, false_slots, rng)

    def require_promises(self, models: Sequence[PrivacyModel]) -> None:
        super().require_promises(models)
        limits = {model.limits for model in models if isinstance(model, EMCorrelation)}
        if len(limits) > 1:
            raise UsageError("the promises have different limits, 'low' and 'high'; give all of them the same, or none")
        if None not in limits and "assignment" in self.model_fields_set:
            raise UsageError(
                f"assignment={self.assignment} is about values in a hierarchy, and the promise is about numbers; leave "
                "it out"
            )

    def _kinship(self, snapshot: Snapshot, past: Past, wanted: Sequence[EMCorrelation]) -> Kinship:
        e, limits = min(model.e for model in wanted), wanted[0].limits
        if limits is not None:
            return NumberKinship.of(snapshot.taxonomy.values, e, limits)
        kinship = FamilyKinship(families_of(snapshot.taxonomy, e), self.assignment)
        in_use = np.unique(snapshot.signature[snapshot.signature != NEW])
        kinship.require_distinct_families(past.signatures.only(in_use))
        return kinship
