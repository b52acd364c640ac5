"""The page Hierarchies: how the values of each column become more general."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from nicegui import run, ui
from nicegui.elements.upload_files import FileUpload

from krypsis.data.hierarchies import HierarchyBuilder, Label, describe, format_csv
from krypsis.data.hierarchies.resolve import builders
from krypsis.data.schema import Role
from krypsis.errors import HierarchyError
from krypsis.kinds.table.plan import PlanColumn
from krypsis.kinds.table.profile.propose import propose_hierarchy, wants_file
from krypsis.projects import Project
from krypsis.projects.column_table import ColumnTable
from krypsis.projects.safe_paths import slug
from krypsis.specs import split_list, unquoted
from krypsis.web.parts.forms import FormField, as_number, fields_of, show_field
from krypsis.web.parts.frame import heading, next_step, notice, reports_errors
from krypsis.web.parts.hierarchy_editing import Editing, TreeEditor, shown_label
from krypsis.web.parts.tables import plain_table
from krypsis.web.parts.uploads import file_drop
from krypsis.web.texts import say

VIEWS = ("rule", "tree", "file")


async def show(project: Project) -> None:
    """Show the columns, and the hierarchy of the one that is chosen."""
    ui.label(say("hierarchies.intro")).classes("kr-lead")
    table = await run.io_bound(ColumnTable.of, project)
    if table is None:  # the server is about to stop
        return
    editing = Editing(table)
    if not editing.columns:
        notice(say("hierarchies.none"), "warn")
        next_step(project, "data" if project.has_table else "plan")
        return
    with ui.element("div").classes("kr-sided"):
        columns = ColumnList(editing)
        with ui.element("div").classes("kr-stack kr-gap"):
            _editor(editing, columns)
            with ui.row().classes("kr-actions"):
                next_step(project, "advisor")
                next_step(project, "plan").props("outline")
    ui.timer(0, reports_errors(lambda: editing.choose(editing.column)), once=True)


def _editor(editing: Editing, columns: "ColumnList") -> None:
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
        profile = self.editing.table.profile(self.editing.column)
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
        is_coarse = kind == "flat" and wants_file(self.editing.table.profile(name), {"kind": "flat"})
        return say("hierarchies.coarse", kind=words) if is_coarse else words


HEAD = ("level", "distinct", "smallest", "alone", "examples")


class EffectView:
    """The effect of the hierarchy of the chosen column, shown anew with every change."""

    def __init__(self, editing: Editing) -> None:
        self.editing = editing
        self.show()

    def reload(self) -> None:
        """Show the effect as it is now."""
        self.show.refresh()

    @ui.refreshable_method
    def show(self) -> None:
        """Show one line per level."""
        heading(say("hierarchies.effect"))
        if not self.editing.is_ready:
            with ui.row().classes("items-center"):
                ui.spinner()
                ui.label(say("hierarchies.looking")).props('role="status"')
            return
        if self.editing.problem:
            notice(self.editing.problem)
            return
        ui.label(say("hierarchies.effect-text")).classes("kr-quiet")
        rows = [
            [str(one.level), f"{one.distinct:,}", f"{one.smallest:,}", f"{one.alone:,}", _examples(one.examples)]
            for one in self.editing.effects
        ]
        plain_table([say(f"hierarchies.{name}") for name in HEAD], rows, say("hierarchies.effect"), numbers=(1, 2, 3))


def _examples(labels: tuple[Label, ...]) -> str:
    return " · ".join(map(shown_label, labels))


LARGEST = 50 * 1024**2


def show_file(editing: Editing) -> None:
    """Show the place for a file, and the button that sends one."""
    ui.label(say("hierarchies.file-text")).classes("kr-quiet")

    async def take(file: FileUpload) -> None:
        if file.size() > LARGEST:
            raise HierarchyError(say("hierarchies.file-too-large", size=LARGEST // 1024**2))
        await editing.use_file(await file.read(), file.name)
        ui.notify(say("hierarchies.taken", column=editing.column), type="positive")

    def send() -> None:
        if editing.hierarchy is None:
            raise HierarchyError(editing.problem or say("hierarchies.no-tree"))
        ui.download.content(format_csv(editing.hierarchy).encode(), f"{slug(editing.column)}.csv", "text/csv")

    file_drop(say("hierarchies.upload"), take, accept=".csv,.txt")
    with ui.row().classes("kr-actions"):
        ui.button(say("hierarchies.download"), icon="download", on_click=reports_errors(send)).props("no-caps outline")


KINDS = ("intervals", "dates", "masking", "order", "flat", "icd9")
WAYS = ("width", "cuts", "quantiles")
"""The ways to say what the intervals are; only one of them is given."""
USUAL_QUANTILES = "8"


class HierarchyRuleForm:
    """The form of a rule; each change that makes a hierarchy is in the plan at once."""

    def __init__(self, editing: Editing) -> None:
        self.editing = editing
        self._read()
        self.show()

    def reload(self) -> None:
        """Show the rule that the plan names."""
        self._read()
        self.show.refresh()

    def _read(self) -> None:
        spec = self.editing.spec
        given = spec if isinstance(spec, Mapping) else {"kind": spec or "flat"}
        self.kind = str(given.get("kind", "")) if given.get("kind") in KINDS else ""
        self.values = {key: _text(value) for key, value in given.items() if key != "kind"} if self.kind else {}
        self.way = next((way for way in WAYS if way in self.values), "width")

    @ui.refreshable_method
    def show(self) -> None:
        """Show the kind and its options."""
        options = {kind: say(f"hierarchies.kind-{kind}") for kind in KINDS}
        select = ui.select(options, value=self.kind or None, label=say("hierarchies.kind"))
        select.props("outlined dense").classes("kr-field-wide")
        select.on_value_change(reports_errors(lambda event: self._choose(event.value)))
        if not self.kind:
            ui.label(say("hierarchies.by-hand")).classes("kr-quiet")
            return
        ui.label(say(f"hierarchies.text-{self.kind}")).classes("kr-quiet")
        if self.kind == "intervals":
            self._ways()
        with ui.element("div").classes("kr-fields"):
            for field in self._fields():
                label, meaning = (say(f"hierarchies.{part}-{field.name}") for part in ("label", "option"))
                value = self.values.get(field.name, "")
                show_field(field, value, reports_errors(self._change), label=label, meaning=meaning)

    def _ways(self) -> None:
        ways = {way: say(f"hierarchies.way-{way}") for way in WAYS}
        radio = ui.radio(ways, value=self.way).props("inline")
        radio.props["aria-label"] = say("hierarchies.way")
        radio.on_value_change(reports_errors(lambda event: self._turn(event.value)))

    def _fields(self) -> list[FormField]:
        hidden = {way for way in WAYS if way != self.way} | ({"origin"} if self.way != "width" else set())
        found = fields_of(builders()[self.kind])
        return [field for field in found if self.kind != "intervals" or field.name not in hidden]

    async def _choose(self, kind: str) -> None:
        self.kind = kind
        self.values = await run.io_bound(_usual, kind, self.editing) or {}
        self.way = next((way for way in WAYS if way in self.values), "width")
        self.show.refresh()
        await self._use()

    async def _turn(self, way: str) -> None:
        self.way = way
        self.values = {key: value for key, value in self.values.items() if key not in (*WAYS, "origin")}
        if way == "quantiles":
            self.values[way] = USUAL_QUANTILES
        self.show.refresh()
        await self._use()

    async def _change(self, name: str, value: str) -> None:
        self.values[name] = value
        await self._use()

    async def _use(self) -> None:
        cls = builders()[self.kind]
        given = {key: _content(cls, key, value) for key, value in self.values.items() if value != ""}
        await self.editing.use_rule({"kind": self.kind, **given})


def _usual(kind: str, editing: Editing) -> dict[str, str]:
    """Return options that fit the column, for kinds that cannot do without."""
    column = editing.table.profile(editing.column)
    proposed = propose_hierarchy(column, editing.table.dataset())
    if proposed["kind"] == kind:
        return {key: _text(value) for key, value in proposed.items() if key != "kind"}
    if kind == "dates" and column.date_format:
        return {"format": column.date_format}
    return {"quantiles": USUAL_QUANTILES} if kind == "intervals" else {}


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _content(cls: type[HierarchyBuilder], key: str, value: str) -> Any:
    """Return an option as a plan writes it: lists as lists, numbers without quotes."""
    schema = cls.model_json_schema()["properties"][key]
    kinds = schema.get("anyOf", [schema])
    if any(kind.get("type") == "array" for kind in kinds):
        return [as_number(unquoted(part)) for part in split_list(value) if part]
    return as_number(value) if any(kind.get("type") in ("integer", "number") for kind in kinds) else value
