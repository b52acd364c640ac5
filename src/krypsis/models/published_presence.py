"""Delta-presence of those who look like a published record."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from krypsis.arrays import FloatArray
from krypsis.data.groups import Groups
from krypsis.models.delta_presence import DeltaPresence


class PublishedPresence(DeltaPresence):
    """Of nobody who looks like a published record can it be inferred too surely that they are, or are not, in the data.

    Notes
    -----
    As delta-presence, but people of whom nothing is published do not count. So records may be suppressed with a
    ``delta_min`` above 0, too; the price is that those people, who may be many, are known not to be in the published
    table. With ``delta_min=0`` the two are the same.

    It is not monotone: a group may fall below ``delta_min`` when people join who did not count before.

    References
    ----------
    Nergiz, Atzori, Clifton, "Hiding the presence of individuals from shared databases", SIGMOD 2007, Definition 2,
    there for everybody.

    Examples
    --------
    >>> groups = Groups(np.array([4, 3, 0]), population=np.array([5, 8, 2]))
    >>> PublishedPresence(delta_min=0.5, delta_max=0.8).accepts(groups)
    array([ True, False,  True])
    """

    name: ClassVar[str] = "published-presence"
    protects_from: ClassVar[str] = "learning whether a person is in the data who looks like a published record"
    does_not_protect_from: ClassVar[str] = (
        "learning that a person is not in the published table who looks like no record of it; attackers who know a "
        "larger or smaller population, those who know that a person is in the data, and values that all records of a "
        "group share"
    )
    monotone: ClassVar[bool] = False

    @property
    def judges_absent(self) -> bool:
        return False

    def _levels(self, groups: Groups) -> FloatArray:
        return np.where(groups.sizes > 0, super()._levels(groups), 0.0)

    def promise(self) -> str:
        return f"everybody who looks like a published record is in the data with a probability of {self.range_in_words}"
