"""Global (1,k)-anonymity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from krypsis.arrays import IntArray
from krypsis.models.links import LinkModel, Links, Side, at_least


class GlobalOneKAnonymity(LinkModel):
    """Every original record is given at least ``k`` published ones by assignments of all records at once.

    Notes
    -----
    The true assignment gives every original record a published one of its own. A link that no such assignment uses can
    be ruled out, so only links that lie on a perfect matching count.

    References
    ----------
    Gionis, Mazza, Tassa, "k-anonymization revisited", ICDE 2008.

    Examples
    --------
    >>> GlobalOneKAnonymity(k=2).promise()
    'every original record could be at least 2 published records, also after ruling out those that other records need'
    """

    name: ClassVar[str] = "global-1k-anonymity"
    aliases: ClassVar[tuple[str, ...]] = ("global (1,k)-anonymity",)
    protects_from: ClassVar[str] = (
        "linking a person to a published record by attributes known from elsewhere, also for those who know the "
        "attributes of everybody and rule out candidates because other persons need them"
    )
    does_not_protect_from: ClassVar[str] = (
        "learning a sensitive value that all candidates share, candidates that are not equally likely, and learning "
        "that a person is in the table. It can be verified only with the original table"
    )
    reference: ClassVar[str] = "Gionis, Mazza, Tassa, k-anonymization revisited, ICDE 2008"
    protects: ClassVar[tuple[Side, ...]] = ("original",)
    counts_assignments: ClassVar[bool] = True

    def promise(self) -> str:
        return (
            f"every original record could be {at_least(self.k, 'published')}, also after ruling out those that other "
            "records need"
        )

    def counts(self, links: Links) -> Mapping[Side, IntArray]:
        return {"original": links.matches_of_originals}
