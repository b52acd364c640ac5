"""A hierarchy as a file: take one in, or take the one that is there along."""

from __future__ import annotations

from nicegui import ui
from nicegui.elements.upload_files import FileUpload

from krypsis.data.hierarchies import format_csv
from krypsis.errors import HierarchyError
from krypsis.projects.names import slug
from krypsis.web.parts.hierarchy_editing import Editing
from krypsis.web.parts.notices import reports_errors
from krypsis.web.parts.uploads import file_drop
from krypsis.web.texts import say

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
