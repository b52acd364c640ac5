"""The attack lab: what somebody learns from the data of a project, and what from a release of it."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from krypsis import registry
from krypsis.attacks.base import Attack, AttackSuccess
from krypsis.attacks.exposure import Exposure, TableAttack
from krypsis.attacks.homogeneity import BackgroundKnowledgeAttack, HomogeneityAttack, RuledOut
from krypsis.attacks.linkage import LinkageAttack, RegisterLinkageAttack
from krypsis.checker.evidence import Original
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.data.schema import Role
from krypsis.io.frames import picked
from krypsis.projects.published_release import PublishedRelease
from krypsis.release.release import Release

SHOWN = 5
"""How many exposed people are named."""


def attacks_on(kind: str) -> dict[str, type[Attack]]:
    """Return the attacks on data of a kind that need nothing but a release.

    Examples
    --------
    >>> sorted(attacks_on("transactions"))
    ['cover']
    """
    return {
        name: cls
        for name, cls in registry.classes("attack").items()
        if cls.kind == kind and not any(field.is_required() for field in cls.model_fields.values())
    }


@dataclass(frozen=True)
class Knowledge:
    """What an attacker knows: some columns of everybody, and what they can rule out."""

    known: tuple[str, ...]
    sensitive: str
    """The column that they want to learn; without one they only look for records."""
    ruled_out: RuledOut = 1
    certainty: float = 1.0


@dataclass(frozen=True, eq=False)
class AttackTrial:
    """An attack on the data and the same attack on the release, with some of the exposed records of each."""

    attack: TableAttack
    before: Exposure
    after: Exposure
    success_before: AttackSuccess
    success_after: AttackSuccess
    people_before: pl.DataFrame
    people_after: pl.DataFrame


@dataclass(frozen=True)
class PersonFit:
    """What one person's known values lead to: how many records fit, and the most likely value among them."""

    matches: int
    value: Label = None
    share: float | None = None


@dataclass(frozen=True, eq=False)
class Lab:
    """The data of a project and one of its releases, to be attacked alike."""

    release: PublishedRelease

    @property
    def columns(self) -> list[str]:
        """The columns that an attacker may know: those of the data that the release reveals something about."""
        names = self.release.project.profile.columns
        return [column.name for column in names if column.name in self.release.columns]

    @property
    def roles(self) -> Mapping[str, Role]:
        """The roles of the published columns, also of those published separately."""
        return self.release.manifest.schema_of_columns.roles

    def try_attacks(self, knowledge: Knowledge) -> list[AttackTrial]:
        """Try the attacks that fit what the attacker knows, on both tables.

        Raises
        ------
        UsageError
            if what is wanted is known already, or the release is none of records.
        """
        table, release = self.release.project.dataset().collect(), Release.load(self.release.folder)
        kept = [name for name in table.columns if name in release.table.columns]
        trials = []
        for attack in _attacks(knowledge):
            before, after = attack.find(table), attack.find(release)
            success = attack.evaluate(before, table), attack.evaluate(after, release)
            exposed = picked(table, kept)[list(before.sample)], release.table[list(after.sample)]
            trials.append(AttackTrial(attack, before, after, *success, *exposed))
        return trials

    def try_person(self, values: Mapping[str, Label], sensitive: str) -> tuple[PersonFit, PersonFit]:
        """Look for one person of whom some values are known, in the data and in the release."""
        project = self.release.project
        table, published = project.dataset().collect(), Release.load(self.release.folder).table
        plan = project.table_plan()
        specs = {name: plan.columns[name].hierarchy for name in values if name in plan.columns}
        known = {name: spec for name, spec in specs.items() if spec is not None}
        hierarchies = Original.of(picked(table, values), known, project.folder).hierarchies
        person = pl.DataFrame(
            {name: [value] for name, value in values.items()}, schema=dict.fromkeys(values, pl.String)
        )
        return _fit(table, person, sensitive, {}), _fit(published, person, sensitive, hierarchies)


def _attacks(knowledge: Knowledge) -> list[TableAttack]:
    limits = {"known": knowledge.known, "certainty": knowledge.certainty, "sample": SHOWN}
    attacks: list[TableAttack] = [registry.build(LinkageAttack, limits)]
    if knowledge.sensitive:
        learning = {**limits, "sensitive": knowledge.sensitive}
        attacks.append(registry.build(HomogeneityAttack, learning))
        attacks.append(registry.build(BackgroundKnowledgeAttack, {**learning, "ruled_out": knowledge.ruled_out}))
    return attacks


def _fit(table: pl.DataFrame, person: pl.DataFrame, sensitive: str, hierarchies: Mapping[str, Hierarchy]) -> PersonFit:
    wanted = sensitive if sensitive in table.columns else None
    attack = RegisterLinkageAttack(
        persons=person, known=tuple(person.columns), sensitive=wanted, hierarchies=hierarchies
    )
    return PersonFit(**attack.find(table).row(0, named=True))
