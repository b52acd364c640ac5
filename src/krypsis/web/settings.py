"""The settings of a server."""

from __future__ import annotations

import ipaddress
import re

from pydantic import BaseModel, ConfigDict, Field

MEGABYTE = 1024**2
LITTLE = 8 * MEGABYTE
FRAME = 64 * 1024
"""What a browser sends around a file."""
FILES = re.compile(r"/api/projects/[^/]+/(?:data|files|checks)(?:/[^/]+)?")
"""Where files are sent to."""


class ServerSettings(BaseModel):
    """How a server behaves."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(default="127.0.0.1", description="the address to listen on")
    port: int = Field(default=8765, ge=0, le=65535)
    token: str | None = Field(default=None, min_length=12, description="what a visitor must know; nothing if none")
    allow_paths: bool = Field(default=False, description="whether visitors may name files and databases to read")
    largest_upload: int = Field(default=2048 * MEGABYTE, ge=1, description="in bytes")
    memory: int = Field(default=8192 * MEGABYTE, ge=256 * MEGABYTE, description="of the process of a job, in bytes")
    workers: int = Field(default=1, ge=1, le=64, description="how many jobs run at the same time")

    @property
    def is_local(self) -> bool:
        """Whether only people who sit at this machine are served."""
        return is_loopback(self.host)

    def most_bytes(self, path: str) -> int:
        """Return how much may be sent to a place: files to where files are taken, a little to anywhere else."""
        is_for_files = path.startswith("/_nicegui/client/") or FILES.fullmatch(path) is not None
        return self.largest_upload + FRAME if is_for_files else LITTLE


def is_loopback(host: str) -> bool:
    """Say whether an address leads to this machine only.

    Examples
    --------
    >>> [is_loopback(host) for host in ("127.0.0.1", "localhost", "[::1]", "0.0.0.0", "localhost.example.com", "")]
    [True, True, True, False, False, False]
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
