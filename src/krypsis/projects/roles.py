"""Another role for a column, written into the plan of a project."""

from __future__ import annotations

from krypsis.data.schema import Role
from krypsis.kinds.table.plan import PlanColumn
from krypsis.kinds.table.profile.propose import propose_hierarchy
from krypsis.kinds.table.profile.sensitive_promise import expected_groups, propose_promise
from krypsis.models.coverage import without_promise
from krypsis.plan.plan import Plan
from krypsis.plan.plan_text import PlanText
from krypsis.projects.project import Project


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
