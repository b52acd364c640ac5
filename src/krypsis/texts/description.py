"""What registered classes say about themselves: the same words on the command line, in the API and in the docs."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
TYPES = {int: "integer", float: "number", str: "text", bool: "true or false", Any: "table or file"}
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
    "edges": "changes the edges of a graph",
    "relabeling": "gives the vertices of a graph new numbers",
    "supervertices": "publishes groups of vertices with the number of edges between them",
    "axioms": "removes axioms",
    "cells": "blanks cells",
    "mechanism": "makes data of its own by chance",
    "history": "publishes version after version in groups with counterfeits in the place of records that left",
}


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
    if kind == "attack":
        facts |= {"title": cls.title, "knowledge": cls.knowledge, "success": cls.success, "baseline": cls.baseline}
    return facts | {"reference": cls.reference}


def summary(cls: type[Any]) -> str:
    """Return what a class says about itself in the first paragraph of its docstring, as one line.

    Examples
    --------
    >>> from krypsis.data.hierarchies import Flat
    >>> summary(Flat)
    'Every value becomes *.'
    """
    return " ".join((cls.__doc__ or "").split("\n\n")[0].split()).replace("``", "")


def scheme_in_words(scheme: str) -> str:
    """Return what a class of generalization and suppression does.

    Examples
    --------
    >>> scheme_in_words("AG_CS")
    'generalizes attributes, suppresses cells'
    """
    return ", ".join(SCHEMES[part] for part in scheme.split("_") if part in SCHEMES)


def _written(cls: type[Any]) -> str:
    needed = [f"{name}=…" for name, field in cls.model_fields.items() if field.is_required()]
    return f"{cls.name}:{','.join(needed)}" if needed else str(cls.name)


def _required_first(cls: type[Any]) -> list[tuple[str, Any]]:
    return sorted(cls.model_fields.items(), key=lambda item: not item[1].is_required())


def _parameter(name: str, field: Any) -> dict[str, Any]:
    choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    described = {"name": name, "type": "text" if choices else _type_in_words(field.annotation)}
    described["range"] = "one of " + ", ".join(choices) if choices else " and ".join(_bounds(field.metadata))
    default = {} if field.is_required() else {"default": _plain(field.get_default(call_default_factory=True))}
    return {**described, "required": field.is_required(), **default, "description": field.description or ""}


def _plain(default: Any) -> Any:
    """Return a default as JSON can hold it."""
    return float(default) if isinstance(default, Fraction) else default


def _type_in_words(annotation: Any) -> str:
    """Return what may be given, as people say it; ``None`` is not named, for a parameter with it is optional."""
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
