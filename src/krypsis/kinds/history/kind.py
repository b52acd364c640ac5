"""Tables that change as a kind of data."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from krypsis.kinds.base import Demo, Kind

if TYPE_CHECKING:
    from krypsis.kinds.base import ProposedPlan
    from krypsis.kinds.table.findings import Facts
    from krypsis.release.dossier import Dossier
    from krypsis.report.blocks import Report


class HistoryKind(Kind):
    """A table that changes and is published again and again.

    Its plan is the one of a table: roles, hierarchies and promises are those of every version.
    """

    name = "history"
    title = "a table that changes and is published again and again"
    model_kinds = ("history",)
    planned_as = (
        "A table that changes is planned as a table: leave out 'kind', and publish it by 'krypsis history init DATA "
        "--plan plan.yaml'."
    )

    def propose(self, file: Path, data: str, reading: Mapping[str, str | None]) -> "ProposedPlan":
        from krypsis.kinds.history.proposal import propose_history  # noqa: PLC0415  names alone need no frames

        return propose_history(file, data, reading)

    def facts_of_file(self, file: Path) -> "Facts":
        from krypsis.io.dataset import Dataset  # noqa: PLC0415
        from krypsis.kinds.table.findings import Facts  # noqa: PLC0415  questions alone need no frames

        return Facts.of(Dataset.of(file), None, 1, 1)

    def demo(self) -> Demo:
        from krypsis.kinds.history.demo import demo  # noqa: PLC0415  names alone need no frames

        return demo()

    def report(self, made: Any, name: str = "", dossier: "Dossier | None" = None) -> "Report":
        from krypsis.kinds.history.report import version_report  # noqa: PLC0415  names alone need no frames

        return version_report(made, name, dossier)
