"""The plan that an advice is meant for, with what its data says."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from krypsis.data.schema import Schema
from krypsis.errors import UsageError
from krypsis.kinds.base import DataEvidence, DataFacts, Kind, kind_named
from krypsis.kinds.table.findings import Facts
from krypsis.kinds.table.plan import TablePlan
from krypsis.plan import Plan


@dataclass(frozen=True)
class Situation:
    """A plan, its text, and the facts about its data."""

    plan: Plan
    text: str
    facts: DataFacts

    @classmethod
    def of(cls, text: str, folder: Path) -> "Situation":
        """Read a plan and look at its data.

        Parameters
        ----------
        text
            of the plan.
        folder
            where the paths in the plan start.
        """
        plan = Plan.parse(text, folder)
        return cls(plan, text, kind_named(plan.kind).facts(plan))

    @property
    def kind(self) -> Kind:
        """The kind of the data."""
        return kind_named(self.plan.kind)

    @cached_property
    def evidence(self) -> DataEvidence:
        """What the data says about the questions."""
        return self.facts.evidence

    @property
    def table_plan(self) -> TablePlan:
        """The plan, where it is about a table."""
        return TablePlan.require(self.plan)

    @property
    def schema(self) -> Schema | None:
        """The roles of the columns, where the data has columns."""
        return self.facts.schema if isinstance(self.facts, Facts) else None

    @property
    def table(self) -> Facts:
        """The facts about the table, for promises that are about tables."""
        if not isinstance(self.facts, Facts):
            raise UsageError(TablePlan.refusal(self.plan.about, self.plan.kind))
        return self.facts
