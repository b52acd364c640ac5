"""Sets of items as a kind of data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from krypsis.kinds.base import Demo, Kind

if TYPE_CHECKING:
    from krypsis.dossier import Dossier
    from krypsis.kinds.sets.plan import SetsPlan
    from krypsis.report.blocks import Report


class SetsKind(Kind):
    """Every record is a set of items, such as a basket."""

    name = "transactions"
    title = "sets of items, one per record"

    def recognizes(self, data: object) -> bool:
        from krypsis.transactions import Transactions  # noqa: PLC0415  names alone need no arrays

        return isinstance(data, Transactions)

    def plan_of(self, **keywords: Any) -> SetsPlan:
        from krypsis.kinds.sets.plan import SetsPlan  # noqa: PLC0415  names alone need no methods

        return SetsPlan.of_keywords(**keywords)

    def demo(self) -> Demo:
        from krypsis.kinds.sets.demo import demo  # noqa: PLC0415  names alone need no frames

        return demo()

    def report(self, made: Any, name: str = "", dossier: Dossier | None = None) -> Report:
        from krypsis.kinds.sets.report import sets_report  # noqa: PLC0415  names alone need no frames

        return sets_report(made, name, dossier)
