"""l-diversity of the vertices that an attacker cannot tell apart."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, IntArray
from krypsis.models.base import TOLERANCE
from krypsis.models.graph_knowledge import GraphModel, Knowledge


class VertexLDiversity(GraphModel):
    """Vertices that look alike to an attacker have at least ``l`` well-represented values of a sensitive attribute.

    Notes
    -----
    ``distinct`` counts the different values of a class; ``entropy`` takes the exponential of their entropy, which is
    lower where some values are rare.

    References
    ----------
    Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ICDE 2006; for
    vertices: Zhou, Pei, "The k-anonymity and l-diversity approaches for privacy preservation in social networks
    against neighborhood attacks", KAIS 28, 2011.

    Examples
    --------
    >>> VertexLDiversity(l=2, attribute="party").promise()
    "vertices that look alike by h1 have at least 2 different values of 'party'"
    """

    name: ClassVar[str] = "vertex-l-diversity"
    needs_sensitive: ClassVar[bool] = True
    protects_from: ClassVar[str] = "learning an attribute of a person from what all vertices that fit have in common"
    does_not_protect_from: ClassVar[str] = "an attacker who knows more about the vertex than the promise names"
    reference: ClassVar[str] = (
        "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, l-diversity: privacy beyond k-anonymity, ICDE 2006"
    )

    l: int | float = Field(ge=1, description="smallest number of well-represented values in a class")  # noqa: E741
    attribute: str | None = Field(default=None, description="the sensitive attribute; each of them unless given")
    measure: Literal["distinct", "entropy"] = Field(default="distinct", description="how values are counted")
    knowledge: Knowledge = Field(default="h1", description="what the attacker knows: h0, h1, h2, …, or neighborhood")

    @property
    def required(self) -> float:
        return float(self.l)

    def accepts(self, classes: IntArray, values: IntArray) -> BoolArray:
        """Say for each class whether it keeps the promise, given the class and the value of each vertex.

        Examples
        --------
        >>> VertexLDiversity(l=2).accepts(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 0]))
        array([ True, False])
        """
        pairs, counts = np.unique(np.stack([classes, values], axis=1), axis=0, return_counts=True)
        levels = np.bincount(pairs[:, 0]).astype(np.float64)
        if self.measure == "entropy":
            shares = counts / np.bincount(classes)[pairs[:, 0]]
            levels = np.exp(np.bincount(pairs[:, 0], -shares * np.log(shares)))
        return np.asarray(levels >= self.l * (1 - TOLERANCE))

    def promise(self) -> str:
        about = "each sensitive attribute" if self.attribute is None else repr(self.attribute)
        values = "different values" if self.measure == "distinct" else "well-represented values (by entropy)"
        return f"vertices that look alike by {self.knowledge} have at least {self.l:g} {values} of {about}"
