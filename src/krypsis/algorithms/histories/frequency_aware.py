"""Releases with fewer counterfeits: values that leave often are published more generally."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.algorithms.histories.balance import UNASSIGNED, Balance
from krypsis.algorithms.histories.base import (
    LEFT_OUT,
    NEW,
    HistoryMethod,
    Past,
    Share,
    Shown,
    Snapshot,
    VersionGrouping,
)
from krypsis.algorithms.histories.families import Families, FamilyKinship, Strategy, bound_to, families_of
from krypsis.algorithms.histories.general_groups import Company, GeneralSlots, general_groups, joined, moved
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.algorithms.histories.targets import Criterion, LossChances, Stakes, estimated, given, targets_of
from krypsis.arrays import IntArray
from krypsis.errors import UsageError
from krypsis.models.base import PrivacyModel
from krypsis.models.em_correlation import EMCorrelation
from krypsis.progress import NO_PROGRESS, Progress


class FrequencyAware(HistoryMethod):
    """Publishes values that leave more often than they come more generally, so that more records can replace them.

    Everybody is among the same sensitive values in all releases, none of them closely related, or among more general
    ones on the same path of the hierarchy.

    Notes
    -----
    The steps of ``correlation``, see :class:`krypsis.algorithms.histories.correlation.Correlation`, and two more.
    *Generalize*: for each value, the chance that a record is lost is estimated from the versions before; if the
    criterion admits a node above the value, at most its family, the value is published as the nearest one. A record
    fills a hole if its value is below the published node. *De-generalize*: when the criterion admits a node no longer,
    the value is published as what its records are bound to, the minimal signature. Groups are formed of records with
    the same minimal signature.

    What is published must not reveal who left, and three things are done about that which the source does not say; see
    :mod:`krypsis.algorithms.histories.general_groups`. A value that is published more generally just when people leave
    would
    tell that it was theirs, even if the rule has other reasons; so signatures that somebody left wait, unless a group
    that nobody left shows the same change. A value that must stay general because of who took the place would reveal
    that somebody did; so a signature that somebody joined stays as general as it was then. And the rule itself is a
    statistic of those who left: ``evidence`` says how many must have left, and chances of your own, given as
    ``probabilities``, reveal nothing.

    In the source, records may share a group if their minimal signatures are similar. Then two who were together as
    *lungs* can go down to *flu* and *asthma* with different partners, and are no longer among similar values; so the
    same minimal signature is asked for here.

    Cost: one sort per attribute and halving, so ``n log n`` in the number of records; the rule costs one walk over the
    hierarchy.

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007, section 5,
    for groups and counterfeits; Xu et al., "Utility-based anonymization using local recoding", KDD 2006, for the
    penalties that are weighed, see :mod:`krypsis.algorithms.histories.targets`.

    Examples
    --------
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> age = Hierarchy.from_rows([[str(age), "*"] for age in (20, 21, 60, 61)])
    >>> rows = [["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"], ["colic", "stomach", "*"]]
    >>> codes, new = np.arange(4, dtype=np.int32).reshape(4, 1), np.full(4, NEW)
    >>> first = Snapshot(("age",), (age,), codes, "disease", Hierarchy.from_rows(rows), np.array([0, 1, 2, 3]), new)
    >>> method = FrequencyAware(probabilities={"flu": "1/2", "lungs": "1/20"})
    >>> found = method.publication(first, Past.none(1, 4), [EMCorrelation(e=1, m=2)], np.random.default_rng(1))
    >>> found.published.tolist()  # flu is published as lungs, which is node 4
    [4, 1, 2, 3]
    """

    name: ClassVar[str] = "frequency-aware"
    reference: ClassVar[str] = (
        "Xiao, Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007"
    )
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = (EMCorrelation,)
    unpublished: ClassVar[frozenset[str]] = HistoryMethod.unpublished | {"probabilities"}

    assignment: Strategy = Field(
        default="sub-trees",
        description="how new records form groups. sub-trees: among values as closely related as they may be; whole: "
        "among all values, as m-invariance does; anatomize: in the smallest groups",
    )
    criterion: Criterion = Field(
        default="combined",
        description="when a value is published more generally. minimal-penalty: if less is lost in the next version; "
        "balanced: as far as the loss does not jump when a counterfeit appears; combined: if both agree",
    )
    c: Share = Field(
        default=Fraction(0),
        lt=1,
        description="how little a counterfeit is charged for being one: with 0 it costs as much as a record of which "
        "nothing is published, with 1 what a record costs",
    )
    f: Share = Field(default=Fraction(0), description="how far from balance the loss may be")
    v: Share = Field(default=Fraction(1), description="how much counterfeits weigh in the balance")
    window: int = Field(default=12, ge=1, description="how many of the last changes of the table count")
    smoothing: int = Field(
        default=1, ge=0, description="so many records of each value are taken to be lost, and as many to stay, besides"
    )
    evidence: int = Field(
        default=10, ge=0, description="a value is left as it is until so many records with it have left the table"
    )
    probabilities: dict[str, Share] = Field(
        default_factory=dict,
        description="value or more general one → the chance that a record with it is lost from one version to the "
        "next; instead of what earlier versions suggest. What is not named stays as it is",
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
        m, e = max(model.m for model in wanted), min(model.e for model in wanted)
        families = families_of(snapshot.taxonomy, e)
        kinship, bound = FamilyKinship(families, self.assignment), GeneralSlots.of(families, past.signatures)
        kinship.require_distinct_families(bound.examples(np.unique(snapshot.signature[snapshot.signature != NEW])))
        slot = bound.placed(snapshot)  # division
        # Cutting and choice: what the rule publishes each value as; it depends on the value alone.
        targets = self._targets(snapshot, past, families, Stakes(m, e, len(snapshot.attributes) + 1))
        company = Company.of(past.last, past.signatures, snapshot.signature, slot)
        before = past.shown or Shown.exactly(past.signatures)
        # Generalize and de-generalize the signatures, but for those that would reveal who left.
        shown, together = moved(before, past.signatures, targets, company)
        # Division and balancing by what is published: a hole takes any value below the published node.
        division, empty = bound.divided(snapshot, slot, shown.nodes)
        balance = kinship.balanced(division, m, self.on_ineligible)
        slot, false_slots = division.dealt(balance, rng)
        progress.phase("split")
        signatures, slot, added = _assigned(kinship, snapshot, past.signatures, slot, balance, targets, m, rng)
        false_slots = np.concatenate([false_slots, empty, added])
        newcomers = slot[(snapshot.signature == NEW) & (slot != LEFT_OUT)]
        shown = joined(shown.and_more(signatures), signatures, newcomers)
        slots = GeneralSlots(families, signatures)
        # Split, with buckets keyed by the minimal signature.
        return general_groups(snapshot, past, slots, shown, slot, false_slots, together, rng)

    def require_promises(self, models: Sequence[PrivacyModel]) -> None:
        """Raise unless this method keeps all promises; numbers have no more general values."""
        super().require_promises(models)
        for model in models:
            if isinstance(model, EMCorrelation) and model.limits is not None:
                raise UsageError(
                    f"frequency-aware publishes nodes of a hierarchy instead of values, and {model.spec} is about "
                    "numbers; take the algorithm 'correlation'"
                )

    def _targets(self, snapshot: Snapshot, past: Past, families: Families, stakes: Stakes) -> IntArray:
        """Return what the rule publishes each node as."""
        weighed = replace(stakes, c=self.c, f=self.f, v=self.v)
        return targets_of(families, self._chances(snapshot, past), weighed, self.criterion)

    def _chances(self, snapshot: Snapshot, past: Past) -> LossChances:
        if self.probabilities:
            return given(self.probabilities, snapshot.taxonomy)
        return estimated(
            past.turnover,
            snapshot.taxonomy,
            window=self.window,
            smoothing=self.smoothing,
            evidence=self.evidence,
        )


def _assigned(
    kinship: FamilyKinship,
    snapshot: Snapshot,
    past: Signatures,
    slot: IntArray,
    balance: Balance,
    targets: IntArray,
    m: int,
    rng: np.random.Generator,
) -> tuple[Signatures, IntArray, IntArray]:
    """Return the signatures with those of new groups, the slots of all records, and those of counterfeits in them."""
    joining = np.flatnonzero(slot == UNASSIGNED)
    if not len(joining):
        return past, slot, joining
    added = np.repeat(np.arange(len(balance.added)), balance.added)
    values = np.concatenate([snapshot.values[joining], added])
    group = kinship.grouped(snapshot, joining, values, m, rng)
    signatures, found = bound_to(past, group, targets[values])
    slot[joining] = found[: len(joining)]
    return signatures, slot, found[len(joining) :]
