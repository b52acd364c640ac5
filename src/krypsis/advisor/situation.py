"""The plan that an advice is meant for, with what its data says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from krypsis.advisor.evidence import Evidence, evidence_of_sets
from krypsis.advisor.findings import Facts, findings, values
from krypsis.advisor.history import earlier_versions
from krypsis.plan import Plan


@dataclass(frozen=True)
class Situation:
    """A plan, its text, and the facts about its table; of sets of items there are no such facts."""

    plan: Plan
    text: str
    facts: Facts | None

    @classmethod
    def of(cls, text: str, folder: Path) -> Situation:
        """Read a plan and look at its data.

        Parameters
        ----------
        text
            of the plan.
        folder
            where the paths in the plan start.
        """
        plan = Plan.parse(text, folder)
        if plan.kind == "transactions":
            return cls(plan, text, None)
        tables = 1 + len(plan.tables)
        return cls(plan, text, Facts.of(plan.dataset(), plan.task().schema, tables, earlier_versions(plan)))

    @cached_property
    def evidence(self) -> Evidence:
        """What the data says about the questions."""
        if self.facts is None:
            return evidence_of_sets(self.plan.transactions(), self.plan.items.sensitive)
        return Evidence(findings(self.facts), values(self.facts))

    @property
    def table(self) -> Facts:
        """The facts about the table, where there is one."""
        if self.facts is None:
            raise TypeError("a plan about sets of items has no table")
        return self.facts
