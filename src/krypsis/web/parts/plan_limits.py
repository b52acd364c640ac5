"""The limits of the plan: what may be left out, what each column may lose, and what is written."""

from __future__ import annotations

from typing import Any, get_args

from nicegui import ui

from krypsis.data.schema import Role
from krypsis.io.engines.base import Suppressed
from krypsis.kinds.table.plan import PlanColumn, TablePlan
from krypsis.web.parts.forms import as_number
from krypsis.web.parts.frame import heading
from krypsis.web.parts.notices import reports_errors
from krypsis.web.parts.plan_draft import Draft, Edit
from krypsis.web.parts.tables import plain_table
from krypsis.web.texts import say

PER_COLUMN = ("weight", "min_level", "max_level")
FORMATS = ("csv", "parquet")


class LimitForms:
    """Limits and outputs as forms."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.shown = draft.table_plan()
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("plan.limits"))
            self.show()

    def reload(self) -> None:
        """Show what the plan says now, unless that is what the forms say."""
        plan = self.draft.table_plan()
        if _said(plan) != _said(self.shown):
            self.shown = plan
            self.show.refresh()

    @ui.refreshable_method
    def show(self) -> None:
        """Show all limits."""
        plan = self.shown
        with ui.element("div").classes("kr-fields"):
            limit = ui.input(say("plan.suppression"), value=plan.suppression or "")
            limit.props("outlined dense bottom-slots debounce=500").classes("kr-field")
            limit.props["hint"] = say("plan.suppression-text")
            limit.on_value_change(reports_errors(lambda event: self._set("suppression", event.value)))
            kinds = {name: say(f"plan.suppressed-{name}") for name in get_args(Suppressed)}
            kept = ui.select(kinds, value=plan.suppressed, label=say("plan.suppressed"))
            kept.props("outlined dense").classes("kr-field")
            kept.on_value_change(reports_errors(lambda event: self._set("suppressed", event.value)))
            formats = ui.select(
                list(FORMATS), value=list(plan.output.formats), label=say("plan.formats"), multiple=True
            )
            formats.props("outlined dense use-chips").classes("kr-field")
            formats.on_value_change(reports_errors(lambda event: self._set_formats(event.value)))
        with ui.expansion(say("plan.per-column")).classes("kr-fold"):
            self._columns(plan)

    def _columns(self, plan: TablePlan) -> None:
        known = {name: one for name, one in plan.columns.items() if one.role is Role.QUASI_IDENTIFIER}
        head = [say("plan.column"), *(say(f"plan.{key}") for key in PER_COLUMN)]
        rows = [[name, *(self._cell(name, one, key) for key in PER_COLUMN)] for name, one in known.items()]
        ui.label(say("plan.per-column-text")).classes("kr-quiet")
        plain_table(head, rows, say("plan.per-column"))

    def _cell(self, column: str, said: PlanColumn, key: str) -> Any:
        def show() -> None:
            value = getattr(said, key)
            shown = ui.input(value="" if value is None else f"{value:g}")
            shown.props("outlined dense type=number min=0 debounce=500 step=any").classes("kr-small-field")
            shown.props["aria-label"] = say("plan.of-column", what=say(f"plan.{key}"), column=column)
            shown.on_value_change(reports_errors(lambda event: self._set_column(column, key, event.value)))

        return show

    def _set(self, key: str, value: object) -> None:
        given = str(value or "").strip()
        self._apply(lambda plan: plan.set((key,), given) if given else plan.remove((key,)))

    def _set_formats(self, formats: list[str]) -> None:
        wanted = [name for name in FORMATS if name in formats]
        if "output" not in self.draft.plan().model_fields_set:
            self._apply(lambda plan: plan.set(("output",), {"formats": wanted}))
        else:
            self._apply(lambda plan: plan.set(("output", "formats"), wanted))

    def _set_column(self, column: str, key: str, value: object) -> None:
        given = str(value if value is not None else "").strip()
        self._apply(lambda plan: plan.set_column(column, key, as_number(given) if given else None))

    def _apply(self, edit: Edit) -> None:
        self.draft.apply(edit)
        self.shown = self.draft.table_plan()


def _said(plan: TablePlan) -> dict[str, Any]:
    return plan.model_dump(include={"columns", "suppression", "suppressed", "output"})
