"""Plain words for what is wrong with something a person wrote, and all of it at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from krypsis.errors import did_you_mean

EXPECTED = {
    "tuple_type": "a list such as [a, b]",
    "too_short": "at least one entry",
    "string_type": "a text or a number",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "model_type": "a mapping with keys and values",
    "dict_type": "a mapping with keys and values",
}
"""What to say instead of the words of the validation, by the beginning of its type."""
SHOULD_BE = "Input should be "


def explain(error: ValidationError, model: type[BaseModel]) -> str:
    """Return one sentence per place where something does not fit the model, with the keys that are known there.

    What is wrong with an entry makes its list too short, which says nothing more.

    Examples
    --------
    >>> class Point(BaseModel, extra="forbid"):
    ...     width: int
    >>> try:
    ...     Point(widht=3)
    ... except ValidationError as error:
    ...     print(explain(error, Point))
    'width' is missing; unknown key 'widht'; keys here: width. Did you mean 'width'?
    """
    problems = error.errors()
    places = [_place(problem) for problem in problems]
    sentences: dict[tuple[str, ...], str] = {}
    for problem, place in zip(problems, places, strict=True):
        has_wrong_entry = any(other[: len(place)] == place and len(other) > len(place) for other in places)
        if not (problem["type"] == "too_short" and has_wrong_entry):
            sentences.setdefault(place, _sentence(problem, ".".join(place), model))
    return "; ".join(sentences.values())


def _place(problem: Any) -> tuple[str, ...]:
    """Return where a problem is, without the names of the types that were tried there."""
    parts = (str(part) for part in problem["loc"])
    return tuple(part for part in parts if part not in ("str", "dict[str,any]") and "is-instance[" not in part)


def _sentence(problem: Any, place: str, model: type[BaseModel]) -> str:
    kind = str(problem["type"])
    if not place:  # about the whole, such as two keys that do not go together; it names them itself
        return str(problem["msg"])
    if kind == "extra_forbidden":
        known = _known_keys(model, problem["loc"][:-1])
        key = str(problem["loc"][-1])
        return f"unknown key {place!r}; keys here: {', '.join(known)}.{did_you_mean(key, known)}"
    if kind == "missing":
        return f"{place!r} is missing"
    if kind == "value_error":
        return f"{place}: {problem['msg'].removeprefix('Value error, ')}"
    expected = expected_by(problem) or str(problem["msg"]).replace("greater than or equal to", "at least")
    return f"{place}: expected {expected}, got {problem['input']!r:.60}"


def expected_by(problem: Any) -> str | None:
    """Return what the validation expected, in plain words, where it says that at all."""
    kind, message = str(problem["type"]), str(problem["msg"])
    known = next((words for beginning, words in EXPECTED.items() if kind.startswith(beginning)), None)
    if known is None and message.startswith(SHOULD_BE):
        return message.removeprefix(SHOULD_BE).replace("greater than or equal to", "at least")
    return known


def _known_keys(model: type[BaseModel], place: Sequence[Any]) -> list[str]:
    """Return the keys that a person may write at a place; what is not written out is not asked for either."""
    for part in place:
        field = model.model_fields.get(str(part))
        model = (_model_in(field.annotation) if field is not None else None) or model
    return [name for name, field in model.model_fields.items() if not field.exclude]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model that a type holds, such as the one of ``dict[str, Column]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)
