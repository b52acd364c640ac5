"""What the web pages of tables add to the shared ones: forms of the plan, roles of columns, the table itself."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from krypsis.data.schema import Role
from krypsis.kinds.table.plan import TablePlan
from krypsis.plan import Plan
from krypsis.projects.published_release import PublishedRelease
from krypsis.web.kind_pages import KindPages
from krypsis.web.parts.before_and_after import BeforeAndAfter
from krypsis.web.parts.frame import heading
from krypsis.web.parts.plan_draft import Draft
from krypsis.web.parts.plan_form import LimitForms, MethodForms, PromiseForms
from krypsis.web.texts import say


class TablePages(KindPages):
    """The pages of a table."""

    kind = "table"

    def plan_forms(self, draft: Draft) -> list[Any]:
        """Show the forms of the plan."""
        return [PromiseForms(draft), MethodForms(draft), LimitForms(draft)]

    def run_facts(self, plan: Plan) -> dict[str, str]:
        """Return what happens to the columns, and how many records may be suppressed."""
        table, none = TablePlan.require(plan), say("run.none")
        by_role = {role: [name for name, column in table.columns.items() if column.role is role] for role in Role}
        return {
            say("run.coarser"): ", ".join(by_role[Role.QUASI_IDENTIFIER]) or none,
            say("run.removed"): ", ".join(by_role[Role.IDENTIFIER]) or none,
            say("run.protected"): ", ".join(by_role[Role.SENSITIVE]) or none,
            say("run.limit"): table.suppression or none,
        }

    async def show_result(self, release: PublishedRelease) -> None:
        """Show the published table next to the one before."""
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("result.table"))
            await BeforeAndAfter(release).show()
