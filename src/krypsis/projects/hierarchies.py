"""Giving a column of a project a hierarchy: in the plan, and as a file where it was made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from krypsis.data.hierarchies import Hierarchy, Label, format_csv
from krypsis.errors import column_not_found
from krypsis.io.dataset import Dataset
from krypsis.io.private import write_private_files
from krypsis.plan import Plan
from krypsis.plan.plan_text import PlanText
from krypsis.projects.names import slug
from krypsis.projects.project import TABLE, Project

FOLDER = "hierarchies"


def set_hierarchy(project: Project, column: str, spec: str | Mapping[str, Any]) -> Plan:
    """Write the hierarchy of a column into the plan, as a kind with its options or as the name of a file.

    Raises
    ------
    PlanError
        if the plan would not be one; it has not changed then.
    """
    return project.write_plan(str(PlanText(project.plan_text).set_column(column, "hierarchy", spec)))


def save_hierarchy(project: Project, column: str, hierarchy: Hierarchy) -> Plan:
    """Write a hierarchy into a file of the project, and its name into the plan."""
    name = f"{FOLDER}/{_file_name(project, column)}"
    write_private_files({project.inside(name): format_csv(hierarchy).encode()})
    return set_hierarchy(project, column, name)


def _file_name(project: Project, column: str) -> str:
    """Return the file of a column: the one it has, or one that no other column has."""
    columns = project.table_plan().columns
    taken = [one.hierarchy for name, one in columns.items() if name != column]
    number, stem = 1, slug(column)
    while f"{FOLDER}/{stem}.csv" in taken:
        number += 1
        stem = f"{slug(column)}-{number}"
    return f"{stem}.csv"


def value_counts(project: Project, column: str) -> dict[Label, int]:
    """Return how many records have each value of a column, as text; the missing value is ``None``.

    Raises
    ------
    ColumnError
        if there is no such column.
    """
    file = project.folder / TABLE
    known = pl.scan_parquet(file, glob=False).collect_schema().names()
    if column not in known:
        raise column_not_found(column, known)
    frame = pl.read_parquet(file, columns=[known.index(column)], glob=False)
    counted = Dataset.of(frame).collect_texts(column).value_counts(name="records")
    return dict(counted.sort("records", descending=True, maintain_order=True).iter_rows())
