"""The advisor: questions that lead to the model that fits, with the reason."""

from typing import TYPE_CHECKING, Any

from krypsis.advisor.advice import Advice
from krypsis.advisor.tree import Tree, load_tree
from krypsis.advisor.wizard import Wizard, advise
from krypsis.kinds.base import DataEvidence

if TYPE_CHECKING:
    from krypsis.kinds.table.findings import evidence_of

__all__ = ["Advice", "DataEvidence", "Tree", "Wizard", "advise", "evidence_of", "load_tree"]


def __getattr__(name: str) -> Any:
    """Load what looks at data when it is asked for: questions alone need no frames."""
    if name == "evidence_of":
        from krypsis.kinds.table.findings import evidence_of  # noqa: PLC0415

        return evidence_of
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
