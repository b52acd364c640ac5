"""k-degree anonymity of a graph."""

from typing import ClassVar

from krypsis.models.graph_knowledge import CandidatesModel


class KDegreeAnonymity(CandidatesModel):
    """Every vertex has the same degree as at least ``k - 1`` others.

    References
    ----------
    Liu, Terzi, "Towards identity anonymization on graphs", SIGMOD 2008.

    Examples
    --------
    >>> KDegreeAnonymity(k=10).promise()
    'every vertex has the same degree as at least 9 others'
    """

    name: ClassVar[str] = "k-degree-anonymity"
    protects_from: ClassVar[str] = "finding the vertex of a person by the number of edges it has"
    does_not_protect_from: ClassVar[str] = (
        "an attacker who knows more than the degree, such as who of the neighbors know each other, and learning an "
        "attribute that all vertices of the same degree share"
    )
    reference: ClassVar[str] = "Liu, Terzi, Towards identity anonymization on graphs, SIGMOD 2008"

    @property
    def knowledge(self) -> str:
        return "h1"

    def promise(self) -> str:
        others = "1 other" if self.k == 2 else f"{self.k - 1} others"
        return f"every vertex has the same degree as at least {others}"
