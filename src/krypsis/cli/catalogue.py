"""``krypsis models``, ``algorithms``, ``metrics``, ``attacks`` and ``explain``: what the registry holds."""

import textwrap
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from krypsis.cli.streams import print_text
from krypsis.texts.description import describe, summary

WIDTH = 100
PLURALS = {"model": "models", "algorithm": "algorithms", "metric": "metrics", "attack": "attacks"}
DATA = {
    "table": "a table",
    "tables": "several tables of the same persons",
    "transactions": "records that are sets of items",
    "graph": "people and the connections between them",
    "ontology": "facts and rules from which more follows",
    "dependencies": "a table whose cells follow from others",
    "history": "a table that changes, published version after version",
}
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


Name = Annotated[str | None, typer.Argument(help="Explain this one instead.", show_default=False)]


def models(name: Name = None, json: AsJson = False) -> None:
    """List the privacy models: what can be promised."""
    _show("model", name, json)


def algorithms(name: Name = None, json: AsJson = False) -> None:
    """List the algorithms: what searches for a release."""
    _show("algorithm", name, json)


def metrics(name: Name = None, json: AsJson = False) -> None:
    """List the metrics: what measures the loss."""
    _show("metric", name, json)


def attacks(name: Name = None, json: AsJson = False) -> None:
    """List the attacks: what tries to learn something about people from a release."""
    _show("attack", name, json)


def explain(
    name: Annotated[str, typer.Argument(help="A model, algorithm, metric or attack, such as k-anonymity.")],
    json: AsJson = False,
) -> None:
    """Explain a model, an algorithm, a metric or an attack."""
    _print_entry(*_find(name), json)


def _show(kind: str, name: str | None, json: bool) -> None:
    from krypsis import registry  # noqa: PLC0415 - the registry loads the heavy libraries

    if name is None:
        _print_list(kind, json)
    else:
        _print_entry(kind, registry.find(kind, name), json)


def _print_entry(kind: str, cls: type[Any], json: bool) -> None:
    facts = describe(kind, cls)
    print_text(_as_json(facts) if json else "\n".join(_as_text(facts)))


def _print_list(kind: str, json: bool) -> None:
    from krypsis import registry  # noqa: PLC0415 - the registry loads the heavy libraries

    found = registry.classes(kind)
    if json:
        print_text(_as_json([{"name": name, "data": cls.kind, "summary": summary(cls)} for name, cls in found.items()]))
        return
    width, of_data = max(map(len, found)), max(len(cls.kind) for cls in found.values())
    for name, cls in found.items():
        print_text(f"{name:<{width}}  {cls.kind:<{of_data}}  {summary(cls)}")


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
        "knowledge": "the attacker knows",
        "success": "counts as success",
        "baseline": "without the release",
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
