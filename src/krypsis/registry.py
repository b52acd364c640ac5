"""The registry finds every model, algorithm, metric and hierarchy builder by walking its package."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError

from krypsis.discovery import concrete_classes, is_of_package
from krypsis.errors import UnknownNameError, UsageError, did_you_mean
from krypsis.explanation import expected_by
from krypsis.specs import split_list, unquoted

KINDS = {"model": "krypsis.models", "algorithm": "krypsis.algorithms", "metric": "krypsis.metrics"}


@cache
def classes(kind: str) -> dict[str, type[Any]]:
    """Return the registered classes of a kind by name, in alphabetical order.

    Examples
    --------
    >>> "k-anonymity" in classes("model")
    True
    """
    package = importlib.import_module(KINDS[kind])
    ours = [cls for cls in concrete_classes(package, BaseModel) if is_of_package(cls, package)]
    found = {cls.name: cls for cls in ours if hasattr(cls, "name")}
    return dict(sorted(found.items()))


def find(kind: str, name: str) -> type[Any]:
    """Return the class registered under a name or alias."""
    known = classes(kind)
    for cls in known.values():
        if name == cls.name or name in cls.aliases:
            return cls
    raise UnknownNameError(f"{kind} {name!r} is not known; {kind}s: {', '.join(known)}.{did_you_mean(name, known)}")


def create(kind: str, spec: object) -> Any:
    """Return the object a spec stands for: ``"k-anonymity:k=5"``, ``{"name": "k-anonymity", "k": 5}`` or the object.

    Examples
    --------
    >>> create("model", "k-anonymity:k=5")
    KAnonymity(k=5)
    """
    if isinstance(spec, str):
        name, parameters = parse(spec)
    elif isinstance(spec, dict) and "name" in spec:
        parameters = {str(key): value for key, value in spec.items() if key != "name"}
        name = str(spec["name"])
    elif isinstance(spec, tuple(classes(kind).values())):
        return spec
    else:
        article = "an" if kind[0] in "aeiou" else "a"
        raise UsageError(
            f"{article} {kind} is a name such as {example(kind)!r} or an object of it, got {spec!r}.{_colon_hint(spec)}"
        )
    return build(find(kind, name), parameters)


def _colon_hint(spec: object) -> str:
    """Explain what YAML makes of a space after the colon."""
    if not isinstance(spec, dict) or len(spec) != 1:
        return ""
    ((name, value),) = spec.items()
    written = ",".join(f"{key}={part}" for key, part in value.items()) if isinstance(value, dict) else value
    return f" Write '{name}:{written}', without a space after the colon"


def parse(spec: str) -> tuple[str, dict[str, object]]:
    """Split ``name:key=value,key=value``; a value with a comma in it stands in double quotes.

    Examples
    --------
    >>> parse("recursive-l-diversity:c=4,l=3")
    ('recursive-l-diversity', {'c': '4', 'l': '3'})
    >>> parse('t-closeness:t=0.2,attribute="pay, yearly"')
    ('t-closeness', {'t': '0.2', 'attribute': 'pay, yearly'})
    """
    name, _, rest = spec.partition(":")
    parameters: dict[str, object] = {}
    for part in filter(None, split_list(rest)):
        key, equals, value = part.partition("=")
        if not equals:
            raise UsageError(
                f"{spec!r}: expected 'name:parameter=value', got {part!r}; for example 'k-anonymity:k=5'."
                f"{_comma_hint(name, list(parameters), rest)}"
            )
        if key.strip() in parameters:
            raise UsageError(f"{spec!r} gives {key.strip()!r} twice; keep the one you mean")
        parameters[key.strip()] = unquoted(value.strip())
    return name.strip(), parameters


def _comma_hint(name: str, before: list[str], rest: str) -> str:
    """Explain that a value with commas needs quotes, if one parameter with such a value could be meant."""
    if len(before) != 1:
        return ""
    key, _, value = rest.partition("=")
    return f" A value with commas stands in double quotes: '{name.strip()}:{key.strip()}=\"{value.strip()}\"'"


def build(cls: type[Any], parameters: dict[str, object]) -> Any:
    """Create an object of a registered class, with messages in the words of its parameters."""
    for key in parameters:
        if key not in cls.model_fields:
            known = list(cls.model_fields)
            raise UsageError(
                f"{cls.name} has no parameter {key!r}; parameters: {', '.join(known) or 'none'}."
                f"{did_you_mean(key, known)}"
            )
    try:
        return cls(**parameters)
    except ValidationError as error:
        raise UsageError("; ".join(explain(problem, cls) for problem in error.errors())) from None


def explain(problem: Any, cls: type[Any]) -> str:
    """Return one validation problem as a sentence."""
    field = str(problem["loc"][0]) if problem["loc"] else ""
    if problem["type"] == "missing":
        return f"{cls.name} needs {field}: {cls.model_fields[field].description}"
    message = str(problem["msg"]).removeprefix("Value error, ")
    bounds = problem.get("ctx", {})
    for key, words in (("ge", "at least"), ("gt", "more than"), ("le", "at most"), ("lt", "less than")):
        if key in bounds:
            if str(problem["input"]).strip().lower() == "nan":
                return f"{field} of {cls.name} must be a number {words} {bounds[key]:g}, got 'nan', which is none"
            return f"{field} of {cls.name} must be {words} {bounds[key]:g}, got {problem['input']}"
    if field and (expected := expected_by(problem)) is not None:
        return f"{field} of {cls.name} must be {expected}, got {problem['input']!r:.60}"
    return f"{field} of {cls.name}: {message}, got {problem['input']!r}" if field else message


def example(kind: str) -> str:
    """Return a spec to show in messages."""
    return {"model": "k-anonymity:k=5", "algorithm": "optimal", "metric": "loss"}[kind]
