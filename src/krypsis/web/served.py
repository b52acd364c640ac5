"""What the pages and the API of a running server share.

The settings of a server.
"""

import ipaddress
import os
import re
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import BaseModel, ConfigDict, Field

from krypsis.errors import InternalError
from krypsis.projects import Workspace
from krypsis.projects.jobs import Queue

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


@dataclass(frozen=True, eq=False)
class Served:
    """The workspace, the settings and the jobs of a running server."""

    workspace: Workspace
    settings: ServerSettings = field(default_factory=ServerSettings)

    @cached_property
    def queue(self) -> Queue:
        """The queue of jobs; whoever has used it closes it."""
        return Queue(self.workspace, workers=self.settings.workers, memory=self.settings.memory)

    def delete(self, name: str) -> None:
        """Delete a project with all its data, and end its jobs first."""
        with self.queue.cleared(name):
            aside = self.workspace.set_aside(name)
        self.workspace.remove(aside)

    def discreet(self, text: str) -> str:
        """Return a message without the place of the workspace on this machine, which is no business of visitors."""
        return text.replace(f"{self.workspace.root}{os.sep}", "")

    def close(self) -> None:
        """Bring the jobs to an end."""
        if "queue" in self.__dict__:
            self.queue.close()

    def kill(self) -> None:
        """End the processes of all jobs at once."""
        if "queue" in self.__dict__:
            self.queue.kill()


_current: list[Served] = []


def serve(served: Served) -> None:
    """Say what this process serves from now on; there is one server in a process."""
    _current[:] = [served]


def served() -> Served:
    """Return what this process serves."""
    if not _current:
        raise InternalError("no server runs in this process; create_app makes one")
    return _current[0]
