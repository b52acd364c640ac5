"""A verdict says whether a promise holds."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Verdict(BaseModel):
    """What the checker found about one promise.

    ``offending`` is a sample of groups that break it, each as published values with its size.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    promise: str
    """The promise as a spec, such as ``k-anonymity:k=5``."""
    holds: bool
    proven: bool = True
    """Whether what was examined decides it. Of chances nobody can see more than what the publisher tells of them."""
    required: float
    achieved: float
    sentence: str
    offending: tuple[dict[str, object], ...] = ()

    def __bool__(self) -> bool:
        return self.holds
