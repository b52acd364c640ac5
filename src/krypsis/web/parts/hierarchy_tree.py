"""A hierarchy by hand: a tree whose nodes are chosen, grouped, moved, renamed and dissolved."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from krypsis.hierarchies import TOP
from krypsis.hierarchies.grouping import dissolved, grouped, moved, renamed
from krypsis.hierarchies.tree import Node, Path
from krypsis.web.parts.hierarchy_editing import MOST, Editing
from krypsis.web.parts.hierarchy_nodes import Nodes
from krypsis.web.parts.notices import notice, told
from krypsis.web.texts import say


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
            self.name.on("keydown.enter", told(self._group))
            self._tool("group", "create_new_folder", self._group, is_possible=bool(chosen))
            self._tool("rename", "edit", self._rename, is_possible=self._one_group(root) is not None)
            self._tool("dissolve", "folder_off", self._dissolve, is_possible=self._one_group(root) is not None)
            self._tool("undo", "undo", self.editing.undo, is_possible=bool(self.editing.before))
        with ui.element("div").classes("kr-tools"):
            self._moving(root, is_possible=bool(chosen))

    def _moving(self, root: Node, *, is_possible: bool) -> None:
        groups = [path for path, node in root.walk() if node.is_group]
        options = {number: _place(path) for number, path in enumerate(groups)}
        target = ui.select(options, label=say("hierarchies.target"), with_input=True)
        target.props("outlined dense").classes("kr-field").set_enabled(is_possible)

        async def move() -> None:
            if target.value is not None:
                await self._use(moved(root, self.nodes.chosen, groups[target.value]))

        self._tool("move", "drive_file_move", move, is_possible=is_possible)

    def _tool(self, name: str, icon: str, action: Callable[[], object], *, is_possible: bool) -> None:
        button = ui.button(say(f"hierarchies.{name}"), icon=icon, on_click=told(action))
        button.props("no-caps outline dense color=primary").classes("kr-tool").set_enabled(is_possible)

    async def _use(self, root: Node) -> None:
        """Take another tree, and stay in it with the keyboard."""
        await self.editing.use_tree(root)
        ui.run_javascript("document.querySelector('.kr-tree')?.focus()")

    async def _group(self) -> None:
        if self.editing.tree is not None:
            await self._use(grouped(self.editing.tree, self.nodes.chosen, self.name.value or ""))

    async def _rename(self) -> None:
        if self.editing.tree is not None and (path := self._one_group(self.editing.tree)) is not None:
            await self._use(renamed(self.editing.tree, path, self.name.value or ""))

    async def _dissolve(self) -> None:
        if self.editing.tree is not None and (path := self._one_group(self.editing.tree)) is not None:
            await self._use(dissolved(self.editing.tree, path))

    async def _dropped(self, dragged: Path, target: Path) -> None:
        """Move what was dragged, and with it all that is chosen if it is chosen itself."""
        chosen = self.nodes.chosen if dragged in self.nodes.chosen else [dragged]
        if self.editing.tree is not None and target not in chosen:
            await self._use(moved(self.editing.tree, chosen, target))

    def _chosen_others(self) -> None:
        self.tools.refresh()

    def _one_group(self, root: Node) -> Path | None:
        """Return the group that is chosen, if it is the only thing."""
        groups = [path for path, node in root.walk() if node.is_group and len(path) > 1]
        chosen = list(self.nodes.chosen)
        return chosen[0] if len(chosen) == 1 and chosen[0] in groups else None

    def _start_again(self) -> None:
        async def start() -> None:
            await self.editing.use_rule({"kind": "flat"})

        ui.button(say("hierarchies.start"), icon="restart_alt", on_click=told(start)).props("no-caps outline")


def _place(path: Path) -> str:
    """Return a group with what it lies in, as a place to move to."""
    names = [str(label) for label in path if label != TOP or len(path) == 1]
    return say("hierarchies.top", label=names[0]) if len(path) == 1 else " › ".join(names)
