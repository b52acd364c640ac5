"""Krypsis makes personal data safe to publish."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from krypsis.api import anonymize, apply, check, explore
    from krypsis.exploration import Exploration, Recorder
    from krypsis.hierarchies.base import Hierarchy
    from krypsis.models.alpha_k_anonymity import AlphaKAnonymity
    from krypsis.models.distinct_l_diversity import DistinctLDiversity
    from krypsis.models.entropy_l_diversity import EntropyLDiversity
    from krypsis.models.frequency_l_diversity import FrequencyLDiversity
    from krypsis.models.k_anonymity import KAnonymity
    from krypsis.models.ke_anonymity import KEAnonymity
    from krypsis.models.recursive_l_diversity import RecursiveLDiversity
    from krypsis.models.t_closeness import TCloseness
    from krypsis.models.verdict import Verdict
    from krypsis.plan import Plan
    from krypsis.recipe import Recipe
    from krypsis.release.release import Release
    from krypsis.schema import Role, Schema
    from krypsis.transactions import Transactions

__version__ = "0.1.0"

_HOMES = {
    "anonymize": "krypsis.api",
    "apply": "krypsis.api",
    "check": "krypsis.api",
    "explore": "krypsis.api",
    "Exploration": "krypsis.exploration",
    "Recorder": "krypsis.exploration",
    "Hierarchy": "krypsis.hierarchies.base",
    "AlphaKAnonymity": "krypsis.models.alpha_k_anonymity",
    "DistinctLDiversity": "krypsis.models.distinct_l_diversity",
    "EntropyLDiversity": "krypsis.models.entropy_l_diversity",
    "FrequencyLDiversity": "krypsis.models.frequency_l_diversity",
    "KAnonymity": "krypsis.models.k_anonymity",
    "KEAnonymity": "krypsis.models.ke_anonymity",
    "RecursiveLDiversity": "krypsis.models.recursive_l_diversity",
    "TCloseness": "krypsis.models.t_closeness",
    "Verdict": "krypsis.models.verdict",
    "Plan": "krypsis.plan",
    "Recipe": "krypsis.recipe",
    "Release": "krypsis.release.release",
    "Role": "krypsis.schema",
    "Schema": "krypsis.schema",
    "Transactions": "krypsis.transactions",
}

__all__ = [
    "AlphaKAnonymity",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "Exploration",
    "FrequencyLDiversity",
    "Hierarchy",
    "KAnonymity",
    "KEAnonymity",
    "Plan",
    "Recipe",
    "Recorder",
    "RecursiveLDiversity",
    "Release",
    "Role",
    "Schema",
    "TCloseness",
    "Transactions",
    "Verdict",
    "anonymize",
    "apply",
    "check",
    "explore",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import krypsis`` stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module 'krypsis' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
