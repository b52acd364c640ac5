"""Why a cell followed from others, in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.dependencies.cell_facts import COMBINED, CellDerivations, Fact, Mapped
from krypsis.arrays import IntArray
from krypsis.data.dependencies import FunctionalDependency
from krypsis.data.dependencies.rules import quoted


@dataclass(frozen=True)
class CellStep:
    """One conclusion of a derivation."""

    conclusion: str
    premises: tuple[str, ...]
    sentence: str


@dataclass(frozen=True)
class CellLeak:
    """A secret cell that followed before, why, and what was blanked to prevent that."""

    column: str
    record: int
    """The first of the records that it is true of, from 0 on."""
    records: int
    steps: tuple[CellStep, ...]
    blanked: tuple[str, ...]
    """Cells of the derivation that are blank now."""


def explained(derivations: CellDerivations, goal: int, removed: IntArray, given: IntArray) -> CellLeak:
    """Return why a goal followed from given cells and public mappings, and which of these cells were removed."""
    graph, always = derivations.graph, derivations.always
    support = graph.justification(goal, np.concatenate([given, always]))
    steps = tuple(_step(derivations, firing) for firing in graph.steps(goal, support))
    gone = set(removed.tolist())
    blanked = tuple(words(derivations, derivations.statements[one]) for one in support.tolist() if one in gone)
    column, profile, _ = derivations.statements[goal]
    assert isinstance(column, str)
    assert isinstance(profile, int)
    profiles = derivations.found.profiles
    return CellLeak(column, int(profiles.first_record[profile]), int(profiles.counts[profile]), steps, blanked)


def _step(derivations: CellDerivations, firing: int) -> CellStep:
    statements, graph = derivations.statements, derivations.graph
    conclusion = words(derivations, statements[int(graph.conclusions[firing])])
    premises = tuple(words(derivations, statements[one]) for one in graph.premises_of(firing).tolist())
    rule = derivations.used_rules[firing]
    by = "" if rule == COMBINED else f", by {derivations.found.rules[rule].text}"
    return CellStep(conclusion, premises, f"{conclusion}, because {' and '.join(premises)}{by}")


def words(derivations: CellDerivations, statement: Fact | Mapped) -> str:
    """Return a statement for people: a cell of a record, or that values go together."""
    found = derivations.found
    first, second, code = statement
    if isinstance(first, str):
        assert isinstance(second, int)
        values = found.values[first]
        sign = "=" if code >= 0 else "in"
        return f"{quoted(first)} {sign} {values.text(code)} in record {int(found.profiles.first_record[second]) + 1}"
    rule = found.rules[first]
    assert isinstance(rule, FunctionalDependency)
    assert isinstance(second, tuple)
    left = " and ".join(
        f"{quoted(name)} = {found.values[name].names[one]}" for name, one in zip(rule.left, second, strict=True)
    )
    return f"{left} goes with {quoted(rule.right)} = {found.values[rule.right].names[code]}"
