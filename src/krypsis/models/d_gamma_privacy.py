"""(d,γ)-privacy."""

from collections.abc import Iterator
from math import inf
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from krypsis.models.mechanisms import MechanismModel, MechanismRecord

NEAR = 1e-9


class DGammaPrivacy(MechanismModel):
    """Who believes with at most ``d`` that somebody is in the data, believes it afterwards with at most ``γ``.

    Notes
    -----
    For every combination of values ``r`` that an attacker believes to be in the data with ``P(r) ≤ d``, seeing the
    release ``V`` leaves ``P(r | V) ≤ γ`` and ``P(r | V) / P(r) ≥ d / γ``. What the attacker is sure of (``P(r) = 1``)
    needs no protection. An attacker whose beliefs about different combinations depend on each other is not covered.

    References
    ----------
    Rastogi, Suciu, Hong, "The boundary between privacy and utility in data publishing", VLDB 2007, Definition 2.2 and
    Theorem 3.1.

    Examples
    --------
    >>> chances = {"alpha": 0.911616, "beta": 0.038384}
    >>> record = MechanismRecord(publishes="tuples", unit="one combination of values", domains={}, chances=chances)
    >>> round(DGammaPrivacy(d=0.01, gamma=0.2).achieved(record), 5)
    0.2
    """

    name: ClassVar[str] = "d-gamma-privacy"
    protects_from: ClassVar[str] = (
        "concluding from the release that somebody with certain values is in the data, or is not, for an attacker who "
        "believed it little before"
    )
    does_not_protect_from: ClassVar[str] = (
        "an attacker who believed more than d before, or whose beliefs about several people depend on each other; "
        "further releases of the same data; and a publisher who did not draw as stated, which nobody can see from "
        "the files"
    )
    reference: ClassVar[str] = (
        "Rastogi, Suciu, Hong, The boundary between privacy and utility in data publishing, VLDB 2007"
    )
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    kept_by: ClassVar[str] = "alpha-beta"
    not_to_see: ClassVar[str] = (
        "that combinations were kept and inserted by chance as stated, that the declared values were not taken from "
        "the data, and what else was published about the same people"
    )

    d: float = Field(gt=0, lt=1, description="how much an attacker believes before, at most")
    gamma: float = Field(gt=0, lt=1, description="how much an attacker may believe after seeing the release")

    @model_validator(mode="after")
    def _grows(self) -> Self:
        if self.d >= self.gamma:
            raise ValueError(
                f"d of {self.name} must be less than gamma, got d={self.d:g} and gamma={self.gamma:g}: a release "
                "reveals something, so the belief after it must be allowed to be stronger than the one before"
            )
        return self

    @property
    def required(self) -> float:
        return self.gamma

    def achieved(self, record: MechanismRecord) -> float:
        """Return the least γ that the chances keep for attackers who believe at most ``d``."""
        kept, beta = _kept(record), record.chances.get("beta", 0.0)
        if beta <= 0 or kept >= 1:
            return inf
        seen = self.d * kept / (self.d * kept + (1 - self.d) * beta)
        return max(seen, self.d / (1 - kept))

    def contradictions(self, record: MechanismRecord) -> Iterator[str]:
        if record.publishes != "tuples":
            yield f"{record.publishes} are stated, and the chances are those of combinations that may be in the data"
        for name in ("alpha", "beta"):
            if not 0 < record.chances.get(name, 0.0) < 1:
                yield f"{name} must be a chance between 0 and 1, stated is {record.chances.get(name, 'nothing')}"
        if (reached := self.achieved(record)) > self.gamma * (1 + NEAR):
            yield f"with these chances a belief of {self.d:g} can become {min(reached, 1):g}, more than {self.gamma:g}"

    def promise(self) -> str:
        return (
            f"who believed with at most {self.d:g} that certain values are in the data, believes it afterwards with at "
            f"most {self.gamma:g}, and not with less than {self.d / self.gamma:.4g} times as much"
        )


def _kept(record: MechanismRecord) -> float:
    """Return the chance that a combination of the data is published."""
    return record.chances.get("alpha", 0.0) + record.chances.get("beta", 0.0)
