"""What is published of a table with dependencies: the table with blank cells, and the rules that everybody knows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from krypsis.checker.base import Given, names_of
from krypsis.checker.dependencies import check_dependencies
from krypsis.checker.disclosure import Disclosure
from krypsis.data.dependencies import Dependency, FunctionalDependency
from krypsis.format.claims import Claims, PublicRule
from krypsis.kinds.dependencies.check import stated_rules
from krypsis.kinds.dependencies.summary import sections
from krypsis.kinds.table.publication import GeneralizedTable
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.release.provenance import Before

if TYPE_CHECKING:
    from krypsis.release.release import Release


@dataclass(frozen=True, eq=False, repr=False)
class DependentTablePublication(GeneralizedTable):
    """A table in random order, some of whose cells are blank; with the rules, so that anybody can repeat the check."""

    kind = "dependencies"
    holds_records: ClassVar[bool] = False

    rules: tuple[Dependency, ...] = field(default=(), kw_only=True)

    def claims(self) -> dict[str, Any]:
        stated = tuple(PublicRule(rule=rule.text, mapping=_mapping(rule)) for rule in self.rules)
        return {**super().claims(), "quasi_identifier_sets": (), "dependencies": stated}

    def check(self, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
        rules = self.rules if given.dependencies is None else given.dependencies
        sensitive = self.schema.sensitive if given.sensitive is None else names_of(given.sensitive)
        secrets = given.secret_cells or ()
        return check_dependencies(self.table, models, rules=rules, sensitive=sensitive, secrets=secrets)

    def disclosures(self, models: Sequence[PrivacyModel], before: Before) -> tuple[Disclosure, ...]:  # noqa: ARG002
        return ()

    def summary(self, release: "Release") -> Mapping[str, Iterable[str]]:
        return sections(release)

    @classmethod
    def _further_parts(cls, folder: Path, claims: Claims) -> dict[str, Any]:
        return {"rules": stated_rules(claims, folder)}


def _mapping(rule: Dependency) -> tuple[tuple[str, ...], ...]:
    return rule.mapping if isinstance(rule, FunctionalDependency) else ()
