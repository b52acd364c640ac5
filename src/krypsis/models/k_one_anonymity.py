"""(k,1)-anonymity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from krypsis.arrays import IntArray
from krypsis.models.links import LinkModel, Links, Side, at_least


class KOneAnonymity(LinkModel):
    """Every published record generalizes at least ``k`` original ones.

    References
    ----------
    Gionis, Mazza, Tassa, "k-anonymization revisited", ICDE 2008.

    Examples
    --------
    >>> KOneAnonymity(k=2).promise()
    'every published record could be at least 2 original records'
    """

    name: ClassVar[str] = "k1-anonymity"
    aliases: ClassVar[tuple[str, ...]] = ("(k,1)-anonymity",)
    protects_from: ClassVar[str] = (
        "naming the person behind a published record: whoever knows the attributes of everybody finds at least k "
        "persons that it may belong to"
    )
    does_not_protect_from: ClassVar[str] = (
        "a person whom only one published record can be, since nothing is said about the other direction (kk-anonymity "
        "does), learning a sensitive value that all candidates share, and who looks at all persons together "
        "(global-1k-anonymity). It can be verified only with the original table"
    )
    reference: ClassVar[str] = "Gionis, Mazza, Tassa, k-anonymization revisited, ICDE 2008"
    protects: ClassVar[tuple[Side, ...]] = ("published",)

    def promise(self) -> str:
        return f"every published record could be {at_least(self.k, 'original')}"

    def counts(self, links: Links) -> Mapping[Side, IntArray]:
        return {"published": links.of_published}
