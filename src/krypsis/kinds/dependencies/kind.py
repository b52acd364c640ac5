"""Tables with dependencies as a kind of data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from krypsis.kinds.base import Demo, Kind

if TYPE_CHECKING:
    from krypsis.kinds.base import ProposedPlan
    from krypsis.kinds.dependencies.findings import DependencyFacts
    from krypsis.kinds.dependencies.plan import DependenciesPlan
    from krypsis.plan import Plan
    from krypsis.release.dossier import Dossier
    from krypsis.release.release import Release
    from krypsis.report.blocks import Report


class DependenciesKind(Kind):
    """A table whose cells follow from others, so that hiding a cell alone does not keep it secret."""

    name = "dependencies"
    title = "a table whose cells follow from others by rules"
    model_kinds = ("dependencies",)
    question = "dependent_table"
    shares_files_of = "table"
    suggests_algorithms = False  # there is one

    compares_attacks = True
    reads_like_table = False  # the file does, and what is said about it is something else

    def propose(self, file: Path, data: str, reading: Mapping[str, str | None]) -> ProposedPlan:
        from krypsis.kinds.dependencies.proposal import propose_dependencies  # noqa: PLC0415  names need no frames

        return propose_dependencies(file, data, reading)

    def facts(self, plan: Plan) -> DependencyFacts:
        from krypsis.kinds.dependencies.findings import DependencyFacts  # noqa: PLC0415  questions need no frames
        from krypsis.kinds.dependencies.plan import DependenciesPlan  # noqa: PLC0415

        return DependencyFacts(DependenciesPlan.require(plan).read_data())

    def facts_of_file(self, file: Path) -> DependencyFacts:
        from krypsis.io.dataset import Dataset  # noqa: PLC0415
        from krypsis.kinds.dependencies.findings import DependencyFacts  # noqa: PLC0415  questions need no frames

        return DependencyFacts(Dataset.of(file))

    def next_models(self, usual: Sequence[str]) -> Sequence[str]:  # noqa: ARG002  those are for other tables
        return ("dependency-safety",)

    def plan_of(self, **keywords: Any) -> DependenciesPlan:
        from krypsis.kinds.dependencies.plan import DependenciesPlan  # noqa: PLC0415  names alone need no methods

        return DependenciesPlan.of_keywords(**keywords)

    def with_before(self, release: Release, folder: Path, plan: Plan) -> Release:
        from krypsis.kinds.dependencies.make import with_table_before  # noqa: PLC0415  names alone need no methods

        return with_table_before(release, folder, plan.read_data().collect(release.table.columns))

    def unprotected(self, release: Release) -> object:
        from krypsis.attacks.dependencies import DependencyTarget  # noqa: PLC0415  names alone need no frames

        target = DependencyTarget.of(release)
        return None if target is None else target.before()

    def demo(self) -> Demo:
        from krypsis.kinds.dependencies.demo import demo  # noqa: PLC0415  names alone need no frames

        return demo()

    def report(self, made: Any, name: str = "", dossier: Dossier | None = None) -> Report:
        from krypsis.kinds.dependencies.report import dependency_report  # noqa: PLC0415  names need no frames

        return dependency_report(made, name, dossier)
