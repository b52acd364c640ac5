"""Tables as a kind of data."""

from __future__ import annotations

from krypsis.kinds.base import Demo, Kind


class TableKind(Kind):
    """One record per row, one value per column."""

    name = "table"
    title = "a table with one record per row"

    def demo(self) -> Demo:
        from krypsis.kinds.table.demo import demo  # noqa: PLC0415  names alone need no frames

        return demo()
