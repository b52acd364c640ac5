"""``krypsis models``, ``algorithms``, ``metrics`` and ``explain``: what the registry holds, in plain words."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer

from krypsis.discovery import summary

WIDTH = 100
PLURALS = {"model": "models", "algorithm": "algorithms", "metric": "metrics"}
BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
TYPES = {int: "integer", float: "number", str: "text", bool: "true or false"}
DATA = {
    "table": "a table",
    "tables": "several tables of the same persons",
    "transactions": "records that are sets of items",
    "history": "a table that changes, published version after version",
}
SCHEMES = {
    "AG": "generalizes attributes",
    "CG": "generalizes cells",
    "TS": "suppresses records",
    "AS": "suppresses attributes",
    "CS": "suppresses cells",
    "IG": "generalizes items",
    "IS": "suppresses items",
    "bucketization": "groups records and takes the link between what is known and what is sensitive in a group",
    "perturbation": "replaces values by others",
    "disassociation": "publishes records in pieces",
    "mechanism": "makes a table of its own by chance",
    "history": "publishes version after version in groups with counterfeits in the place of records that left",
}

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def models(json: AsJson = False) -> None:
    """List the privacy models: what can be promised."""
    _print_list("model", json)


def algorithms(json: AsJson = False) -> None:
    """List the algorithms: what searches for a release."""
    _print_list("algorithm", json)


def metrics(json: AsJson = False) -> None:
    """List the metrics: what measures the loss."""
    _print_list("metric", json)


def explain(
    name: Annotated[str, typer.Argument(help="A model, algorithm or metric, such as k-anonymity.")],
    json: AsJson = False,
) -> None:
    """Explain a model, an algorithm or a metric."""
    facts = describe(*_find(name))
    typer.echo(_as_json(facts) if json else "\n".join(_as_text(facts)))


def describe(kind: str, cls: type[Any]) -> dict[str, Any]:
    """Return what a registered class says about itself, ready for JSON.

    Examples
    --------
    >>> from krypsis.models.k_anonymity import KAnonymity
    >>> describe("model", KAnonymity)["parameters"][0]["range"]
    'at least 1'
    """
    facts: dict[str, Any] = {"kind": kind, "name": cls.name, "aliases": list(cls.aliases), "summary": summary(cls)}
    facts |= {"data": cls.kind, "written": _written(cls)}
    facts["parameters"] = [_parameter(name, field) for name, field in _required_first(cls)]
    if kind == "model":
        facts |= {"protects_from": cls.protects_from, "does_not_protect_from": cls.does_not_protect_from}
    if kind == "algorithm":
        facts |= {"scheme": cls.scheme, "does": scheme_in_words(cls.scheme)}
        facts |= {"guarantee": cls.guarantee} if hasattr(cls, "guarantee") else {}
    if kind == "metric":
        facts |= {"formula": cls.formula, "says": cls.sentence, "range": cls.range, "better": "lower"}
    return facts | {"reference": cls.reference}


def _print_list(kind: str, json: bool) -> None:
    from krypsis import registry  # noqa: PLC0415 - the registry loads the heavy libraries

    found = registry.classes(kind)
    if json:
        typer.echo(_as_json([{"name": name, "data": cls.kind, "summary": summary(cls)} for name, cls in found.items()]))
        return
    width, of_data = max(map(len, found)), max(len(cls.kind) for cls in found.values())
    for name, cls in found.items():
        typer.echo(f"{name:<{width}}  {cls.kind:<{of_data}}  {summary(cls)}")


def _find(name: str) -> tuple[str, type[Any]]:
    from krypsis import registry  # noqa: PLC0415
    from krypsis.errors import UnknownNameError, did_you_mean  # noqa: PLC0415

    known = {kind: registry.classes(kind) for kind in PLURALS}
    for kind, classes in known.items():
        for cls in classes.values():
            if name in (cls.name, *cls.aliases):
                return kind, cls
    lists = "; ".join(f"{PLURALS[kind]}: {', '.join(classes)}" for kind, classes in known.items())
    names = [one for classes in known.values() for cls in classes.values() for one in (cls.name, *cls.aliases)]
    raise UnknownNameError(f"nothing is called {name!r}; {lists}.{did_you_mean(name, names)}")


def _written(cls: type[Any]) -> str:
    needed = [f"{name}=…" for name, field in cls.model_fields.items() if field.is_required()]
    return f"{cls.name}:{','.join(needed)}" if needed else str(cls.name)


def _required_first(cls: type[Any]) -> list[tuple[str, Any]]:
    return sorted(cls.model_fields.items(), key=lambda item: not item[1].is_required())


def _parameter(name: str, field: Any) -> dict[str, Any]:
    choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    described = {"name": name, "type": "text" if choices else _type_in_words(field.annotation)}
    described["range"] = "one of " + ", ".join(choices) if choices else " and ".join(_bounds(field.metadata))
    default = {} if field.is_required() else {"default": field.get_default(call_default_factory=True)}
    return {**described, "required": field.is_required(), **default, "description": field.description or ""}


def _type_in_words(annotation: Any) -> str:
    """Return what may be given, as people say it; ``None`` is not told, for a parameter with it is optional."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        limits = " and ".join(_bounds(getattr(inner[1], "metadata", inner[1:])))
        return " ".join(filter(None, [_type_in_words(inner[0]), limits]))
    if origin is Literal:
        return "one of " + ", ".join(inner)
    if origin in (dict, Mapping):
        return "mapping" + (f" to {_type_in_words(inner[1])}" if get_origin(inner[1]) is Literal else "")
    if origin is tuple:
        return "list of names" if inner[0] is str else f"list of {_plural(_type_in_words(inner[0]))}"
    if origin in (Union, UnionType):
        words = [_type_in_words(kind) for kind in inner if kind is not type(None)]
        return " or ".join([words[0], *(other.replace(words[0], "one of them") for other in words[1:])])
    return TYPES.get(annotation, getattr(annotation, "__name__", str(annotation)))


