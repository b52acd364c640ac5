"""Tables that change as a kind of data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from krypsis.kinds.base import Demo, Kind

if TYPE_CHECKING:
    from krypsis.dossier import Dossier
    from krypsis.report.blocks import Report


class HistoryKind(Kind):
    """A table that changes and is published again and again."""

    name = "history"
    title = "a table that changes and is published again and again"

    def demo(self) -> Demo | None:
        return None

    def report(self, made: Any, name: str = "", dossier: Dossier | None = None) -> Report:
        from krypsis.kinds.history.report import version_report  # noqa: PLC0415  names alone need no frames

        return version_report(made, name, dossier)
