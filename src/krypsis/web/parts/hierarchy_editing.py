"""The hierarchy of one column while it is changed in the browser."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import run, ui

from krypsis.data.hierarchies import TOP, Hierarchy, HierarchySpec, Label, parse_csv, resolve
from krypsis.data.hierarchies import editing as tree_changes
from krypsis.data.hierarchies.order import natural_order
from krypsis.data.schema import Role
from krypsis.errors import KrypsisError
from krypsis.kinds.table.plan import PlanColumn
from krypsis.projects import Project
from krypsis.projects.column_table import ColumnTable
from krypsis.projects.plan_changes import save_hierarchy, set_hierarchy
from krypsis.web.parts.frame import notice, reports_errors
from krypsis.web.texts import say

MOST = 2000
"""How many values a tree may have to be changed by hand."""


class Editing:
    """The column that is chosen, its hierarchy, and what that does; what is right is in the plan at once."""

    def __init__(self, table: ColumnTable) -> None:
        self.project, self.table = table.project, table
        self.column = next(iter(self.columns), "")
        self.counts: Mapping[Label, int] = {}
        self.hierarchy: Hierarchy | None = None
        self.tree: tree_changes.Node | None = None
        """The hierarchy as a tree, unless it has too many values for that."""
        self.effects: tuple[tree_changes.LevelEffect, ...] = ()
        self.problem = ""
        """Why there is no hierarchy."""
        self.is_ready = False
        """Whether the values were looked at."""
        self.before: list[tree_changes.Node] = []
        """The trees that can be returned to."""
        self.views: dict[str, Callable[[], None]] = {}
        """What shows the hierarchy anew, by the name of the view."""

    @property
    def columns(self) -> dict[str, PlanColumn]:
        """The columns that are generalized, and then those whose values may need a hierarchy."""
        said, wanted = self.table.columns, (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
        return {name: one for role in wanted for name, one in said.items() if one.role is role}

    @property
    def spec(self) -> str | dict[str, Any] | None:
        """What the plan says about the hierarchy."""
        said = self.columns[self.column].hierarchy
        return said if isinstance(said, str | dict) else None  # a file holds no objects

    @property
    def is_generalized(self) -> bool:
        """Whether values of the column become more general; those of a sensitive one stay as they are."""
        return self.columns[self.column].role is Role.QUASI_IDENTIFIER

    async def choose(self, column: str) -> None:
        """Turn to another column."""
        self.column, self.before = column, []
        counts = await run.io_bound(self.table.value_counts, column) or {}
        if self.column == column:  # nobody has turned to another one meanwhile
            self.counts = counts
            await self._build(self.spec)
            self.is_ready = True
            self._show()

    async def use_rule(self, spec: Mapping[str, Any]) -> None:
        """Take a kind with its options, if a hierarchy can be made from it."""
        await self._build(dict(spec))
        if not self.problem:
            self.before = []
            set_hierarchy(self.project, self.column, dict(spec))
        self._show(but="rule")

    async def use_tree(self, root: tree_changes.Node) -> None:
        """Take a tree that was changed by hand."""
        hierarchy = tree_changes.hierarchy_of(root, f"hierarchy of {self.column!r}")
        if self.tree is not None:
            self.before.append(self.tree)
        await self._save(hierarchy)

    async def undo(self) -> None:
        """Return to the tree before the last change."""
        if self.before:
            await self._save(tree_changes.hierarchy_of(self.before.pop()))

    async def use_file(self, content: bytes, name: str) -> None:
        """Take a file, if it is a hierarchy of all values.

        Raises
        ------
        HierarchyError
            if it is none, or if it lacks values; nothing has changed then.
        """
        hierarchy = await run.io_bound(parse_csv, content, name)
        if hierarchy is not None:
            self.before = []
            await self._save(hierarchy.covering(self.counts, self.column))

    async def _save(self, hierarchy: Hierarchy) -> None:
        await self._build(hierarchy)
        if self.problem:
            self._show()
            return
        save_hierarchy(self.project, self.column, hierarchy)
        self._show()

    async def _build(self, spec: HierarchySpec) -> None:
        try:
            built = await run.io_bound(_built, spec, self.counts, self.column, self.project)
        except KrypsisError as error:
            self.hierarchy, self.tree, self.effects, self.problem = None, None, (), str(error)
        else:
            self.hierarchy, self.tree, self.effects = built or (None, None, ())
            self.problem = ""

    def _show(self, but: str | None = None) -> None:
        for name, view in self.views.items():
            if name != but:
                view()


def shown_label(label: Label) -> str:
    """Return a label as people see it, also where there is nothing to see."""
    return say("hierarchies.missing") if label is None else label or say("hierarchies.empty")


def _built(
    spec: HierarchySpec, counts: Mapping[Label, int], column: str, project: Project
) -> tuple[Hierarchy, tree_changes.Node | None, tuple[tree_changes.LevelEffect, ...]]:
    values: list[Label] = [*natural_order([value for value in counts if value is not None])]
    hierarchy = resolve(spec, values + [None] * (None in counts), column, project.folder)
    tree = tree_changes.tree_of(hierarchy) if len(hierarchy.values) <= MOST else None
    return hierarchy, tree, tree_changes.effects(hierarchy, counts)


FEW = 40
"""Groups with at most so many values are open at first, and so many nodes of a group are shown at a time."""


class Nodes:
    """A tree as nested lists; at most some nodes of each group are in the browser."""

    def __init__(
        self,
        editing: Editing,
        chose: Callable[[], None],
        dropped: Callable[[tree_changes.Path, tree_changes.Path], Awaitable[None]],
    ) -> None:
        self.editing, self.chose, self.dropped = editing, chose, dropped
        self.chosen: list[tree_changes.Path] = []
        self.folded: dict[tree_changes.Path, bool] = {}
        self.most: dict[tree_changes.Path, int] = {}
        self.dragged: tree_changes.Path | None = None
        self.search = ""
        self.column = editing.column

    def forget(self) -> None:
        """Forget what is chosen; in another column also what is folded and what is looked for."""
        self.chosen, self.dragged = [], None
        if self.column != self.editing.column:
            self.column, self.search = self.editing.column, ""
            self.folded.clear()
            self.most.clear()

    def show(self, root: tree_changes.Node) -> None:
        """Show the tree below a field to search in it."""
        find = ui.input(say("hierarchies.find"), value=self.search).props("outlined dense clearable debounce=300")
        find.classes("kr-field").on_value_change(lambda event: self._look_for(event.value or ""))
        box = ui.element("div").classes("kr-tree").props('role="group" tabindex="-1"')
        box.props["aria-label"] = say("hierarchies.tree")
        with box:
            self.list(root)

    @ui.refreshable_method
    def list(self, root: tree_changes.Node) -> None:
        """Show the nodes."""
        records = _records(root, self.editing.counts)
        with ui.element("ul"):
            self._node(root, (root.label,), records)

    def _node(self, node: tree_changes.Node, path: tree_changes.Path, records: dict[tree_changes.Path, int]) -> None:
        with ui.element("li"):
            with ui.element("div").classes("kr-node") as row:
                self._drag(row, path, is_group=node.is_group)
                if node.is_group:
                    self._fold_button(node, path)
                self._box(node, path, records[path])
            if node.is_group and not self._is_folded(node, path):
                self._below(node, path, records)

    def _below(self, node: tree_changes.Node, path: tree_changes.Path, records: dict[tree_changes.Path, int]) -> None:
        found = [child for child in node.children if self._is_found(child)]
        shown = self.most.get(path, FEW)
        with ui.element("ul"):
            for child in found[:shown]:
                self._node(child, (*path, child.label), records)
            if len(found) > shown:
                with ui.element("li"):
                    more = say("hierarchies.more", count=len(found) - shown)
                    ui.button(more, on_click=lambda: self._show_more(path)).props("flat dense no-caps")

    def _box(self, node: tree_changes.Node, path: tree_changes.Path, records: int) -> None:
        name = shown_label(node.label)
        size = say("hierarchies.size", values=f"{node.leaves:,}", records=f"{records:,}") if node.is_group else ""
        if len(path) == 1 or node.label is None:  # the top and the missing value stay where they are
            ui.label(name).classes("kr-group")
        else:
            box = ui.checkbox(name, value=path in self.chosen, on_change=lambda event: self._choose(path, event.value))
            box.props("dense").classes("kr-group" if node.is_group else "")
        ui.label(size or say("hierarchies.records", records=f"{records:,}")).classes("kr-quiet")

    def _fold_button(self, node: tree_changes.Node, path: tree_changes.Path) -> None:
        is_folded = self._is_folded(node, path)
        button = ui.button(
            icon="chevron_right" if is_folded else "expand_more", on_click=lambda: self._fold(node, path)
        )
        button.props(f'flat dense round size=sm aria-expanded="{str(not is_folded).lower()}"')
        button.props["aria-label"] = say(
            "hierarchies.open" if is_folded else "hierarchies.close", group=str(node.label)
        )

    def _drag(self, row: ui.element, path: tree_changes.Path, *, is_group: bool) -> None:
        """Let a node be dragged, and a group be dropped on; the tools do the same without a mouse."""
        if len(path) > 1 and path[-1] is not None:
            row.props("draggable=true").on("dragstart", lambda: setattr(self, "dragged", path))
        if is_group:
            row.classes("kr-target").on("dragover", js_handler="(event) => event.preventDefault()")
            row.on("drop.prevent", reports_errors(lambda: self._drop(path)))

    async def _drop(self, target: tree_changes.Path) -> None:
        if self.dragged is not None and self.dragged[:-1] != target:
            await self.dropped(self.dragged, target)

    def _choose(self, path: tree_changes.Path, is_chosen: bool) -> None:
        self.chosen = [one for one in self.chosen if one != path] + [path] * is_chosen
        self.chose()

    def _is_folded(self, node: tree_changes.Node, path: tree_changes.Path) -> bool:
        return not self.search and self.folded.get(path, len(path) > 1 and node.leaves > FEW)

    def _fold(self, node: tree_changes.Node, path: tree_changes.Path) -> None:
        self.folded[path] = not self._is_folded(node, path)
        self.list.refresh()

    def _show_more(self, path: tree_changes.Path) -> None:
        self.most[path] = self.most.get(path, FEW) + 5 * FEW
        self.list.refresh()

    def _look_for(self, text: str) -> None:
        self.search = text.strip().casefold()
        self.list.refresh()

    def _is_found(self, node: tree_changes.Node) -> bool:
        return self.search in str(node.label or "").casefold() or any(map(self._is_found, node.children))


def _records(root: tree_changes.Node, counts: object) -> dict[tree_changes.Path, int]:
    """Return how many records lie below each node."""
    known = dict(counts) if isinstance(counts, dict) else {}
    found: dict[tree_changes.Path, int] = {}
    for path, node in reversed(list(root.walk())):
        below = sum(found[*path, child.label] for child in node.children)
        found[path] = below if node.is_group else known.get(node.label, 0)
    return found


class TreeEditor:
    """The tree with its tools; every change is in the plan at once and can be taken back."""

    def __init__(self, editing: Editing) -> None:
        self.editing = editing
        self.nodes = Nodes(editing, self._chosen_others, self._dropped)
        self.show()

    def reload(self) -> None:
        """Show the tree as it is now."""
        self.nodes.forget()
        self.show.refresh()

    @ui.refreshable_method
    def show(self) -> None:
        """Show the tools and the tree, or why there is none."""
        root = self.editing.tree
        if not self.editing.is_ready:
            ui.spinner()
        elif self.editing.hierarchy is None:
            notice(self.editing.problem or say("hierarchies.no-tree"))
            self._start_again()
        elif root is None:
            values = f"{len(self.editing.hierarchy.values):,}"
            notice(say("hierarchies.too-many", values=values, most=f"{MOST:,}"), "warn")
        else:
            ui.label(say("hierarchies.tree-text")).classes("kr-quiet")
            self.tools()
            self.nodes.show(root)

    @ui.refreshable_method
    def tools(self) -> None:
        """Show what can be done with what is chosen."""
        root = self.editing.tree
        if root is None:
            return
        chosen = self.nodes.chosen
        status = say("hierarchies.chosen", count=len(chosen))
        ui.label(status).classes("kr-quiet").props('role="status"')
        with ui.element("div").classes("kr-tools"):
            self.name = ui.input(say("hierarchies.name")).props("outlined dense").classes("kr-field")
            self.name.on("keydown.enter", reports_errors(self._group))
            self._tool("group", "create_new_folder", self._group, is_possible=bool(chosen))
            self._tool("rename", "edit", self._rename, is_possible=self._one_group(root) is not None)
            self._tool("dissolve", "folder_off", self._dissolve, is_possible=self._one_group(root) is not None)
            self._tool("undo", "undo", self.editing.undo, is_possible=bool(self.editing.before))
        with ui.element("div").classes("kr-tools"):
            self._moving(root, is_possible=bool(chosen))

    def _moving(self, root: tree_changes.Node, *, is_possible: bool) -> None:
        groups = [path for path, node in root.walk() if node.is_group]
        options = {number: _place(path) for number, path in enumerate(groups)}
        target = ui.select(options, label=say("hierarchies.target"), with_input=True)
        target.props("outlined dense").classes("kr-field").set_enabled(is_possible)

        async def move() -> None:
            if target.value is not None:
                await self._use(tree_changes.moved(root, self.nodes.chosen, groups[target.value]))

        self._tool("move", "drive_file_move", move, is_possible=is_possible)

    def _tool(self, name: str, icon: str, action: Callable[[], object], *, is_possible: bool) -> None:
        button = ui.button(say(f"hierarchies.{name}"), icon=icon, on_click=reports_errors(action))
        button.props("no-caps outline dense color=primary").classes("kr-tool").set_enabled(is_possible)

    async def _use(self, root: tree_changes.Node) -> None:
        """Take another tree, and stay in it with the keyboard."""
        await self.editing.use_tree(root)
        ui.run_javascript("document.querySelector('.kr-tree')?.focus()")

    async def _group(self) -> None:
        if self.editing.tree is not None:
            await self._use(tree_changes.grouped(self.editing.tree, self.nodes.chosen, self.name.value or ""))

    async def _rename(self) -> None:
        if self.editing.tree is not None and (path := self._one_group(self.editing.tree)) is not None:
            await self._use(tree_changes.renamed(self.editing.tree, path, self.name.value or ""))

    async def _dissolve(self) -> None:
        if self.editing.tree is not None and (path := self._one_group(self.editing.tree)) is not None:
            await self._use(tree_changes.dissolved(self.editing.tree, path))

    async def _dropped(self, dragged: tree_changes.Path, target: tree_changes.Path) -> None:
        """Move what was dragged, and with it all that is chosen if it is chosen itself."""
        chosen = self.nodes.chosen if dragged in self.nodes.chosen else [dragged]
        if self.editing.tree is not None and target not in chosen:
            await self._use(tree_changes.moved(self.editing.tree, chosen, target))

    def _chosen_others(self) -> None:
        self.tools.refresh()

    def _one_group(self, root: tree_changes.Node) -> tree_changes.Path | None:
        """Return the group that is chosen, if it is the only thing."""
        groups = [path for path, node in root.walk() if node.is_group and len(path) > 1]
        chosen = list(self.nodes.chosen)
        return chosen[0] if len(chosen) == 1 and chosen[0] in groups else None

    def _start_again(self) -> None:
        async def start() -> None:
            await self.editing.use_rule({"kind": "flat"})

        ui.button(say("hierarchies.start"), icon="restart_alt", on_click=reports_errors(start)).props("no-caps outline")


def _place(path: tree_changes.Path) -> str:
    """Return a group with what it lies in, as a place to move to."""
    names = [str(label) for label in path if label != TOP or len(path) == 1]
    return say("hierarchies.top", label=names[0]) if len(path) == 1 else " › ".join(names)
