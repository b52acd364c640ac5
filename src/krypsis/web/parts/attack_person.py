"""An attack on one person: what is known of somebody, and which records fit."""

from __future__ import annotations

from nicegui import run, ui

from krypsis.data.hierarchies.base import Label
from krypsis.data.schema import Role
from krypsis.projects.lab import Lab, PersonFit
from krypsis.report.text import percent, readable
from krypsis.web.parts.frame import heading
from krypsis.web.parts.notices import notice, reports_errors
from krypsis.web.parts.tables import quoted
from krypsis.web.texts import say


class PersonForm:
    """Fields for what is known of a person; one of the table may be taken as an example."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        roles = lab.roles
        self._names = [name for name in lab.columns if roles.get(name) is Role.QUASI_IDENTIFIER]
        self._sensitive = next((name for name, role in roles.items() if role is Role.SENSITIVE), "")

    async def show(self) -> None:
        """Show the fields, filled with the first person of the table."""
        total = self._lab.release.project.profile.rows
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("attack.person"))
            ui.label(say("attack.person-help")).classes("kr-quiet")
            self._row = ui.number(say("attack.row"), value=1, min=1, max=total, precision=0).classes("kr-choice kr-fit")
            self._row.on_value_change(reports_errors(self._take_row))
            with ui.element("div").classes("kr-grid"):
                self._fields = {name: ui.input(quoted(readable(name, 40))) for name in self._names}
            with ui.row().classes("kr-actions"):
                ui.button(say("attack.look"), icon="person_search", on_click=reports_errors(self.look)).props(
                    "no-caps outline color=primary"
                )
            self._found = ui.element("div").classes("kr-stack kr-wide").props('aria-live="polite"')
        await self._take_row()

    async def _take_row(self) -> None:
        """Fill the fields with the values of a row; a missing value becomes an empty field."""
        row = self._row.value
        if row is None or not 1 <= row <= self._lab.release.project.profile.rows:
            return
        found = await run.io_bound(self._lab.release.project.rows, int(row) - 1, 1)
        if found is None:  # the server is about to stop
            return
        for name, field in self._fields.items():
            value = found.item(0, name)
            field.set_value("" if value is None else str(value))

    @property
    def values(self) -> dict[str, Label]:
        """What is known of the person; an empty field is unknown."""
        return {
            name: str(field.value).strip() for name, field in self._fields.items() if str(field.value or "").strip()
        }

    async def look(self) -> None:
        """Look for the person in both tables."""
        fits = await run.io_bound(self._lab.try_person, self.values, self._sensitive)
        if fits is None:  # the server is about to stop
            return
        self._found.clear()
        with self._found:
            for side, fit in zip(("before", "after"), fits, strict=True):
                _tell(side, fit)


def _tell(side: str, fit: PersonFit) -> None:
    words = [say(f"attack.fit-{side}", matches=f"{fit.matches:,}")]
    if fit.share is not None:
        words.append(say("attack.likely", value=readable(fit.value, 60), share=percent(fit.share)))
    is_sure = fit.matches == 1 or (fit.share is not None and fit.share >= 1)
    notice(" ".join(words), "bad" if is_sure else "good")
