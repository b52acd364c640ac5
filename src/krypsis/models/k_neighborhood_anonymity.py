"""k-neighborhood anonymity of a graph."""

from typing import ClassVar

from krypsis.models.graph_knowledge import NEIGHBORHOOD, CandidatesModel


class KNeighborhoodAnonymity(CandidatesModel):
    """Every vertex has a 1-neighborhood that looks like those of at least ``k - 1`` others.

    Notes
    -----
    The 1-neighborhood of a vertex is the subgraph of the vertex and its neighbors. Two look alike if one can be laid
    on the other, vertex on vertex, edges on edges, and labels on equal labels.

    References
    ----------
    Zhou, Pei, "Preserving privacy in social networks against neighborhood attacks", ICDE 2008.

    Examples
    --------
    >>> KNeighborhoodAnonymity(k=2).promise()
    'every vertex has the same 1-neighborhood as at least 1 other'
    """

    name: ClassVar[str] = "k-neighborhood-anonymity"
    aliases: ClassVar[tuple[str, ...]] = ("k-neighbourhood-anonymity",)
    protects_from: ClassVar[str] = (
        "finding the vertex of a person by its neighbors, their labels and who of them know each other"
    )
    does_not_protect_from: ClassVar[str] = (
        "an attacker who knows more than direct neighbors, and learning an attribute that all vertices with the same "
        "1-neighborhood share"
    )
    reference: ClassVar[str] = (
        "Zhou, Pei, Preserving privacy in social networks against neighborhood attacks, ICDE 2008"
    )

    @property
    def knowledge(self) -> str:
        return NEIGHBORHOOD

    def promise(self) -> str:
        others = "1 other" if self.k == 2 else f"{self.k - 1} others"
        return f"every vertex has the same 1-neighborhood as at least {others}"
