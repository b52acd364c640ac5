"""Ontologies as a kind of data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from krypsis.kinds.base import Demo, Kind

if TYPE_CHECKING:
    from krypsis.kinds.base import ProposedPlan
    from krypsis.kinds.ontology.findings import OntologyFacts
    from krypsis.kinds.ontology.plan import OntologyPlan
    from krypsis.plan import Plan
    from krypsis.release.dossier import Dossier
    from krypsis.release.release import Release
    from krypsis.report.blocks import Report


class OntologyKind(Kind):
    """Facts about people together with rules that everybody knows, from which further facts follow."""

    name = "ontology"
    title = "an ontology: facts and rules from which more follows"
    model_kinds = ("ontology",)
    question = "ontology"
    suggests_algorithms = False  # 'auto' finds the one for the size of the problem

    compares_attacks = True

    reading = ("public",)
    reading_files = ("public",)
    reads_like_table = False

    def propose(self, file: Path, data: str, reading: Mapping[str, str | None]) -> ProposedPlan:
        from krypsis.kinds.ontology.proposal import propose_ontology  # noqa: PLC0415  names alone need no frames

        return propose_ontology(file, data, reading)

    def recognizes_file(self, file: Path) -> bool:
        from krypsis.io.ontologies import looks_like_ontology  # noqa: PLC0415

        return looks_like_ontology(file)

    def facts(self, plan: Plan) -> OntologyFacts:
        from krypsis.kinds.ontology.findings import OntologyFacts  # noqa: PLC0415  questions alone need no arrays
        from krypsis.kinds.ontology.plan import OntologyPlan  # noqa: PLC0415

        return OntologyFacts(OntologyPlan.require(plan).read_data())

    def facts_of_file(self, file: Path) -> OntologyFacts:
        from krypsis.io.ontologies import read_ontology  # noqa: PLC0415
        from krypsis.kinds.ontology.findings import OntologyFacts  # noqa: PLC0415  questions alone need no arrays

        return OntologyFacts(read_ontology(file, ignore_unsupported=True))

    def entries_to_fill(self, plan: Plan) -> tuple[str, ...]:
        from krypsis.kinds.ontology.plan import OntologyPlan  # noqa: PLC0415  names alone need no methods

        return () if OntologyPlan.require(plan).secrets else ("secrets",)

    def next_models(self, usual: Sequence[str]) -> Sequence[str]:  # noqa: ARG002  those are for tables
        return ("inference-safety",)

    def recognizes(self, data: object) -> bool:
        from krypsis.data.ontologies import Ontology  # noqa: PLC0415  names alone need no arrays

        return isinstance(data, Ontology)

    def plan_of(self, **keywords: Any) -> OntologyPlan:
        from krypsis.kinds.ontology.plan import OntologyPlan  # noqa: PLC0415  names alone need no methods

        return OntologyPlan.of_keywords(**keywords)

    def with_before(self, release: Release, folder: Path, plan: Plan) -> Release:
        from krypsis.kinds.ontology.make import with_ontology_before  # noqa: PLC0415  names alone need no methods
        from krypsis.kinds.ontology.plan import OntologyPlan  # noqa: PLC0415

        return with_ontology_before(release, folder, OntologyPlan.require(plan).bind(plan.read_data()))

    def unprotected(self, release: Release) -> object:
        from krypsis.attacks.ontologies.base import OntologyTarget  # noqa: PLC0415  names alone need no arrays

        target = OntologyTarget.of(release)
        return None if target is None else target.before()

    def demo(self) -> Demo:
        from krypsis.kinds.ontology.demo import demo  # noqa: PLC0415  names alone need no frames

        return demo()

    def report(self, made: Any, name: str = "", dossier: Dossier | None = None) -> Report:
        from krypsis.kinds.ontology.report import ontology_report  # noqa: PLC0415  names alone need no frames

        return ontology_report(made, name, dossier)
