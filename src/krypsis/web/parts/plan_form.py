"""What the plan promises: a form per promise, made from the registry."""

from collections.abc import Sequence
from html import escape
from typing import Any, get_args

from nicegui import ui

from krypsis import registry
from krypsis.advisor.results import results
from krypsis.data.schema import Role
from krypsis.errors import KrypsisError
from krypsis.io.engines.base import Suppressed
from krypsis.kinds.table.plan import PlanColumn, TablePlan
from krypsis.texts.description import summary
from krypsis.web.parts.forms import as_number, fields_of, show_field
from krypsis.web.parts.frame import heading, notice, reports_errors
from krypsis.web.parts.plan_draft import Chosen, Draft, Edit
from krypsis.web.parts.promises import limits_of, sentence_of, text_of
from krypsis.web.parts.tables import plain_table
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
        columns = self.draft.columns
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


AUTO = "auto"


class MethodForms:
    """The algorithm as a form, and the metric where there is a choice."""

    def __init__(self, draft: Draft, kinds: Sequence[str] = ("algorithm", "metric")) -> None:
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("plan.method"))
            self.parts = [OneMethod(draft, kind) for kind in kinds]

    def reload(self) -> None:
        """Show what the plan says now."""
        for part in self.parts:
            part.reload()


class OneMethod:
    """One entry of the plan that names a class of the registry."""

    def __init__(self, draft: Draft, kind: str) -> None:
        self.draft, self.kind = draft, kind
        self.known = draft.classes(kind)
        self.chosen = self._planned()
        self.show()

    def reload(self) -> None:
        """Show what the plan says now, unless that is what the form says."""
        planned = self._planned()
        if planned.spec != self.chosen.spec:
            self.chosen = planned
            self.show.refresh()

    @ui.refreshable_method
    def show(self) -> None:
        """Show the choice and the parameters of what is chosen."""
        cls = self.known.get(self.chosen.name)
        with ui.element("div").classes("kr-stack"):
            self._choice()
            what = summary(cls) if cls else say("plan.auto-text") if self.chosen.name == AUTO else ""
            ui.label(what).classes("kr-quiet")
            self.problem = ui.element("div")
            fields = fields_of(cls) if cls else ()
            if fields:
                with (
                    ui.expansion(say("plan.parameters")).classes("kr-fold") as fold,
                    ui.element("div").classes("kr-fields"),
                ):
                    for field in fields:
                        show_field(field, self.chosen.values.get(field.name, ""), reports_errors(self._change))
                fold.set_value(any(field.is_needed for field in fields))
            self._show_problem()

    def _choice(self) -> None:
        automatic = {AUTO: say("plan.auto")} if self.kind == "algorithm" else {}
        options = automatic | {name: name for name in self.known}
        if self.chosen.name not in options:
            options[self.chosen.name] = self.chosen.name
        select = ui.select(options, value=self.chosen.name, label=say(f"plan.{self.kind}"), with_input=True)
        select.props("outlined dense").classes("kr-field-wide").on_value_change(
            reports_errors(lambda event: self._choose(event.value))
        )

    def _choose(self, name: str | None) -> None:
        if name is not None and name != self.chosen.name:
            self.chosen = Chosen(name)
            self._write()
            self.show.refresh()

    def _change(self, name: str, value: str) -> None:
        self.chosen.values[name] = value
        self._show_problem()
        self._write()

    def _problem(self) -> str:
        if self.kind == "algorithm" and self.chosen.name == AUTO:
            return ""
        try:
            registry.create(self.kind, self.chosen.spec)
        except KrypsisError as error:
            return str(error)
        return ""

    def _show_problem(self) -> None:
        self.problem.clear()
        if problem := self._problem():
            with self.problem:
                notice(problem)

    def _write(self) -> None:
        """Write the choice into the plan as soon as it is complete."""
        if not self._problem():
            self.draft.apply(lambda plan: plan.set((self.kind,), self.chosen.spec))

    def _planned(self) -> Chosen:
        return Chosen.of(getattr(self.draft.plan(), self.kind))


PER_COLUMN = ("weight", "min_level", "max_level")
FORMATS = ("csv", "parquet")


class LimitForms:
    """Limits and outputs as forms."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.shown = draft.table_plan()
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("plan.limits"))
            self.show()

    def reload(self) -> None:
        """Show what the plan says now, unless that is what the forms say."""
        plan = self.draft.table_plan()
        if _said(plan) != _said(self.shown):
            self.shown = plan
            self.show.refresh()

    @ui.refreshable_method
    def show(self) -> None:
        """Show all limits."""
        plan = self.shown
        with ui.element("div").classes("kr-fields"):
            limit = ui.input(say("plan.suppression"), value=plan.suppression or "")
            limit.props("outlined dense bottom-slots debounce=500").classes("kr-field")
            limit.props["hint"] = say("plan.suppression-text")
            limit.on_value_change(reports_errors(lambda event: self._set("suppression", event.value)))
            kinds = {name: say(f"plan.suppressed-{name}") for name in get_args(Suppressed)}
            kept = ui.select(kinds, value=plan.suppressed, label=say("plan.suppressed"))
            kept.props("outlined dense").classes("kr-field")
            kept.on_value_change(reports_errors(lambda event: self._set("suppressed", event.value)))
            formats = ui.select(
                list(FORMATS), value=list(plan.output.formats), label=say("plan.formats"), multiple=True
            )
            formats.props("outlined dense use-chips").classes("kr-field")
            formats.on_value_change(reports_errors(lambda event: self._set_formats(event.value)))
        with ui.expansion(say("plan.per-column")).classes("kr-fold"):
            self._columns(plan)

    def _columns(self, plan: TablePlan) -> None:
        known = {name: one for name, one in plan.columns.items() if one.role is Role.QUASI_IDENTIFIER}
        head = [say("plan.column"), *(say(f"plan.{key}") for key in PER_COLUMN)]
        rows = [[name, *(self._cell(name, one, key) for key in PER_COLUMN)] for name, one in known.items()]
        ui.label(say("plan.per-column-text")).classes("kr-quiet")
        plain_table(head, rows, say("plan.per-column"))

    def _cell(self, column: str, said: PlanColumn, key: str) -> Any:
        def show() -> None:
            value = getattr(said, key)
            shown = ui.input(value="" if value is None else f"{value:g}")
            shown.props("outlined dense type=number min=0 debounce=500 step=any").classes("kr-small-field")
            shown.props["aria-label"] = say("plan.of-column", what=say(f"plan.{key}"), column=column)
            shown.on_value_change(reports_errors(lambda event: self._set_column(column, key, event.value)))

        return show

    def _set(self, key: str, value: object) -> None:
        given = str(value or "").strip()
        self._apply(lambda plan: plan.set((key,), given) if given else plan.remove((key,)))

    def _set_formats(self, formats: list[str]) -> None:
        wanted = [name for name in FORMATS if name in formats]
        if "output" not in self.draft.plan().model_fields_set:
            self._apply(lambda plan: plan.set(("output",), {"formats": wanted}))
        else:
            self._apply(lambda plan: plan.set(("output", "formats"), wanted))

    def _set_column(self, column: str, key: str, value: object) -> None:
        given = str(value if value is not None else "").strip()
        self._apply(lambda plan: plan.set_column(column, key, as_number(given) if given else None))

    def _apply(self, edit: Edit) -> None:
        self.draft.apply(edit)
        self.shown = self.draft.table_plan()


def _said(plan: TablePlan) -> dict[str, Any]:
    return plan.model_dump(include={"columns", "suppression", "suppressed", "output"})
