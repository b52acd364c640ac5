"""What promises about graphs have in common: what an attacker may know about a vertex."""

import re
from abc import ABC, abstractmethod
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from krypsis.models.base import PrivacyModel

FIXPOINT = "refinement"
"""Knowledge of the degrees of all vertices around, however far away."""
NEIGHBORHOOD = "neighborhood"
"""Knowledge of a vertex, its neighbors and the edges among them."""


def _known(value: str) -> str:
    if value not in {FIXPOINT, NEIGHBORHOOD} and not re.fullmatch(r"h[0-9]", value):
        raise ValueError(f"expected h0, h1, … h9, {FIXPOINT} or {NEIGHBORHOOD}, got {value!r}")
    return value


Knowledge = Annotated[str, AfterValidator(_known)]
"""What an attacker knows about a vertex: ``h0`` its published attributes alone, ``h1`` its degree as well, ``h2`` the
degrees of its neighbors, and so on; ``refinement`` all that such refinement can ever show; ``neighborhood`` its
1-neighborhood. Attributes that are quasi-identifiers are always known, too."""


class GraphModel(PrivacyModel, ABC):
    """A promise about a published graph, decided by an attacker's knowledge of a vertex."""

    kind: ClassVar[str] = "graph"
    better: ClassVar[Literal["higher", "lower"]] = "higher"


class CandidatesModel(GraphModel, ABC):
    """A promise that whoever knows something about a vertex finds at least ``k`` vertices that it may be."""

    k: int = Field(ge=1, description="smallest number of vertices that fit what an attacker knows")

    @property
    @abstractmethod
    def knowledge(self) -> str:
        """What the attacker knows, as :data:`Knowledge` names it."""

    @property
    def required(self) -> float:
        return float(self.k)

    @property
    def promised_size(self) -> int | None:
        return self.k
