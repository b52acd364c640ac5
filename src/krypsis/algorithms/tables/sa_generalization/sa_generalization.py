"""Generalization of quasi-identifiers and of single sensitive values."""

from __future__ import annotations

from math import ceil
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.base import Algorithm, Method
from krypsis.algorithms.tables.mondrian.mondrian import Mondrian
from krypsis.algorithms.tables.optimal.optimal import Optimal
from krypsis.algorithms.tables.sa_generalization.sensitive_levels import Entries, Generalizable, Ladder, levels_for
from krypsis.arrays import IntArray
from krypsis.models.base import GroupModel, PrivacyModel
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.personalized_privacy import PersonalizedPrivacy

GROUPINGS: dict[str, type[Algorithm]] = {"mondrian": Mondrian, "optimal": Optimal}


class SAGeneralization(Method):
    """Generalizes the quasi-identifiers, and then single sensitive values where somebody guards more than that hides.

    Notes
    -----
    First records are put into groups of at least ``k`` by generalizing the quasi-identifiers, then in each group
    sensitive values are published more generally, record by record: *infection* for *flu*, *any* for *infection*. That
    takes away from what can be guessed, and nothing from what people do not guard.

    In each group the step is taken that lowers the chances above ``p`` most for what it loses: a record goes from one
    label to one above it, not necessarily the next. What a step loses is the share of all values that the label stands
    for, as in the paper. When no chance is above ``p``, records go back as far as that stays so. Of records with the
    same value, those of people who guard something are generalized first. Where only one node is guarded in a group,
    the steps find a way if there is one; with several, which may want opposite things, they may find none. Groups are
    made so that all of them can be settled; if even the whole table as one group cannot, the promise is infeasible.

    Large groups need little from the second part, small groups little from the first: ``k`` decides. Missing values
    stay missing. The tree must not come from the data: the number of values below a node is part of the chance.

    References
    ----------
    Xiao, Tao, "Personalized privacy preservation", SIGMOD 2006, Section 5. The paper chooses the groups top-down by
    the loss of both parts together; here they are those of ``groups``.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> table = pl.DataFrame({"age": [31, 34], "disease": ["flu", "cold"], "guard": ["flu", None]})
    >>> tree = {"any": {"infection": ["flu", "cold"], "heart": ["angina", "stroke"]}}
    >>> release = krypsis.anonymize(table, {"age": "quasi-identifier", "disease": "sensitive", "guard": "identifier"},
    ...                             hierarchies={"disease": tree}, algorithm="sa-generalization",
    ...                             models="personalized-privacy:p=0.25,guarding=guard")
    >>> sorted(release.table.rows())
    [('[31-34]', 'cold'), ('[31-34]', 'infection')]
    """

    name: ClassVar[str] = "sa-generalization"
    aliases: ClassVar[tuple[str, ...]] = ("personalized",)
    scheme: ClassVar[str] = "CG_"
    family: ClassVar[str] = "personalized"
    reference: ClassVar[str] = "Xiao, Tao, Personalized privacy preservation, SIGMOD 2006"
    keeps: ClassVar[type[PrivacyModel]] = PersonalizedPrivacy

    groups: Literal["mondrian", "optimal"] = Field(
        default="mondrian", description="the algorithm that generalizes the quasi-identifiers"
    )
    k: int | None = Field(
        default=None, ge=1, description="the smallest number of records in a group; 1/p, rounded up, unless given"
    )

    @property
    def grouping(self) -> Algorithm:
        """The algorithm that makes the groups."""
        return GROUPINGS[self.groups]()

    def models_of_groups(self, promise: PersonalizedPrivacy, records: int) -> tuple[GroupModel, ...]:
        """Return what the groups of so many records must be, before their sensitive values are generalized."""
        k = max(min(ceil(1 / promise.p), records), 1) if self.k is None else self.k
        return (KAnonymity(k=k), Generalizable(promised=promise))

    def levels(self, group: IntArray, value: IntArray, node: IntArray, ladder: Ladder, p: float) -> IntArray:
        """Return the level at which the sensitive value of each record is published.

        ``group`` numbers the groups from 0 on; ``value`` and ``node`` are the codes of the ladder, -1 where nobody
        guards anything.
        """
        keys, entry_of, counts = np.unique(group * len(ladder.labels) + value, return_inverse=True, return_counts=True)
        wishes = np.unique(np.stack([group, node], axis=1)[node >= 0], axis=0)
        entries = Entries(
            keys // len(ladder.labels), keys % len(ladder.labels), counts, wishes, int(group.max(initial=-1)) + 1
        )
        shown, _ = levels_for(entries, ladder, p)
        descending = np.arange(shown.shape[1])[::-1]
        levels = np.empty(len(group), dtype=np.int64)
        # Within an entry, people who guard something come first and get the most general labels.
        levels[np.lexsort((node < 0, entry_of))] = np.repeat(np.tile(descending, len(shown)), shown[:, ::-1].ravel())
        return levels
