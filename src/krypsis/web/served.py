"""What the pages and the API of a running server share."""

from __future__ import annotations

from dataclasses import dataclass, field

from krypsis.errors import InternalError
from krypsis.projects import Workspace
from krypsis.web.settings import Settings


@dataclass(frozen=True, eq=False)
class Served:
    """The workspace and the settings of a running server."""

    workspace: Workspace
    settings: Settings = field(default_factory=Settings)


_current: list[Served] = []


def serve(served: Served) -> None:
    """Say what this process serves from now on; there is one server in a process."""
    _current[:] = [served]


def served() -> Served:
    """Return what this process serves."""
    if not _current:
        raise InternalError("no server runs in this process; create_app makes one")
    return _current[0]
