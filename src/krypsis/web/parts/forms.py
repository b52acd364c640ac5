"""Forms made from the JSON schema of a class: what its parameters are is said once, where they are declared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from nicegui import ui
from pydantic import BaseModel

from krypsis.web.texts import say

Sort = Literal["whole", "number", "switch", "choice", "choices", "text"]
SORTS: dict[str, Sort] = {"integer": "whole", "number": "number", "boolean": "switch"}


@dataclass(frozen=True)
class FormField:
    """One parameter as a form shows it."""

    name: str
    sort: Sort
    description: str
    default: str
    """What holds where nothing is given; empty where something must be given, or where nothing is a value."""
    is_needed: bool
    options: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None


def fields_of(cls: type[BaseModel]) -> tuple[FormField, ...]:
    """Return the parameters of a class, those that must be given first.

    Examples
    --------
    >>> from krypsis.models.t_closeness import TCloseness
    >>> [(one.name, one.sort, one.default, one.is_needed) for one in fields_of(TCloseness)]
    [('t', 'number', '', True), ('attribute', 'text', '', False), ('distance', 'choice', 'by-type', False)]
    """
    schema = cls.model_json_schema()
    needed = schema.get("required", ())
    found = [_field(name, part, name in needed) for name, part in schema.get("properties", {}).items()]
    return tuple(sorted(found, key=lambda field: not field.is_needed))


def _field(name: str, schema: Mapping[str, Any], is_needed: bool) -> FormField:
    kinds = [kind for kind in schema.get("anyOf", [schema]) if kind.get("type") != "null"]
    first = kinds[0]
    items = first.get("items", {})
    return FormField(
        name=name,
        sort=_sort(kinds),
        description=schema.get("description", ""),
        default=_written(schema.get("default")),
        is_needed=is_needed,
        options=tuple(map(str, items.get("enum", first.get("enum", ())))),
        least=first.get("minimum", first.get("exclusiveMinimum")),
        most=first.get("maximum", first.get("exclusiveMaximum")),
    )


def _sort(kinds: Sequence[Mapping[str, Any]]) -> Sort:
    first = kinds[0]
    if "enum" in first.get("items", {}):
        return "choices"
    if len(kinds) > 1 and not _is_number(kinds):
        return "text"
    return "choice" if "enum" in first else SORTS.get(first.get("type", ""), "text")


def _is_number(kinds: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a parameter is a number that may also be written exactly, as decimals and fractions are."""
    return kinds[0].get("type") == "number" and all(kind.get("type") == "string" for kind in kinds[1:])


def _written(default: object) -> str:
    if default is None or default in ([], {}):
        return ""
    if isinstance(default, bool):
        return str(default).lower()
    return f"{default:g}" if isinstance(default, float) else str(default)


def as_number(text: str) -> int | float | str:
    """Return a number if nothing of its text is lost by that, so that a plan says it without quotes.

    Examples
    --------
    >>> as_number("5"), as_number("0.50"), as_number("many")
    (5, '0.50', 'many')
    """
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if str(number) == text:
            return number
    return text


def show_field(
    field: FormField,
    value: str,
    change: Callable[[str, str], Any],
    *,
    label: str | None = None,
    meaning: str | None = None,
    suggestions: Sequence[str] = (),
) -> None:
    """Show one parameter; ``change`` is told its name and its value as text, empty where it is the usual one.

    Parameters
    ----------
    field
        the parameter.
    value
        what is given now; empty for the usual one.
    change
        is called with each new value.
    label, meaning
        in the language of the visitor, if there are any; else the name and what is declared with it.
    suggestions
        texts to choose from while writing, such as the names of columns.
    """
    shown = _shown(field, value, suggestions)
    shown.props["label"] = label or (field.name if field.is_needed else say("plan.optional", name=field.name))
    shown.props["hint"] = meaning or field.description
    shown.props("outlined dense bottom-slots stack-label")
    shown.classes("kr-field").on_value_change(lambda event: change(field.name, _as_text(field, event.value)))


def _shown(field: FormField, value: str, suggestions: Sequence[str]) -> Any:
    if field.sort == "choice":
        return ui.select(list(field.options), value=value if value in field.options else field.default or None)
    if field.sort == "choices":
        chosen = [one.strip() for one in value.split(",") if one.strip() in field.options]
        return ui.select(list(field.options), value=chosen, multiple=True).props("use-chips")
    if field.sort == "switch":
        return ui.select({"true": say("plan.yes"), "false": say("plan.no")}, value=value.lower() or field.default)
    shown = ui.input(value=value, placeholder=field.default, autocomplete=list(field.options or suggestions))
    shown.props("debounce=400")
    if field.sort in ("whole", "number"):
        shown.props("type=number inputmode=decimal" + (" step=1" if field.sort == "whole" else " step=any"))
        shown.props["min"], shown.props["max"] = field.least, field.most
    return shown


def _as_text(field: FormField, value: object) -> str:
    if isinstance(value, list):
        return ",".join(option for option in field.options if option in value)
    return "" if value is None else str(value).strip()
