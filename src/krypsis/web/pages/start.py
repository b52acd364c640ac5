"""The first page: all projects, a new one from a file, and the demo."""

from __future__ import annotations

from krypsis.web.parts.frame import frame
from krypsis.web.texts import say


def show() -> None:
    """Show the page."""
    with frame(say("start.title")):
        pass
