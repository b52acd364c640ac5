"""Changes of the plan of a project: the role and the hierarchy of a column."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from krypsis.data.hierarchies import Hierarchy, Label, format_csv
from krypsis.data.schema import Role
from krypsis.errors import column_not_found
from krypsis.io.dataset import Dataset
from krypsis.io.private import write_private_files
from krypsis.kinds.table.plan import PlanColumn
from krypsis.kinds.table.profile.propose import propose_hierarchy
from krypsis.kinds.table.profile.sensitive_promise import expected_groups, propose_promise
from krypsis.models.coverage import without_promise
from krypsis.plan import Plan
from krypsis.plan.plan_text import PlanText
from krypsis.projects.project import TABLE, Project
from krypsis.projects.safe_paths import slug


def give_role(project: Project, name: str, role: Role) -> None:
    """Give a column another role, with what belongs to it.

    A quasi-identifier gets a hierarchy, a sensitive column a promise; both lose these with their role.

    Raises
    ------
    PlanError
        if the plan would be none with this role; it has not changed then.
    """
    text, known = PlanText(project.plan_text), project.table_plan().columns.get(name)
    is_short = known is None or known == PlanColumn(role=known.role)  # it may be written as its role alone
    if is_short:
        text = text.set(("columns", name), {"role": role.value})
    else:
        text = text.set(("columns", name, "role"), role.value)
    has_hierarchy = known is not None and known.hierarchy is not None
    if role is Role.QUASI_IDENTIFIER and not has_hierarchy:
        proposed = propose_hierarchy(project.profile.column(name), project.dataset())
        text = text.set(("columns", name, "hierarchy"), proposed)
    elif role is not Role.QUASI_IDENTIFIER and has_hierarchy:
        text = text.remove(("columns", name, "hierarchy"))
    project.write_plan(str(_with_fitting_promises(project, text, name, role)))


def _with_fitting_promises(project: Project, text: PlanText, name: str, role: Role) -> PlanText:
    """Return the plan with a promise about a column that became sensitive, and without those about one that was."""
    plan = Plan.parse(str(text), project.folder)
    models = plan.models()
    promises = [
        (promise if isinstance(promise, str) else model.spec, model)
        for promise, model in zip(plan.promises, models, strict=True)
    ]
    kept = [
        written for written, model in promises if role is Role.SENSITIVE or getattr(model, "attribute", None) != name
    ]
    if role is Role.SENSITIVE and name in without_promise(models, [name]):
        texts = project.dataset().collect_texts(name)
        kept.append(propose_promise(name, texts, expected_groups(len(texts))).spec)
    return text if len(kept) == len(models) else text.set_promises(kept)


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
    columns = project.planned_columns
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
    return counts_of(frame, column)


def counts_of(frame: pl.DataFrame, column: str) -> dict[Label, int]:
    """Return how many rows of a table have each value of a column, as text, the most frequent first.

    Examples
    --------
    >>> counts_of(pl.DataFrame({"job": ["cook", None, "cook"]}), "job")
    {'cook': 2, None: 1}
    """
    counted = Dataset.of(frame).collect_texts(column).value_counts(name="records")
    return dict(counted.sort("records", descending=True, maintain_order=True).iter_rows())
