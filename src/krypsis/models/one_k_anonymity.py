"""(1,k)-anonymity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from krypsis.arrays import IntArray
from krypsis.models.links import LinkModel, Links, Side, at_least


class OneKAnonymity(LinkModel):
    """Every original record is generalized by at least ``k`` published ones.

    References
    ----------
    Gionis, Mazza, Tassa, "k-anonymization revisited", ICDE 2008.

    Examples
    --------
    >>> OneKAnonymity(k=2).promise()
    'every original record could be at least 2 published records'
    """

    name: ClassVar[str] = "1k-anonymity"
    aliases: ClassVar[tuple[str, ...]] = ("(1,k)-anonymity",)
    protects_from: ClassVar[str] = (
        "finding the one published record of a person: whoever knows the attributes of everybody finds at least k "
        "records that may be this person's"
    )
    does_not_protect_from: ClassVar[str] = (
        "a published record that can only be one person's, since nothing is said about the other direction "
        "(kk-anonymity does), learning a sensitive value that all candidates share, and who looks at all persons "
        "together (global-1k-anonymity). It can be verified only with the original table"
    )
    reference: ClassVar[str] = "Gionis, Mazza, Tassa, k-anonymization revisited, ICDE 2008"
    protects: ClassVar[tuple[Side, ...]] = ("original",)

    def promise(self) -> str:
        return f"every original record could be {at_least(self.k, 'published')}"

    def counts(self, links: Links) -> Mapping[Side, IntArray]:
        return {"original": links.of_originals}
