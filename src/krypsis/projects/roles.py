"""Another role for a column, written into the plan of a project."""

from __future__ import annotations

from krypsis.plan.editing import with_value, without
from krypsis.plan.parts import Column
from krypsis.profile.propose import propose_hierarchy
from krypsis.projects.project import Project
from krypsis.schema import Role


def give_role(project: Project, name: str, role: Role) -> None:
    """Give a column another role; a quasi-identifier gets a hierarchy, and loses it with its role.

    Raises
    ------
    PlanError
        if the plan would be none with this role; it has not changed then.
    """
    text, known = project.plan_text, project.plan().columns.get(name)
    is_short = known is None or known == Column(role=known.role)  # it may be written as its role alone
    if is_short:
        text = with_value(text, ("columns", name), {"role": role.value})
    else:
        text = with_value(text, ("columns", name, "role"), role.value)
    has_hierarchy = known is not None and known.hierarchy is not None
    if role is Role.QUASI_IDENTIFIER and not has_hierarchy:
        proposed = propose_hierarchy(project.profile.column(name), project.dataset())
        text = with_value(text, ("columns", name, "hierarchy"), proposed)
    elif role is not Role.QUASI_IDENTIFIER and has_hierarchy:
        text = without(text, ("columns", name, "hierarchy"))
    project.write_plan(text)
