"""Sets of items as a kind of data."""

from __future__ import annotations

from krypsis.kinds.base import Demo, Kind


class SetsKind(Kind):
    """Every record is a set of items, such as a basket."""

    name = "transactions"
    title = "sets of items, one per record"

    def demo(self) -> Demo:
        from krypsis.kinds.sets.demo import demo  # noqa: PLC0415  names alone need no frames

        return demo()
