"""Write ``src/krypsis/__init__.pyi``: every public name with its home, for editors and for the package itself."""

from __future__ import annotations

from pathlib import Path

from krypsis import registry

STUB = Path(__file__).parent.parent / "src" / "krypsis" / "__init__.pyi"

# Every registered class is a public name, and these are.
NAMES = {
    "krypsis.algorithms.tables.base": ["Algorithm"],
    "krypsis.algorithms.tables.mechanisms.budget": ["PrivacyBudget"],
    "krypsis.api": ["anonymize", "apply", "check", "explore"],
    "krypsis.attacks.base": ["Attack"],
    "krypsis.kinds.table.exploration": ["Exploration", "Recorder"],
    "krypsis.data.graphs.clustered": ["ClusteredGraph"],
    "krypsis.data.graphs.graph": ["Graph"],
    "krypsis.data.ontologies.ontology": ["Ontology"],
    "krypsis.data.hierarchies.base": ["Hierarchy"],
    "krypsis.kinds.history.history": ["History"],
    "krypsis.kinds.table.queries": ["Queries"],
    "krypsis.metrics.base": ["Metric"],
    "krypsis.models.base": ["GroupModel", "SensitiveModel", "Verdict"],
    "krypsis.plan": ["Plan"],
    "krypsis.progress": ["TraceStep", "Trace"],
    "krypsis.kinds.table.recipe": ["Recipe"],
    "krypsis.registry": ["register"],
    "krypsis.release.release": ["Release"],
    "krypsis.data.schema": ["Role", "Schema"],
    "krypsis.data.transactions": ["Transactions"],
    "krypsis.version": ["__version__"],
}


def stub() -> str:
    """Return the text of the stub."""
    found = [(home, name) for home, names in NAMES.items() for name in names]
    found += [(cls.__module__, cls.__name__) for kind in registry.KINDS for cls in registry.built_in(kind).values()]
    lines = [f"from {home} import {name} as {name}" for home, name in sorted(found)]
    return "\n".join(["# Every public name, with the module that defines it; written by docs/make_stub.py", *lines, ""])


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
