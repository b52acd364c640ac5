"""The advisor: questions that lead to the model that fits, with the reason."""

from krypsis.advisor.advice import Advice
from krypsis.advisor.evidence import Evidence, evidence_of, evidence_of_plan, evidence_of_sets
from krypsis.advisor.tree import Tree, load_tree
from krypsis.advisor.wizard import Wizard, advise

__all__ = [
    "Advice",
    "Evidence",
    "Tree",
    "Wizard",
    "advise",
    "evidence_of",
    "evidence_of_plan",
    "evidence_of_sets",
    "load_tree",
]
