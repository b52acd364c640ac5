"""The table whose columns a plan gives roles and hierarchies: the data itself, or the attributes of vertices."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from krypsis.data.hierarchies import Label
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.plan import PlanColumn
from krypsis.kinds.table.profile.column import ColumnProfile, profile_column
from krypsis.projects.plan_changes import counts_of, value_counts
from krypsis.projects.project import Project


@dataclass(frozen=True, repr=False, eq=False)
class ColumnTable:
    """The columns of a project that may have hierarchies, with what is in them."""

    project: Project
    attributes: pl.DataFrame | None
    """What is known about vertices; nothing where the data is a table, which may be too large to be held."""

    @classmethod
    def of(cls, project: Project) -> "ColumnTable":
        """Read what is known about vertices, where the data is no table."""
        return cls(project, None if project.has_table else project.plan().attribute_table())

    @property
    def columns(self) -> Mapping[str, PlanColumn]:
        """What the plan says about the columns that are there."""
        is_there = (
            {one.name for one in self.project.profile.columns} if self.attributes is None else self.attributes.columns
        )
        return {name: one for name, one in self.project.planned_columns.items() if name in is_there}

    def profile(self, name: str) -> ColumnProfile:
        """Return what is known about a column."""
        if self.attributes is None:
            return self.project.profile.column(name)
        return profile_column(name, self.dataset().collect_texts(name))

    def dataset(self) -> Dataset:
        """Return the table."""
        return self.project.dataset() if self.attributes is None else Dataset.of(self.attributes)

    def value_counts(self, name: str) -> dict[Label, int]:
        """Return how many records have each value of a column, as text; the missing value is ``None``."""
        if self.attributes is None:
            return value_counts(self.project, name)
        return counts_of(self.attributes.select(name), name)
