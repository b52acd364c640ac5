"""Write the pages that are made from the code: catalogue.md from the registry, api.md from the docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from pydoc import locate
from types import FunctionType
from typing import Any

from krypsis import registry
from krypsis.texts.description import scheme_in_words

DOCS = Path(__file__).parent
MEMBERS = (FunctionType, classmethod, staticmethod, property, cached_property)

# The public names by what one wants to do with them.
API = {
    "Make a release": ["krypsis.anonymize", "krypsis.Release", "krypsis.Plan"],
    "Choose a promise": [
        "krypsis.advisor.Wizard",
        "krypsis.advisor.advise",
        "krypsis.advisor.evidence_of",
        "krypsis.advisor.Advice",
    ],
    "Explore the ways to make one": ["krypsis.explore", "krypsis.Exploration", "krypsis.Recorder"],
    "Follow an algorithm": ["krypsis.Trace", "krypsis.TraceStep"],
    "Recode new rows the same way": ["krypsis.apply", "krypsis.Recipe"],
    "Publish a table that changes": [
        "krypsis.History",
        "krypsis.kinds.history.version_release.VersionRelease",
        "krypsis.kinds.history.version_release.Change",
    ],
    "Answer questions with noise": [
        "krypsis.Queries",
        "krypsis.PrivacyBudget",
        "krypsis.kinds.table.queries.Answer",
    ],
    "Check a table": ["krypsis.check", "krypsis.Verdict"],
    "Check what is not one table": [
        "krypsis.checker.check_views",
        "krypsis.checker.SubjectTable",
        "krypsis.checker.check_transactions",
        "krypsis.io.item_sets.transactions_of",
        "krypsis.checker.transactions.rare_sets",
        "krypsis.checker.check_history",
        "krypsis.checker.version_of_folder",
        "krypsis.io.history.Version",
        "krypsis.attacks.intersection.vanished_values",
    ],
    "Attack a release": [
        "krypsis.Attack",
        "krypsis.attacks.base.AttackSuccess",
        *(f"krypsis.{cls.__name__}" for cls in registry.built_in("attack").values()),
        "krypsis.attacks.exposure.Exposure",
    ],
    "Attack all releases of a table that changes": [
        "krypsis.attacks.histories.attack_history",
        "krypsis.attacks.histories.HistoryAttackReport",
        "krypsis.attacks.history_attack.ReleaseSequence",
        "krypsis.attacks.history_attack.Learned",
        "krypsis.attacks.history_attack.LearnedValue",
        "krypsis.attacks.family.KnownFamilies",
    ],
    "Document a release": [
        "krypsis.release.dossier.read_dossier",
        "krypsis.release.dossier.Dossier",
        "krypsis.release.dossier.find_problems",
        "krypsis.release.dossier.load_profile",
        "krypsis.report.complete_dossier",
        "krypsis.report.write_dossier",
    ],
    "Measure what analysts can still do": [
        "krypsis.kinds.table.utility.utility_gauge",
        "krypsis.kinds.table.utility.dependence",
        "krypsis.kinds.table.utility.tree_accuracy",
        "krypsis.kinds.table.utility.kept_rules",
        "krypsis.kinds.table.utility.cluster_agreement",
        "krypsis.kinds.table.utility.query_error",
        "krypsis.kinds.table.utility.random_queries",
        "krypsis.kinds.table.utility.CountQuery",
        "krypsis.kinds.table.utility.true_count",
        "krypsis.kinds.table.utility.estimated_count",
        "krypsis.kinds.table.utility.reconstruction_error",
    ],
    "Describe the data": [
        *("krypsis.Schema", "krypsis.Role", "krypsis.Hierarchy", "krypsis.Transactions"),
        *("krypsis.Graph", "krypsis.ClusteredGraph", "krypsis.Ontology"),
    ],
    "Promise": [f"krypsis.{cls.__name__}" for cls in registry.built_in("model").values()],
    "Search": [f"krypsis.{cls.__name__}" for cls in registry.built_in("algorithm").values()],
    "Measure what is lost": [f"krypsis.{cls.__name__}" for cls in registry.built_in("metric").values()],
    "Find models, algorithms, metrics and attacks": ["krypsis.registry.classes", "krypsis.registry.create"],
    "Write your own": [
        "krypsis.register",
        "krypsis.GroupModel",
        "krypsis.SensitiveModel",
        "krypsis.Metric",
        "krypsis.Algorithm",
    ],
    "Example data": ["krypsis.kinds.table.demo.hospital", "krypsis.kinds.table.demo.hospital_plan"],
    "Errors": [
        "krypsis.errors.KrypsisError",
        "krypsis.errors.UsageError",
        "krypsis.errors.Infeasible",
        "krypsis.errors.PromiseBroken",
        "krypsis.errors.DossierRefused",
        "krypsis.errors.HistoryBusy",
        "krypsis.errors.OutputError",
        "krypsis.errors.PrivacyWarning",
    ],
}


def main() -> None:
    """Write both pages."""
    for name, lines in {"catalogue.md": catalogue(), "api.md": api()}.items():
        (DOCS / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def catalogue() -> Iterator[str]:
    """Yield the page that lists everything registered."""
    yield "# Catalogue\n"
    yield "Made from the registry: what is listed here is what the command line, plans and Python accept.\n"
    for kind in registry.KINDS:
        yield f"## {kind.title()}s\n"
        for name, cls in registry.built_in(kind).items():
            yield f"### {name}\n"
            yield from entry(cls)


def entry(cls: type[Any]) -> Iterator[str]:
    """Yield what a registered class says about itself."""
    yield summary(cls) + "\n"
    if cls.aliases:
        yield f"Also called: {', '.join(f'`{alias}`' for alias in cls.aliases)}\n"
    yield from parameters(cls)
    if hasattr(cls, "scheme"):
        yield f"- **What it does** (`{cls.scheme}`): {scheme_in_words(cls.scheme)}"
    for label, attribute in {
        "Formula": "formula",
        "Range": "range",
        "In plain words": "sentence",
        "Guarantees": "guarantee",
        "Protects from": "protects_from",
        "Does not protect from": "does_not_protect_from",
        "The attacker knows": "knowledge",
        "Counts as success": "success",
        "Without the release": "baseline",
        "Reference": "reference",
    }.items():
        if text := getattr(cls, attribute, None):
            yield f"- **{label}**: {text}"
    yield ""


def parameters(cls: type[Any]) -> Iterator[str]:
    """Yield a table of the parameters, if there are any."""
    if not cls.model_fields:
        return
    yield "| parameter | meaning | default |\n|---|---|---|"
    for name, field in cls.model_fields.items():
        default = "required" if field.is_required() else f"`{field.get_default(call_default_factory=True)}`"
        yield f"| `{name}` | {field.description or ''} | {default} |"
    yield ""


def api() -> Iterator[str]:
    """Yield the page of public names, by meaning."""
    yield "# Python\n"
    yield "Names directly in `krypsis` stay as they are; other programs may rely on them.\n"
    for meaning, names in API.items():
        yield f"## {meaning}\n"
        for name in names:
            yield from described(name, locate(name))


def described(name: str, thing: Any) -> Iterator[str]:
    """Yield a public name with its signature, docstring and public methods."""
    if thing is None:
        raise SystemExit(f"{name} is listed in docs/make_pages.py and does not exist")
    shown = name if inspect.isclass(thing) else f"{name}{signature(thing)}"
    yield f"### `{name}`\n\n```text\n{shown}\n\n{inspect.getdoc(thing)}\n```\n"
    if inspect.isclass(thing):
        yield "\n".join(members(thing)) + "\n"


def members(cls: type[Any]) -> Iterator[str]:
    """Yield the documented methods and properties that a class defines itself."""
    for name, value in vars(cls).items():
        member = getattr(cls, name, None)
        if not name.startswith("_") and summary(value) and isinstance(value, MEMBERS):
            yield f"- `{name}{signature(member) if callable(member) else ''}`: {summary(value)}"


def signature(thing: Any) -> str:
    """Return names and defaults of the parameters; what they may be is said in the docstring."""
    exact = inspect.signature(thing)
    names = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in exact.parameters.values()]
    text = str(exact.replace(parameters=names, return_annotation=inspect.Signature.empty))
    return re.sub(r"<function (\w+) at 0x\w+>", r"\1", text).replace("PosixPath('.')", "'.'")


def summary(thing: Any) -> str:
    """Return the first paragraph of a docstring as one line."""
    return " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split()).replace("``", "`")


if __name__ == "__main__":
    main()
