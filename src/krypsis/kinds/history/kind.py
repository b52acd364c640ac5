"""Tables that change as a kind of data."""

from __future__ import annotations

from krypsis.kinds.base import Demo, Kind


class HistoryKind(Kind):
    """A table that changes and is published again and again."""

    name = "history"
    title = "a table that changes and is published again and again"

    def demo(self) -> Demo | None:
        return None
