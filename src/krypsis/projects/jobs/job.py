"""One job as its file tells of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

State = Literal["waiting", "running", "done", "failed", "cancelled", "lost"]


class Job(BaseModel):
    """A piece of long work and how far it has come.

    Examples
    --------
    >>> job = Job(id="20260102-030405-000000-ab", kind="run", created=datetime(2026, 1, 2, tzinfo=UTC))
    >>> job.state, job.is_over, job.ending("failed", error="there is no plan").is_over
    ('waiting', False, True)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    kind: str = Field(description="what is done: the name of a file in krypsis.projects.jobs.kinds")
    parameters: dict[str, Any] = Field(default_factory=dict)
    state: State = "waiting"
    phase: str = Field(default="", description="of the work: read, encode, search, recode, check, report")
    judged: int = Field(default=0, description="how many nodes of the lattice were judged so far")
    best: float | None = Field(default=None, description="the best score so far; lower is better")
    created: datetime
    started: datetime | None = None
    ended: datetime | None = None
    error: str | None = Field(default=None, description="why it failed, was cancelled or was lost")
    warnings: tuple[str, ...] = ()
    translations: dict[str, dict[str, str]] = Field(
        default_factory=dict, description="language → warning → the same in that language, as far as it is known"
    )
    result: dict[str, Any] = Field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state not in ("waiting", "running")

    def warnings_in(self, language: str) -> tuple[str, ...]:
        """Return the warnings in a language, in English where they are not translated.

        Examples
        --------
        >>> heard = {"warnings": ("a warning",), "translations": {"el": {"a warning": "μια προειδοποίηση"}}}
        >>> job = Job(id="20260102-030405-000000-ab", kind="run", created=datetime(2026, 1, 2, tzinfo=UTC), **heard)
        >>> job.warnings_in("el"), job.warnings_in("en")
        (('μια προειδοποίηση',), ('a warning',))
        """
        known = self.translations.get(language, {})
        return tuple(known.get(warning, warning) for warning in self.warnings)

    def ending(self, state: State, **facts: Any) -> Job:
        """Return the same job at its end."""
        return self.model_copy(update={"state": state, "ended": datetime.now(UTC), **facts})
