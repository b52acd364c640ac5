"""What a hierarchy does: how many values are left at each level, and how a value looks there."""

from __future__ import annotations

from nicegui import ui

from krypsis.data.hierarchies import Label
from krypsis.web.parts.frame import heading
from krypsis.web.parts.hierarchy_editing import Editing, shown_label
from krypsis.web.parts.notices import notice
from krypsis.web.parts.tables import plain_table
from krypsis.web.texts import say

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
