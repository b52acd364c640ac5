"""How the plan is carried out: the algorithm and the metric, with their parameters, made from the registry."""

from __future__ import annotations

from nicegui import ui

from krypsis import registry
from krypsis.errors import KrypsisError
from krypsis.texts.description import summary
from krypsis.web.parts.forms import fields_of, show_field
from krypsis.web.parts.frame import heading
from krypsis.web.parts.notices import notice, reports_errors
from krypsis.web.parts.plan_draft import Chosen, Draft
from krypsis.web.texts import say

AUTO = "auto"


class MethodForms:
    """The algorithm and the metric as forms."""

    def __init__(self, draft: Draft) -> None:
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("plan.method"))
            self.parts = [OneMethod(draft, "algorithm"), OneMethod(draft, "metric")]

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
            self._tell()

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
        self._tell()
        self._write()

    def _problem(self) -> str:
        if self.kind == "algorithm" and self.chosen.name == AUTO:
            return ""
        try:
            registry.create(self.kind, self.chosen.spec)
        except KrypsisError as error:
            return str(error)
        return ""

    def _tell(self) -> None:
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
