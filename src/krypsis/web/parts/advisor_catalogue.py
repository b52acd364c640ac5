"""The catalogue of all models, with the works they come from."""

from __future__ import annotations

from html import escape

from nicegui import events, ui

from krypsis.advisor.catalogue import CatalogueModel, catalogue
from krypsis.web.texts import language, say


def show_catalogue() -> None:
    """Show all models in a fold that is filled when it is opened."""
    with ui.expansion(say("advisor.catalogue"), icon="menu_book").classes("kr-card kr-fold") as fold:
        place = ui.element("div").classes("kr-stack")

    def fill(event: events.ValueChangeEventArguments[bool]) -> None:
        if event.value and not place.default_slot.children:
            with place:
                _catalogue()

    fold.on_value_change(fill)


def _catalogue() -> None:
    entries = catalogue(language())
    search = ui.input(say("advisor.search")).props("outlined dense clearable debounce=200").classes("kr-field")

    @ui.refreshable
    def models() -> None:
        found = [entry for entry in entries if entry.holds(search.value or "")]
        ui.label(say("advisor.found", found=len(found), all=len(entries))).classes("kr-quiet").props('role="status"')
        for entry in found:
            _entry(entry)

    models()
    search.on_value_change(models.refresh)


def _entry(entry: CatalogueModel) -> None:
    with ui.element("article").classes("kr-entry"):
        ui.html(escape(entry.title), sanitize=False, tag="h3")
        if entry.name != entry.title or not entry.is_available:
            name = entry.name if entry.is_available else say("advisor.unavailable", name=entry.name)
            ui.label(name).classes("kr-quiet")
        ui.label(entry.promise)
        ui.label(say("advisor.protects", what=entry.protects)).classes("kr-quiet")
        if entry.leaves_open:
            ui.label(say("advisor.leaves-open", what=entry.leaves_open)).classes("kr-quiet")
        for work in entry.references:
            ui.label(work).classes("kr-work")
