"""What the plan promises: a form per promise, made from the registry."""

from __future__ import annotations

from html import escape

from nicegui import ui

from krypsis import registry
from krypsis.advisor.results import results
from krypsis.errors import KrypsisError
from krypsis.texts.description import summary
from krypsis.web.parts.forms import fields_of, show_field
from krypsis.web.parts.frame import heading
from krypsis.web.parts.notices import notice, reports_errors
from krypsis.web.parts.plan_draft import Chosen, Draft
from krypsis.web.parts.promises import limits_of, sentence_of, text_of
from krypsis.web.texts import say


class PromiseForms:
    """The promises as forms; what is complete goes into the plan at once."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.promises = self._planned()
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("plan.promises"))
            ui.label(say("plan.promises-text")).classes("kr-quiet")
            self.shown()
            self._adding()

    def reload(self) -> None:
        """Show what the plan says now, unless that is what the forms say."""
        planned = self._planned()
        if [one.spec for one in planned] != [one.spec for one in self.promises]:
            self.promises = planned
            self.shown.refresh()

    @ui.refreshable_method
    def shown(self) -> None:
        """Show all promises."""
        for place, chosen in enumerate(self.promises):
            with ui.element("article").classes("kr-entry"):
                self._promise(place, chosen)

    def _promise(self, place: int, chosen: Chosen) -> None:
        known = registry.classes("model").get(chosen.name)
        text = text_of(chosen.name)
        with ui.row().classes("kr-between"):
            ui.html(escape(text.title if text else chosen.name), sanitize=False, tag="h3")
            remove = ui.button(icon="delete", on_click=reports_errors(lambda: self._remove(place))).props(
                "flat dense round"
            )
            remove.props["aria-label"] = say("plan.remove", name=text.title if text else chosen.name)
        message_place = ui.element("div")
        if known is None:
            self._say(message_place, chosen)
            return
        columns = [*self.draft.table_plan().columns]
        with ui.element("div").classes("kr-fields"):
            for field in fields_of(known):
                meaning = text.parameters.get(field.name) if text else None
                show_field(
                    field,
                    chosen.values.get(field.name, ""),
                    reports_errors(lambda name, value, chosen=chosen: self._change(chosen, name, value, message_place)),
                    meaning=meaning,
                    suggestions=columns,
                )
        self._say(message_place, chosen)

    def _say(self, place: ui.element, chosen: Chosen) -> None:
        """Say what a promise means as it is now, or what is wrong with it."""
        place.clear()
        with place:
            try:
                model = registry.create("model", chosen.spec)
            except KrypsisError as error:
                notice(str(error))
                return
            ui.label(sentence_of(model)).classes("kr-quiet")
            ui.label(limits_of(model)).classes("kr-quiet")

    def _change(self, chosen: Chosen, name: str, value: str, place: ui.element) -> None:
        chosen.values[name] = value
        self._say(place, chosen)
        self._write()

    def _remove(self, place: int) -> None:
        left = [one for number, one in enumerate(self.promises) if number != place]
        self.draft.apply(lambda plan: plan.set_promises([one.spec for one in left]))
        self.promises = left
        self.shown.refresh()

    def _write(self) -> None:
        """Write the promises into the plan as soon as all of them are complete."""
        specs = [one.spec for one in self.promises]
        try:
            for spec in specs:
                registry.create("model", spec)
        except KrypsisError:
            return  # told where it is written
        self.draft.apply(lambda plan: plan.set_promises(specs))

    def _adding(self) -> None:
        options = {
            name: _title(name) for name in sorted(self.draft.classes("model"), key=lambda name: _title(name).casefold())
        }
        select = ui.select(options, label=say("plan.add"), with_input=True).props("outlined dense clearable")
        select.classes("kr-field-wide")

        def add() -> None:
            if select.value is not None:
                self.promises = [*self.promises, _usual(select.value)]
                select.set_value(None)
                self.shown.refresh()
                self._write()

        select.on_value_change(reports_errors(add))

    def _planned(self) -> list[Chosen]:
        return [Chosen.of(promise) for promise in self.draft.plan().promises if isinstance(promise, str | dict)]


def _title(name: str) -> str:
    text = text_of(name)
    return f"{name}: {text.title if text else summary(registry.classes('model')[name])}"[:90]


def _usual(name: str) -> Chosen:
    """Return a promise with the values that are usual, where there are any."""
    for result in results().values():
        if result.model == name:
            return Chosen(name, {key: one.default for key, one in result.parameters.items() if one.default is not None})
    return Chosen(name)
