"""The nodes of a tree: choose them, fold groups, drag nodes into groups."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from krypsis.hierarchies.tree import Node, Path
from krypsis.web.parts.hierarchy_editing import Editing, shown_label
from krypsis.web.parts.notices import told
from krypsis.web.texts import say

FEW = 40
"""Groups with at most so many values are open at first, and so many nodes of a group are shown at a time."""


class Nodes:
    """A tree as nested lists; at most some nodes of each group are in the browser."""

    def __init__(
        self, editing: Editing, chose: Callable[[], None], dropped: Callable[[Path, Path], Awaitable[None]]
    ) -> None:
        self.editing, self.chose, self.dropped = editing, chose, dropped
        self.chosen: list[Path] = []
        self.folded: dict[Path, bool] = {}
        self.most: dict[Path, int] = {}
        self.dragged: Path | None = None
        self.search = ""
        self.column = editing.column

    def forget(self) -> None:
        """Forget what is chosen; in another column also what is folded and what is looked for."""
        self.chosen, self.dragged = [], None
        if self.column != self.editing.column:
            self.column, self.search = self.editing.column, ""
            self.folded.clear()
            self.most.clear()

    def show(self, root: Node) -> None:
        """Show the tree below a field to search in it."""
        find = ui.input(say("hierarchies.find"), value=self.search).props("outlined dense clearable debounce=300")
        find.classes("kr-field").on_value_change(lambda event: self._look_for(event.value or ""))
        box = ui.element("div").classes("kr-tree").props('role="group" tabindex="-1"')
        box.props["aria-label"] = say("hierarchies.tree")
        with box:
            self.list(root)

    @ui.refreshable_method
    def list(self, root: Node) -> None:
        """Show the nodes."""
        records = _records(root, self.editing.counts)
        with ui.element("ul"):
            self._node(root, (root.label,), records)

    def _node(self, node: Node, path: Path, records: dict[Path, int]) -> None:
        with ui.element("li"):
            with ui.element("div").classes("kr-node") as row:
                self._drag(row, path, is_group=node.is_group)
                if node.is_group:
                    self._fold_button(node, path)
                self._box(node, path, records[path])
            if node.is_group and not self._is_folded(node, path):
                self._below(node, path, records)

    def _below(self, node: Node, path: Path, records: dict[Path, int]) -> None:
        found = [child for child in node.children if self._is_found(child)]
        shown = self.most.get(path, FEW)
        with ui.element("ul"):
            for child in found[:shown]:
                self._node(child, (*path, child.label), records)
            if len(found) > shown:
                with ui.element("li"):
                    more = say("hierarchies.more", count=len(found) - shown)
                    ui.button(more, on_click=lambda: self._show_more(path)).props("flat dense no-caps")

    def _box(self, node: Node, path: Path, records: int) -> None:
        name = shown_label(node.label)
        size = say("hierarchies.size", values=f"{node.leaves:,}", records=f"{records:,}") if node.is_group else ""
        if len(path) == 1 or node.label is None:  # the top and the missing value stay where they are
            ui.label(name).classes("kr-group")
        else:
            box = ui.checkbox(name, value=path in self.chosen, on_change=lambda event: self._choose(path, event.value))
            box.props("dense").classes("kr-group" if node.is_group else "")
        ui.label(size or say("hierarchies.records", records=f"{records:,}")).classes("kr-quiet")

    def _fold_button(self, node: Node, path: Path) -> None:
        is_folded = self._is_folded(node, path)
        button = ui.button(
            icon="chevron_right" if is_folded else "expand_more", on_click=lambda: self._fold(node, path)
        )
        button.props(f'flat dense round size=sm aria-expanded="{str(not is_folded).lower()}"')
        button.props["aria-label"] = say(
            "hierarchies.open" if is_folded else "hierarchies.close", group=str(node.label)
        )

    def _drag(self, row: ui.element, path: Path, *, is_group: bool) -> None:
        """Let a node be dragged, and a group be dropped on; the tools do the same without a mouse."""
        if len(path) > 1 and path[-1] is not None:
            row.props("draggable=true").on("dragstart", lambda: setattr(self, "dragged", path))
        if is_group:
            row.classes("kr-target").on("dragover", js_handler="(event) => event.preventDefault()")
            row.on("drop.prevent", told(lambda: self._drop(path)))

    async def _drop(self, target: Path) -> None:
        if self.dragged is not None and self.dragged[:-1] != target:
            await self.dropped(self.dragged, target)

    def _choose(self, path: Path, is_chosen: bool) -> None:
        self.chosen = [one for one in self.chosen if one != path] + [path] * is_chosen
        self.chose()

    def _is_folded(self, node: Node, path: Path) -> bool:
        return not self.search and self.folded.get(path, len(path) > 1 and node.leaves > FEW)

    def _fold(self, node: Node, path: Path) -> None:
        self.folded[path] = not self._is_folded(node, path)
        self.list.refresh()

    def _show_more(self, path: Path) -> None:
        self.most[path] = self.most.get(path, FEW) + 5 * FEW
        self.list.refresh()

    def _look_for(self, text: str) -> None:
        self.search = text.strip().casefold()
        self.list.refresh()

    def _is_found(self, node: Node) -> bool:
        return self.search in str(node.label or "").casefold() or any(map(self._is_found, node.children))


def _records(root: Node, counts: object) -> dict[Path, int]:
    """Return how many records lie below each node."""
    known = dict(counts) if isinstance(counts, dict) else {}
    found: dict[Path, int] = {}
    for path, node in reversed(list(root.walk())):
        below = sum(found[*path, child.label] for child in node.children)
        found[path] = below if node.is_group else known.get(node.label, 0)
    return found