def _plural(words: str) -> str:
    return words.replace("list of", "lists of", 1) if words.startswith("list of") else f"{words}s"


def _bounds(metadata: Iterable[Any]) -> list[str]:
    return [
        f"{words} {getattr(bound, key):g}" for bound in metadata for key, words in BOUNDS.items() if hasattr(bound, key)
    ]


def scheme_in_words(scheme: str) -> str:
    """Return what a class of generalization and suppression does.

    Examples
    --------
    >>> scheme_in_words("AG_CS")
    'generalizes attributes, suppresses cells'
    """
    return ", ".join(SCHEMES[part] for part in scheme.split("_") if part in SCHEMES)


def _as_json(document: Any) -> str:
    from json import dumps  # noqa: PLC0415

    return dumps(document, indent=2, ensure_ascii=False)


def _as_text(facts: dict[str, Any]) -> Iterator[str]:
    also = f", also called {', '.join(facts['aliases'])}" if facts["aliases"] else ""
    yield f"{facts['name']} ({facts['kind']}{also})"
    yield from _paragraph("promise" if facts["kind"] == "model" else "in short", facts["summary"])
    yield from _paragraph("for", DATA[facts["data"]])
    yield from _paragraph("written as", facts["written"])
    if facts["parameters"]:
        yield "\nparameters"
        for parameter in facts["parameters"]:
            yield from _parameter_lines(parameter)
    labels = {
        "protects_from": "protects from",
        "does_not_protect_from": "does not protect from",
        "does": "what it does",
        "guarantee": "what it guarantees",
        "formula": "formula",
        "says": "what it says",
        "range": "range",
        "better": "better",
        "reference": "reference",
    }
    for key, label in labels.items():
        if key in facts:
            yield from _paragraph(label, facts[key])


def _parameter_lines(parameter: dict[str, Any]) -> Iterator[str]:
    default = "required" if parameter["required"] else _default_in_words(parameter["default"])
    limits = ", ".join(filter(None, [parameter["type"], parameter["range"], default]))
    yield textwrap.fill(f"{parameter['name']}: {limits}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    yield textwrap.fill(parameter["description"], WIDTH, initial_indent="    ", subsequent_indent="    ")


def _default_in_words(default: object) -> str:
    if default is None or default in ({}, ()):
        return "optional"
    return f"default {str(default).lower() if isinstance(default, bool) else default}"


def _paragraph(label: str, text: str) -> Iterator[str]:
    yield f"\n{label}"
    yield textwrap.fill(text, WIDTH, initial_indent="  ", subsequent_indent="  ")
