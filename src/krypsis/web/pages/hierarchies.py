"""The page Hierarchies: how the values of each column become more general."""

from __future__ import annotations

from functools import partial

from nicegui import ui

from krypsis.data.hierarchies import describe
from krypsis.data.schema import Role
from krypsis.kinds.table.plan import PlanColumn
from krypsis.kinds.table.profile.propose import wants_file
from krypsis.projects import Project
from krypsis.web.parts.actions import next_step
from krypsis.web.parts.frame import heading
from krypsis.web.parts.hierarchy_editing import Editing
from krypsis.web.parts.hierarchy_effect import EffectView
from krypsis.web.parts.hierarchy_file import show_file
from krypsis.web.parts.hierarchy_rules import KINDS, HierarchyRuleForm
from krypsis.web.parts.hierarchy_tree import TreeEditor
from krypsis.web.parts.notices import notice, reports_errors
from krypsis.web.texts import say

VIEWS = ("rule", "tree", "file")


def show(project: Project) -> None:
    """Show the columns, and the hierarchy of the one that is chosen."""
    ui.label(say("hierarchies.intro")).classes("kr-lead")
    editing = Editing(project)
    if not editing.columns:
        notice(say("hierarchies.none"), "warn")
        next_step(project, "data")
        return
    with ui.element("div").classes("kr-sided"):
        columns = ColumnList(editing)
        with ui.element("div").classes("kr-stack kr-gap"):
            _editor(editing, columns)
            with ui.row().classes("kr-actions"):
                next_step(project, "advisor")
                next_step(project, "plan").props("outline")
    ui.timer(0, reports_errors(lambda: editing.choose(editing.column)), once=True)


def _editor(editing: Editing, columns: ColumnList) -> None:
    with ui.element("section").classes("kr-card kr-stack"):
        title = Title(editing)
        with ui.tabs().props("no-caps inline-label align=left dense") as tabs:
            for name, icon in zip(VIEWS, ("straighten", "account_tree", "description"), strict=True):
                ui.tab(name, label=say(f"hierarchies.view-{name}"), icon=icon)
        with ui.tab_panels(tabs, value=VIEWS[0], animated=False).classes("kr-panels"):
            with ui.tab_panel("rule").classes("kr-stack"):
                rules = HierarchyRuleForm(editing)
            with ui.tab_panel("tree").classes("kr-stack"):
                tree = TreeEditor(editing)
            with ui.tab_panel("file").classes("kr-stack"):
                show_file(editing)
    with ui.element("section").classes("kr-card kr-stack"):
        effect = EffectView(editing)
    editing.views = {
        "title": title.reload,
        "columns": columns.reload,
        "rule": rules.reload,
        "tree": tree.reload,
        "effect": effect.reload,
    }


class Title:
    """The name of the chosen column with what is known about it."""

    def __init__(self, editing: Editing) -> None:
        self.editing = editing
        self.show()

    def reload(self) -> None:
        """Show the column that is chosen now."""
        self.show.refresh()

    @ui.refreshable_method
    def show(self) -> None:
        """Show the title."""
        profile = self.editing.project.profile.column(self.editing.column)
        heading(self.editing.column)
        ui.label(say("hierarchies.facts", distinct=f"{profile.distinct:,}", rows=f"{profile.rows:,}")).classes(
            "kr-quiet"
        )
        if not self.editing.is_generalized:
            notice(say("hierarchies.sensitive"), "warn")


class ColumnList:
    """The columns to choose from, each with the kind of its hierarchy."""

    def __init__(self, editing: Editing) -> None:
        self.editing = editing
        label = say("hierarchies.columns")
        with ui.element("nav").classes("kr-card kr-column-list").props(f'aria-label="{label}"'):
            self.show()

    def reload(self) -> None:
        """Show the columns as the plan has them now."""
        self.show.refresh()

    @ui.refreshable_method
    def show(self) -> None:
        """Show one button per column."""
        for name, said in self.editing.columns.items():
            button = ui.button(on_click=reports_errors(partial(self.editing.choose, name))).props(
                "flat no-caps align=left"
            )
            button.classes("kr-column kr-chosen-column" if name == self.editing.column else "kr-column")
            button.props(f'aria-current="{str(name == self.editing.column).lower()}"')
            with button, ui.element("div").classes("kr-column-text"):
                ui.label(name).classes("kr-name")
                ui.label(self._summary(name, said)).classes("kr-quiet")

    def _summary(self, name: str, said: PlanColumn) -> str:
        if said.role is Role.SENSITIVE and said.hierarchy is None:
            return say("hierarchies.needs-none")
        kind = describe(said.hierarchy)
        words = say(f"hierarchies.kind-{kind}") if kind in KINDS else say("hierarchies.kind-hand")
        is_coarse = kind == "flat" and wants_file(self.editing.project.profile.column(name), {"kind": "flat"})
        return say("hierarchies.coarse", kind=words) if is_coarse else words
