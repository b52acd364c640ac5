"""Compute secret cells of a table by the rules that everybody knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from krypsis.algorithms.dependencies.cell_facts import CellFacts
from krypsis.algorithms.dependencies.minimal_blanking import DependencyTask, derivations_of
from krypsis.arrays import BoolArray
from krypsis.attacks.base import Attack, AttackSuccess
from krypsis.data.dependencies import Dependency
from krypsis.data.dependencies.cells import MISSING, ColumnCells
from krypsis.errors import UsageError
from krypsis.io.texts import PLAIN, text_of


@dataclass(frozen=True, eq=False, repr=False)
class DependencyTarget:
    """A table before and after, record by record, with the rules; what is blank in a sensitive column is learned."""

    original: Mapping[str, ColumnCells]
    hidden: Mapping[str, BoolArray]
    """Column → cells that are blank although they had a value."""
    sensitive: tuple[str, ...]
    rules: tuple[Dependency, ...]

    @classmethod
    def of_tables(
        cls,
        original: pl.DataFrame,
        published: pl.DataFrame,
        rules: tuple[Dependency, ...],
        sensitive: tuple[str, ...],
    ) -> DependencyTarget:
        """Return the target of two tables with the same records in the same order."""
        names = published.columns
        before = {name: ColumnCells.of(text_of(original.get_column(name).rename(PLAIN))) for name in names}
        hidden = {
            name: published.get_column(name).is_null().to_numpy() & (before[name].codes != MISSING) for name in names
        }
        return cls(before, hidden, sensitive, rules)

    @classmethod
    def of(cls, target: object) -> DependencyTarget | None:
        """Return the target in a release that still knows the table before; nothing for anything else."""
        if isinstance(target, DependencyTarget):
            return target
        publication: Any = getattr(target, "publication", None)
        rules = getattr(publication, "rules", None)
        before = getattr(target, "before", None)
        if rules is None or before is None or not before.matches_rows:
            return None
        return cls.of_tables(before.table, publication.table, rules, publication.schema.sensitive)

    def before(self) -> DependencyTarget:
        """Return the target as if only what is learned were blank."""
        hidden = {name: self.hidden[name] & (name in self.sensitive) for name in self.hidden}
        return replace(self, hidden=hidden)


@dataclass(frozen=True, eq=False)
class LearnedCells:
    """What an attacker learns about secret cells."""

    targets: int
    computed: int
    """Cells of which the attacker computes the value."""
    expected: float
    """How many guesses are right: the computed values, one of the values that are left, else the most frequent one."""
    guessed: int
    """How many are right by guessing the most frequent value always."""


class RuleInferenceAttack(Attack):
    """Applies the rules to all published cells until nothing new follows, and so computes blank cells.

    References
    ----------
    Farkas, Jajodia, "The inference problem: a survey", SIGKDD Explorations 4(2), 2002.

    Examples
    --------
    >>> from krypsis.data.dependencies import parse_dependency
    >>> table = pl.DataFrame({"zip": ["1", "1", "2", "2"], "city": ["A", "A", "B", "B"]})
    >>> published = table.with_columns(city=pl.Series(["A", None, None, None]))
    >>> target = DependencyTarget.of_tables(table, published, parse_dependency("zip -> city"), ("city",))
    >>> RuleInferenceAttack().find(target).computed
    1
    """

    name: ClassVar[str] = "rule-inference"
    title: ClassVar[str] = "computing cells by rules"
    kind: ClassVar[str] = "dependencies"
    knowledge: ClassVar[str] = "the rules between columns, and how often each value occurs among the secret cells"
    success: ClassVar[str] = (
        "the attacker, who computes a blank cell by the rules and else guesses the most frequent value, has the right "
        "value"
    )
    baseline: ClassVar[str] = "the same attacker without the release, who always guesses the most frequent value"
    reference: ClassVar[str] = "Farkas, Jajodia, The inference problem: a survey, SIGKDD Explorations 4(2), 2002"

    def aimed_at(self, target: object) -> tuple[Self, ...]:
        """Return the attack for tables with dependencies, nothing for anything else."""
        return (self,) if DependencyTarget.of(target) is not None else ()

    def find(self, target: Any) -> LearnedCells:
        """Return what is learned about the blank cells of sensitive columns."""
        aimed = DependencyTarget.of(target)
        if aimed is None:
            raise UsageError(
                f"{self.name} compares with the table before, which a release that was loaded from its files does not "
                "carry; give the plan it was made by"
            )
        hidden = {name: blank for name, blank in aimed.hidden.items() if blank.any() or name in aimed.sensitive}
        task = DependencyTask(cells=aimed.original, secret=hidden, rules=aimed.rules)
        groups = [one.found for one in derivations_of(task)]
        each = [
            _learned(aimed, name, next((found for found in groups if name in found.facts), None))
            for name in aimed.sensitive
        ]
        return LearnedCells(*(sum(figures) for figures in zip(*each, strict=True)))

    def evaluate(self, found: LearnedCells, target: Any) -> AttackSuccess:  # noqa: ARG002  all of it was counted
        """Return how often the attacker has the right value."""
        count = max(found.targets, 1)
        return AttackSuccess.of(
            self.name,
            targets=found.targets,
            rate=found.expected / count,
            baseline=found.guessed / count,
            certain=found.computed,
            cannot_say=("Rules that were not stated, and what is only likely, are not counted.",),
        )


def _learned(aimed: DependencyTarget, name: str, found: CellFacts | None) -> tuple[int, int, float, int]:
    """Return figures of one column: targets, computed, expected and guessed."""
    cells = aimed.original[name]
    rows = np.flatnonzero(aimed.hidden[name])
    if not len(rows):
        return 0, 0, 0.0, 0
    counts = np.bincount(cells.codes[rows])
    usual = int(np.argmax(counts))
    computed, expected = 0, 0.0
    for row in rows.tolist():
        true = int(cells.codes[row])
        known = [] if found is None else found.facts[name][found.profiles.of_record[row]]
        if found is not None and known:
            left = min((found.values[name].members(code) for code in known), key=len)
            computed += len(left) == 1 and true in left
            expected += (true in left) / len(left)
        else:
            expected += true == usual
    return len(rows), computed, expected, int(counts[usual])
