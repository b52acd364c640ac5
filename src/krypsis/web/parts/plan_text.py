"""The plan as text, beside the forms."""

from __future__ import annotations

from nicegui import ui

from krypsis.errors import KrypsisError
from krypsis.web.parts.frame import heading
from krypsis.web.parts.notices import notice, reports_errors
from krypsis.web.parts.plan_draft import Draft
from krypsis.web.texts import say


class PlanEditor:
    """The text of the plan in an editor, with what is wrong in it."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        with ui.element("section").classes("kr-card kr-stack kr-beside"):
            heading(say("plan.text"))
            ui.label(say("plan.text-text")).classes("kr-quiet")
            self.editor = ui.textarea(value=draft.text).props(
                "outlined input-class=kr-editor debounce=200 spellcheck=false"
            )
            self.editor.props["aria-label"] = say("plan.text")
            self.editor.classes("w-full").on_value_change(self._edited)
            # the text comes along, for the last letters may not have arrived yet
            typed = "(event) => { event.preventDefault(); emit(event.target.value); }"
            self.editor.on("keydown.ctrl.s", reports_errors(lambda event: self._save(event.args)), js_handler=typed)
            with ui.row().classes("kr-actions"):
                self.button = ui.button(say("plan.save"), icon="save", on_click=reports_errors(self.save))
                self.button.props("no-caps unelevated color=primary").set_enabled(False)
                self.undo = ui.button(say("plan.discard"), on_click=self._discard).props("no-caps flat")
                self.undo.set_visibility(False)
            self.problem = ui.element("div").props('role="status"')

    def reload(self) -> None:
        """Show the text of the plan as it is now."""
        self.problem.clear()
        self.editor.set_value(self.draft.text)
        self._mark()

    def _edited(self) -> None:
        self.draft.text = self.editor.value or ""
        self._mark()

    def _mark(self) -> None:
        is_changed = not self.draft.is_saved
        self.button.set_enabled(is_changed)
        self.undo.set_visibility(is_changed)

    def _discard(self) -> None:
        self.draft.discard()
        self.reload()

    def save(self) -> None:
        """Make the text the plan."""
        self._save(self.editor.value or "")

    def _save(self, text: str) -> None:
        """Make a text the plan; what is wrong in it is told below it, and the text stays."""
        self.problem.clear()
        try:
            self.draft.save(text)
        except KrypsisError as error:
            with self.problem:
                notice(str(error))
