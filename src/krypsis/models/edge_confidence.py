"""A bound on the probability of any sensitive edge."""

from typing import ClassVar, Literal

from pydantic import Field

from krypsis.models.graph_knowledge import GraphModel, Knowledge


class EdgeConfidence(GraphModel):
    """Nobody concludes with a probability above ``p`` that two people share a sensitive edge.

    Notes
    -----
    An attacker knows something about both people, and so the two classes of vertices they are in. The probability of
    an edge between them is the share of the pairs of these classes that have one. Sensitive are the edges of the types
    that are named so; all edges, where none are.

    References
    ----------
    Zheleva, Getoor, "Preserving the privacy of sensitive relationships in graph data", PinKDD 2007; Hay et al. 2008.

    Examples
    --------
    >>> EdgeConfidence(p=0.5).promise()
    'knowing h1 of two vertices, nobody is more than 50 % sure of a sensitive edge between them'
    """

    name: ClassVar[str] = "edge-confidence"
    protects_from: ClassVar[str] = "learning that two people are connected by a sensitive edge"
    does_not_protect_from: ClassVar[str] = (
        "an attacker who knows more about the two people than the promise names, and learning that two are not friends"
    )
    reference: ClassVar[str] = (
        "Zheleva, Getoor, Preserving the privacy of sensitive relationships in graph data, PinKDD 2007"
    )
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    p: float = Field(ge=0, le=1, description="highest probability of a sensitive edge")
    knowledge: Knowledge = Field(default="h1", description="what the attacker knows: h0, h1, h2, …, or neighborhood")

    @property
    def required(self) -> float:
        return self.p

    def promise(self) -> str:
        return (
            f"knowing {self.knowledge} of two vertices, nobody is more than {100 * self.p:g} % sure of a sensitive "
            "edge between them"
        )
