"""Candidate anonymity of a graph under vertex refinement."""

from typing import ClassVar

from pydantic import Field

from krypsis.models.graph_knowledge import FIXPOINT, CandidatesModel


class CandidateAnonymity(CandidatesModel):
    """Whoever knows the refinement ``H_i`` of a vertex finds at least ``k`` vertices with the same.

    Notes
    -----
    ``H_1`` is the degree, ``H_2`` the degrees of all neighbors, and ``H_i`` what ``H_{i-1}`` says of all neighbors.
    Without a depth it is refined until nothing new is found.

    References
    ----------
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks",
    PVLDB 1(1), 2008.

    Examples
    --------
    >>> CandidateAnonymity(k=5, depth=2).knowledge, CandidateAnonymity(k=5).knowledge
    ('h2', 'refinement')
    """

    name: ClassVar[str] = "candidate-anonymity"
    aliases: ClassVar[tuple[str, ...]] = ("k-candidate-anonymity",)
    protects_from: ClassVar[str] = "finding the vertex of a person by the degrees of the vertices around it"
    does_not_protect_from: ClassVar[str] = (
        "an attacker who knows which of the vertices around know each other, or edges that are further away, and "
        "learning an attribute that all candidates share"
    )
    reference: ClassVar[str] = (
        "Hay, Miklau, Jensen, Towsley, Weis, Resisting structural re-identification in anonymized social networks, "
        "PVLDB 1(1), 2008"
    )

    depth: int | None = Field(
        default=None, ge=0, le=9, description="how far the attacker sees; to the end unless given"
    )

    @property
    def knowledge(self) -> str:
        return FIXPOINT if self.depth is None else f"h{self.depth}"

    def promise(self) -> str:
        known = "the degrees of all vertices around it" if self.depth is None else f"H_{self.depth} of a vertex"
        return f"whoever knows {known} finds at least {self.k} vertices with the same"
