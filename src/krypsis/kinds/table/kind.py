"""Tables as a kind of data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from krypsis.errors import UsageError
from krypsis.kinds.base import Demo, Kind
from krypsis.kinds.counting import CountAnswer, Where

if TYPE_CHECKING:
    from krypsis.kinds.base import ProposedPlan
    from krypsis.kinds.table.findings import Facts
    from krypsis.plan import Plan
    from krypsis.release.dossier import Dossier
    from krypsis.release.release import Release
    from krypsis.report.blocks import Report, RiskFigures


class TableKind(Kind):
    """One record per row, one value per column."""

    name = "table"
    title = "a table with one record per row"
    model_kinds = ("table", "tables")

    def propose(self, file: Path, data: str, reading: Mapping[str, str | None]) -> ProposedPlan:
        from krypsis.kinds.table.proposal import propose_table  # noqa: PLC0415  names alone need no frames

        return propose_table(file, data, reading)

    def propose_elsewhere(
        self, source: Path | str, data: str, reading: Mapping[str, str | None], engine: str | None
    ) -> ProposedPlan:
        from krypsis.kinds.table.proposal import propose_table  # noqa: PLC0415  names alone need no frames

        return propose_table(source, data, reading, engine)

    def facts(self, plan: Plan) -> Facts:
        from krypsis.kinds.table.findings import Facts  # noqa: PLC0415  questions alone need no frames
        from krypsis.kinds.table.plan import TablePlan  # noqa: PLC0415

        return Facts.of_plan(TablePlan.require(plan))

    def facts_of_file(self, file: Path) -> Facts:
        from krypsis.io.dataset import Dataset  # noqa: PLC0415
        from krypsis.kinds.table.findings import Facts  # noqa: PLC0415  questions alone need no frames

        return Facts.of(Dataset.of(file), None, 1, 0)

    def plan_of(self, roles: Mapping[str, str] | None = None, **keywords: Any) -> Plan:
        from krypsis.kinds.table.plan import TablePlan  # noqa: PLC0415  names alone need no methods

        if roles is None:
            raise UsageError(
                "roles must be a mapping such as {'age': 'quasi-identifier'}, got NoneType; a table needs the role of "
                "each column. For sets of items give krypsis.Transactions, for a graph krypsis.Graph"
            )
        if keywords.pop("sensitive_items", ()):
            raise UsageError("sensitive_items are for sets of items; give a column of a table the role 'sensitive'")
        if keywords.pop("sensitive_edges", ()):
            raise UsageError("sensitive_edges are for graphs; give a column of a table the role 'sensitive'")
        if "dependencies" in keywords:
            from krypsis.kinds.dependencies.plan import DependenciesPlan  # noqa: PLC0415  names alone need no methods

            return DependenciesPlan.of_keywords(roles=roles, **keywords)
        for name in ("secrets", "public", "public_schema"):
            if keywords.pop(name, ()):
                raise UsageError(f"{name} is for ontologies; give a column of a table the role 'sensitive'")
        return TablePlan.of_roles(roles, **keywords)

    def count(self, release: Release, where: Where, domains: Mapping[str, object]) -> CountAnswer:
        from krypsis.kinds.table.counts import count_in_table  # noqa: PLC0415  names alone need no frames

        return count_in_table(release, where, domains)

    def true_count(self, original: Any, where: Where) -> int:
        from krypsis.kinds.table.utility import CountQuery, true_count  # noqa: PLC0415

        return true_count(original.collect(list(where)), CountQuery(where))

    def domains_of(self, plan: Plan, original: Any, queries: Sequence[Where]) -> dict[str, object]:  # noqa: ARG002
        names = {name: None for where in queries for name in where}
        return {name: original.engine.distinct(name) for name in names if name in original.columns}

    def demo(self) -> Demo:
        from krypsis.kinds.table.demo import demo  # noqa: PLC0415  names alone need no frames

        return demo()

    def report(self, made: Any, name: str = "", dossier: Dossier | None = None) -> Report:
        from krypsis.kinds.table.report import table_report  # noqa: PLC0415  names alone need no frames

        return table_report(made, name, dossier)

    def risk(self, release: Release) -> tuple[RiskFigures, ...]:
        from krypsis.kinds.table.report_figures import risk_of  # noqa: PLC0415

        return risk_of(release)
