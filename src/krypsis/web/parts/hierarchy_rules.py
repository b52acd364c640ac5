"""A hierarchy by a rule: intervals, dates, masking, order, all or nothing; made from the builders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import run, ui

from krypsis.data.hierarchies import HierarchyBuilder
from krypsis.data.hierarchies.resolve import builders
from krypsis.kinds.table.profile.column import ColumnProfile
from krypsis.kinds.table.profile.propose import propose_hierarchy
from krypsis.specs import split_list, unquoted
from krypsis.web.parts.forms import FormField, as_number, fields_of, show_field
from krypsis.web.parts.hierarchy_editing import Editing
from krypsis.web.parts.notices import reports_errors
from krypsis.web.texts import say

KINDS = ("intervals", "dates", "masking", "order", "flat", "icd9")
WAYS = ("width", "cuts", "quantiles")
"""The ways to say what the intervals are; only one of them is given."""
USUAL_QUANTILES = "8"


class HierarchyRuleForm:
    """The form of a rule; each change that makes a hierarchy is in the plan at once."""

    def __init__(self, editing: Editing) -> None:
        self.editing = editing
        self._read()
        self.show()

    def reload(self) -> None:
        """Show the rule that the plan names."""
        self._read()
        self.show.refresh()

    def _read(self) -> None:
        spec = self.editing.spec
        given = spec if isinstance(spec, Mapping) else {"kind": spec or "flat"}
        self.kind = str(given.get("kind", "")) if given.get("kind") in KINDS else ""
        self.values = {key: _text(value) for key, value in given.items() if key != "kind"} if self.kind else {}
        self.way = next((way for way in WAYS if way in self.values), "width")

    @ui.refreshable_method
    def show(self) -> None:
        """Show the kind and its options."""
        options = {kind: say(f"hierarchies.kind-{kind}") for kind in KINDS}
        select = ui.select(options, value=self.kind or None, label=say("hierarchies.kind"))
        select.props("outlined dense").classes("kr-field-wide")
        select.on_value_change(reports_errors(lambda event: self._choose(event.value)))
        if not self.kind:
            ui.label(say("hierarchies.by-hand")).classes("kr-quiet")
            return
        ui.label(say(f"hierarchies.text-{self.kind}")).classes("kr-quiet")
        if self.kind == "intervals":
            self._ways()
        with ui.element("div").classes("kr-fields"):
            for field in self._fields():
                label, meaning = (say(f"hierarchies.{part}-{field.name}") for part in ("label", "option"))
                value = self.values.get(field.name, "")
                show_field(field, value, reports_errors(self._change), label=label, meaning=meaning)

    def _ways(self) -> None:
        ways = {way: say(f"hierarchies.way-{way}") for way in WAYS}
        radio = ui.radio(ways, value=self.way).props("inline")
        radio.props["aria-label"] = say("hierarchies.way")
        radio.on_value_change(reports_errors(lambda event: self._turn(event.value)))

    def _fields(self) -> list[FormField]:
        hidden = {way for way in WAYS if way != self.way} | ({"origin"} if self.way != "width" else set())
        found = fields_of(builders()[self.kind])
        return [field for field in found if self.kind != "intervals" or field.name not in hidden]

    async def _choose(self, kind: str) -> None:
        self.kind = kind
        self.values = await run.io_bound(_usual, kind, self.editing) or {}
        self.way = next((way for way in WAYS if way in self.values), "width")
        self.show.refresh()
        await self._use()

    async def _turn(self, way: str) -> None:
        self.way = way
        self.values = {key: value for key, value in self.values.items() if key not in (*WAYS, "origin")}
        if way == "quantiles":
            self.values[way] = USUAL_QUANTILES
        self.show.refresh()
        await self._use()

    async def _change(self, name: str, value: str) -> None:
        self.values[name] = value
        await self._use()

    async def _use(self) -> None:
        cls = builders()[self.kind]
        given = {key: _content(cls, key, value) for key, value in self.values.items() if value != ""}
        await self.editing.use_rule({"kind": self.kind, **given})


def _usual(kind: str, editing: Editing) -> dict[str, str]:
    """Return options that fit the column, for kinds that cannot do without."""
    column: ColumnProfile = editing.project.profile.column(editing.column)
    proposed = propose_hierarchy(column, editing.project.dataset())
    if proposed["kind"] == kind:
        return {key: _text(value) for key, value in proposed.items() if key != "kind"}
    if kind == "dates" and column.date_format:
        return {"format": column.date_format}
    return {"quantiles": USUAL_QUANTILES} if kind == "intervals" else {}


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _content(cls: type[HierarchyBuilder], key: str, value: str) -> Any:
    """Return an option as a plan writes it: lists as lists, numbers without quotes."""
    schema = cls.model_json_schema()["properties"][key]
    kinds = schema.get("anyOf", [schema])
    if any(kind.get("type") == "array" for kind in kinds):
        return [as_number(unquoted(part)) for part in split_list(value) if part]
    return as_number(value) if any(kind.get("type") in ("integer", "number") for kind in kinds) else value
