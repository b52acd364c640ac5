"""(k,1)-, (1,k)- and (k,k)-anonymity, and global (1,k)-anonymity."""

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
