"""The hierarchy of one column while it is changed in the browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import run

from krypsis.data.hierarchies import Hierarchy, HierarchySpec, Label, parse_csv, resolve
from krypsis.data.hierarchies.effect import LevelEffect, effects
from krypsis.data.hierarchies.order import natural_order
from krypsis.data.hierarchies.tree import Node, hierarchy_of, tree_of
from krypsis.data.schema import Role
from krypsis.errors import KrypsisError
from krypsis.kinds.table.plan import PlanColumn
from krypsis.projects import Project
from krypsis.projects.hierarchies import save_hierarchy, set_hierarchy
from krypsis.projects.values import value_counts
from krypsis.web.texts import say

MOST = 2000
"""How many values a tree may have to be changed by hand."""


class Editing:
    """The column that is chosen, its hierarchy, and what that does; what is right is in the plan at once."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.column = next(iter(self.columns), "")
        self.counts: Mapping[Label, int] = {}
        self.hierarchy: Hierarchy | None = None
        self.tree: Node | None = None
        """The hierarchy as a tree, unless it has too many values for that."""
        self.effects: tuple[LevelEffect, ...] = ()
        self.problem = ""
        """Why there is no hierarchy."""
        self.is_ready = False
        """Whether the values were looked at."""
        self.before: list[Node] = []
        """The trees that can be returned to."""
        self.views: dict[str, Callable[[], None]] = {}
        """What shows the hierarchy anew, by the name of the view."""

    @property
    def columns(self) -> dict[str, PlanColumn]:
        """The columns that are generalized, and then those whose values may need a hierarchy."""
        there = {column.name for column in self.project.profile.columns}
        said = {name: one for name, one in self.project.table_plan().columns.items() if name in there}
        wanted = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
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
        counts = await run.io_bound(value_counts, self.project, column) or {}
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

    async def use_tree(self, root: Node) -> None:
        """Take a tree that was changed by hand."""
        hierarchy = hierarchy_of(root, f"hierarchy of {self.column!r}")
        if self.tree is not None:
            self.before.append(self.tree)
        await self._save(hierarchy)

    async def undo(self) -> None:
        """Return to the tree before the last change."""
        if self.before:
            await self._save(hierarchy_of(self.before.pop()))

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
) -> tuple[Hierarchy, Node | None, tuple[LevelEffect, ...]]:
    values: list[Label] = [*natural_order([value for value in counts if value is not None])]
    hierarchy = resolve(spec, values + [None] * (None in counts), column, project.folder)
    tree = tree_of(hierarchy) if len(hierarchy.values) <= MOST else None
    return hierarchy, tree, effects(hierarchy, counts)
