"""Anonymity of vertices in super-vertices."""

from typing import ClassVar

from krypsis.models.graph_knowledge import FIXPOINT, CandidatesModel


class SupervertexAnonymity(CandidatesModel):
    """Vertices are published in super-vertices of at least ``k``, which show nothing that tells their vertices apart.

    References
    ----------
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks",
    PVLDB 1(1), 2008.

    Examples
    --------
    >>> SupervertexAnonymity(k=10).promise()
    'every super-vertex stands for at least 10 vertices'
    """

    name: ClassVar[str] = "supervertex-anonymity"
    aliases: ClassVar[tuple[str, ...]] = ("vertex-clustering-anonymity",)
    protects_from: ClassVar[str] = "finding the vertex of a person by any knowledge of the graph around it"
    does_not_protect_from: ClassVar[str] = (
        "learning that an edge exists between groups of vertices where all or none of the possible edges exist, and "
        "learning an attribute that all vertices of a super-vertex share"
    )
    reference: ClassVar[str] = (
        "Hay, Miklau, Jensen, Towsley, Weis, Resisting structural re-identification in anonymized social networks, "
        "PVLDB 1(1), 2008"
    )

    @property
    def knowledge(self) -> str:
        return FIXPOINT

    def promise(self) -> str:
        return f"every super-vertex stands for at least {self.k} vertices"
