"""ε-edge-differential privacy of a graph."""

from collections.abc import Iterator
from math import inf
from typing import ClassVar, Literal

from pydantic import Field

from krypsis.models.differential_privacy import NEAR, epsilon_of
from krypsis.models.mechanisms import MechanismModel, MechanismRecord

SENSITIVITY = 2
"""One edge more changes the degree of two vertices by one; the sorted degrees change as little."""


class EdgeDifferentialPrivacy(MechanismModel):
    """Whether or not two people are connected, every possible release is about as likely: at most ``e^ε`` times.

    Notes
    -----
    Two graphs are neighbors if they have the same vertices and one has one edge more. For neighbors ``G1`` and ``G2``
    and every set ``S`` of releases, ``P[F(G1) ∈ S] ≤ e^ε · P[F(G2) ∈ S]``. The number of vertices is public. Somebody
    with ``d`` edges is hidden as a whole only with ``d · ε``; several releases add up.

    References
    ----------
    Hay, Li, Miklau, Jensen, "Accurate estimation of the degree distribution of private networks", ICDM 2009.

    Examples
    --------
    >>> from krypsis.models.mechanisms import Spending
    >>> noise = Spending(what="degrees", noise="discrete Laplace", sensitivity=2, scale=4, epsilon=0.5)
    >>> record = MechanismRecord(publishes="graph", unit="one edge", domains={}, spent=(noise,))
    >>> promise = EdgeDifferentialPrivacy(epsilon=1)
    >>> promise.achieved(record), list(promise.contradictions(record))
    (0.5, [])
    """

    name: ClassVar[str] = "edge-differential-privacy"
    aliases: ClassVar[tuple[str, ...]] = ("epsilon-edge-differential-privacy",)
    kind: ClassVar[str] = "graph"
    protects_from: ClassVar[str] = "learning from the release whether two people are connected by an edge"
    does_not_protect_from: ClassVar[str] = (
        "learning about somebody with many edges, all of which depend on that person; that somebody is a vertex of the "
        "graph; further releases about the same graph, whose epsilons add up; and a publisher who did not draw the "
        "noise as stated, which nobody can see from the files"
    )
    reference: ClassVar[str] = (
        "Hay, Li, Miklau, Jensen, Accurate estimation of the degree distribution of private networks, ICDM 2009"
    )
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    kept_by: ClassVar[str] = "private-degrees"
    not_to_see: ClassVar[str] = (
        "that the noise was drawn by chance as stated, that the number of vertices was no secret, and what else was "
        "published about the same graph"
    )

    epsilon: float = Field(
        gt=0, allow_inf_nan=False, description="how much one edge may change the chances of a release, as a logarithm"
    )

    @property
    def required(self) -> float:
        return self.epsilon

    def achieved(self, record: MechanismRecord) -> float:
        return sum(part.epsilon for part in record.spent) if record.spent else inf

    def contradictions(self, record: MechanismRecord) -> Iterator[str]:
        if record.publishes != "graph":
            yield f"a graph is promised, and {record.publishes} are stated"
        if not record.spent:
            yield "no budget is stated, and so no noise"
        elif self.achieved(record) > self.epsilon * (1 + NEAR):
            yield f"the budget stated adds up to epsilon={self.achieved(record):g}, more than {self.epsilon:g}"
        for part in record.spent:
            if part.delta:
                yield f"the noise of {part.what} keeps its promise only up to a chance of {part.delta:g}"
            if part.sensitivity < SENSITIVITY:
                yield f"the noise of {part.what} is for a change of {part.sensitivity:g}, and an edge changes it by 2"
            if (needed := epsilon_of(part)) > part.epsilon * (1 + NEAR):
                yield f"the noise of {part.what} keeps epsilon={needed:g}, not the {part.epsilon:g} that is stated"

    def promise(self) -> str:
        return (
            "one edge more or less in the graph changes the chance of any release at most by the factor "
            f"e^{self.epsilon:g}"
        )
