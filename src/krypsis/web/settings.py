"""The settings of a server."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

MEGABYTE = 1024**2


class Settings(BaseModel):
    """How a server behaves."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(default="127.0.0.1", description="the address to listen on")
    port: int = Field(default=8765, ge=0, le=65535)
    token: str | None = Field(default=None, min_length=12, description="what a visitor must know; none on this machine")
    largest_upload: int = Field(default=2048 * MEGABYTE, ge=1, description="in bytes")
    memory: int = Field(default=8192 * MEGABYTE, ge=256 * MEGABYTE, description="of the process of a job, in bytes")
    workers: int = Field(default=1, ge=1, le=64, description="how many jobs run at the same time")

    @property
    def is_local(self) -> bool:
        """Whether only people who sit at this machine are served; they may name files that lie on it."""
        return self.host in ("127.0.0.1", "::1", "localhost")
