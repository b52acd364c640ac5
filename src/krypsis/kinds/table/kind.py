"""Tables as a kind of data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from krypsis.kinds.base import Demo, Kind

if TYPE_CHECKING:
    from krypsis.dossier import Dossier
    from krypsis.release.release import Release
    from krypsis.report.blocks import Report, RiskFigures


class TableKind(Kind):
    """One record per row, one value per column."""

    name = "table"
    title = "a table with one record per row"

    def demo(self) -> Demo:
        from krypsis.kinds.table.demo import demo  # noqa: PLC0415  names alone need no frames

        return demo()

    def report(self, made: Any, name: str = "", dossier: Dossier | None = None) -> Report:
        from krypsis.kinds.table.report import table_report  # noqa: PLC0415  names alone need no frames

        return table_report(made, name, dossier)

    def risk(self, release: Release) -> tuple[RiskFigures, ...]:
        from krypsis.kinds.table.report_figures import risk_of  # noqa: PLC0415

        return risk_of(release)
