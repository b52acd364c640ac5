"""What the two kinds of β-likeness have in common."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray
from krypsis.models.base import TOLERANCE, SensitiveModel


class BetaLikeness(SensitiveModel):
    """Limits how much more frequent a sensitive value is in a group than in the whole table."""

    reference: ClassVar[str] = "Cao, Karras, Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 2012"
    compares_with_whole: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    beta: float = Field(
        gt=0, allow_inf_nan=False, description="largest gain of a value's share in a group, over its share in the whole"
    )

    @property
    def required(self) -> float:
        return self.beta

    def suffices(self, levels: FloatArray) -> BoolArray:
        return levels <= self.beta + TOLERANCE * max(1, self.beta)
