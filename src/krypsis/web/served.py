"""What the pages and the API of a running server share."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property

from krypsis.errors import InternalError
from krypsis.projects import Workspace
from krypsis.projects.jobs import Queue
from krypsis.web.settings import ServerSettings


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
