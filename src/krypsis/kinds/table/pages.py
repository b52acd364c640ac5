"""What the web pages of tables add to the shared ones: forms of the plan, roles of columns, the table itself.

The table before and after, a page at a time, record by record.
"""

from typing import Any

import polars as pl
from nicegui import run, ui

from krypsis.data.schema import Role
from krypsis.errors import UsageError
from krypsis.kinds.table.plan import TablePlan
from krypsis.kinds.table.plan_fit import Fit, fit_of
from krypsis.plan import Plan
from krypsis.projects.project import Project
from krypsis.projects.published_release import PublishedRelease
from krypsis.web.kind_pages import KindPages
from krypsis.web.pages.attack import show_table_lab
from krypsis.web.parts.frame import heading
from krypsis.web.parts.plan_draft import Draft
from krypsis.web.parts.plan_form import LimitForms, MethodForms, PromiseForms
from krypsis.web.parts.tables import Pager, fill, rows_table
from krypsis.web.texts import say

SIZE = 10
"""Rows of a page: both tables should fit on a screen."""


class BeforeAndAfter:
    """A release next to the table that it was made of: record by record, or page by page where the order is unknown."""

    def __init__(self, release: PublishedRelease) -> None:
        self._release = release
        self._note = ui.label().classes("kr-quiet")
        with ui.element("div").classes("kr-two"):
            self._before, self._after = _side("before"), _side("after")
        self._pager = Pager(release.manifest.rows, self._turn, SIZE)

    async def show(self) -> None:
        """Show the first page."""
        await self._pager.turn_to(0)

    async def _turn(self, start: int, count: int) -> None:
        pages = await run.io_bound(self._pages, start, count)
        if pages is None:  # the server is about to stop
            return
        before, after, are_paired = pages
        self._note.set_text(say("result.paired" if are_paired else "result.not-paired"))
        fill(self._before, before)
        fill(self._after, after, before if are_paired else None)

    def _pages(self, start: int, count: int) -> tuple[pl.DataFrame, pl.DataFrame, bool]:
        release = self._release
        after, paired = release.after(start, count), release.before(start, count)
        if paired is None:
            return release.project.rows(start, count), after, False
        return paired, after, paired.columns == after.columns


def _side(name: str) -> ui.html:
    with ui.element("div").classes("kr-stack"):
        heading(say(f"result.{name}"), 3)
        return rows_table(say(f"result.{name}"))


class TablePages(KindPages):
    """The pages of a table."""

    kind = "table"

    def plan_forms(self, draft: Draft) -> list[Any]:
        """Show the forms of the plan."""
        return [PromiseForms(draft), MethodForms(draft), LimitForms(draft)]

    def fit(self, project: Project, plan: Plan) -> Fit:
        """Return what in promises, roles and hierarchies does not fit the table."""
        if not project.has_table:
            raise UsageError(say("data.no-table"))
        return fit_of(TablePlan.require(plan), project.dataset())

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

    async def show_lab(self, release: PublishedRelease) -> None:
        """Show what an attacker learns who knows some columns of everybody, or some values of a person."""
        await show_table_lab(release)
