"""The plan that an advice is meant for, with what its data says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from krypsis.advisor.evidence import Evidence, evidence_of_plan
from krypsis.advisor.findings import Facts, findings, values
from krypsis.advisor.history import earlier_versions
from krypsis.kinds.table.plan import TablePlan
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
        if not isinstance(plan, TablePlan):
            return cls(plan, text, None)
        task = plan.bind(plan.read_data())
        return cls(plan, text, Facts.of(task.dataset, task.schema, 1 + len(task.tables), earlier_versions(plan)))

    @cached_property
    def evidence(self) -> Evidence:
        """What the data says about the questions."""
        if self.facts is None:
            return evidence_of_plan(self.plan)
        return Evidence(findings(self.facts), values(self.facts))

    @property
    def table_plan(self) -> TablePlan:
        """The plan, where it is about a table."""
        return TablePlan.require(self.plan)

    @property
    def table(self) -> Facts:
        """The facts about the table, where there is one."""
        if self.facts is None:
            raise TypeError("a plan about sets of items has no table")
        return self.facts
