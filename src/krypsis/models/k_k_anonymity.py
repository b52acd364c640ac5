"""(k,k)-anonymity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from krypsis.arrays import IntArray
from krypsis.models.links import LinkModel, Links, Side, at_least


class KKAnonymity(LinkModel):
    """Every original record is generalized by at least ``k`` published ones, each of which generalizes at least ``k``.

    Notes
    -----
    k-anonymity is the special case in which the links form groups; without groups, records need to be generalized less.

    References
    ----------
    Gionis, Mazza, Tassa, "k-anonymization revisited", ICDE 2008.

    Examples
    --------
    >>> KKAnonymity(k=2).promise().split(", ")
    ['every original record could be at least 2 published records',
     'and every published record at least 2 original records']
    """

    name: ClassVar[str] = "kk-anonymity"
    aliases: ClassVar[tuple[str, ...]] = ("(k,k)-anonymity",)
    protects_from: ClassVar[str] = (
        "linking a person to a published record, in either direction, by attributes known from elsewhere: whoever "
        "knows the attributes of everybody, but looks at one person at a time, finds at least k candidates"
    )
    does_not_protect_from: ClassVar[str] = (
        "who looks at all persons together and rules out links because the records they need are taken "
        "(global-1k-anonymity), learning a sensitive value that all candidates share, and learning that a person is in "
        "the table. It can be verified only with the original table"
    )
    reference: ClassVar[str] = "Gionis, Mazza, Tassa, k-anonymization revisited, ICDE 2008"
    protects: ClassVar[tuple[Side, ...]] = ("original", "published")

    def promise(self) -> str:
        return (
            f"every original record could be {at_least(self.k, 'published')}, "
            f"and every published record {at_least(self.k, 'original')}"
        )

    def counts(self, links: Links) -> Mapping[Side, IntArray]:
        return {"original": links.of_originals, "published": links.of_published}
