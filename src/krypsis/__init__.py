"""Krypsis makes personal data safe to publish.

Every privacy model is a class of this package, too, found when it is first asked for: ``krypsis.KAnonymity(k=5)``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from krypsis.version import __version__

if TYPE_CHECKING:
    from krypsis.api import anonymize, apply, check, explore
    from krypsis.exploration import Exploration, Recorder
    from krypsis.hierarchies.base import Hierarchy
    from krypsis.history import History
    from krypsis.models.verdict import Verdict
    from krypsis.plan import Plan
    from krypsis.recipe import Recipe
    from krypsis.release.release import Release
    from krypsis.schema import Role, Schema
    from krypsis.transactions import Transactions

_HOMES = {
    "anonymize": "krypsis.api",
    "apply": "krypsis.api",
    "check": "krypsis.api",
    "explore": "krypsis.api",
    "Exploration": "krypsis.exploration",
    "Recorder": "krypsis.exploration",
    "Hierarchy": "krypsis.hierarchies.base",
    "History": "krypsis.history",
    "Verdict": "krypsis.models.verdict",
    "Plan": "krypsis.plan",
    "Recipe": "krypsis.recipe",
    "Release": "krypsis.release.release",
    "Role": "krypsis.schema",
    "Schema": "krypsis.schema",
    "Transactions": "krypsis.transactions",
}

__all__ = [
    "Exploration",
    "Hierarchy",
    "History",
    "Plan",
    "Recipe",
    "Recorder",
    "Release",
    "Role",
    "Schema",
    "Transactions",
    "Verdict",
    "__version__",
    "anonymize",
    "apply",
    "check",
    "explore",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import krypsis`` stays light."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    models = _models() if name[:1].isupper() else {}
    if name not in models:
        raise AttributeError(f"module 'krypsis' has no attribute {name!r}")
    return models[name]


def __dir__() -> list[str]:
    return sorted([*__all__, *_models()])


def _models() -> dict[str, type]:
    """Return the registered models by the names of their classes."""
    registered: dict[str, type] = import_module("krypsis.registry").classes("model")
    return {cls.__name__: cls for cls in registered.values()}
