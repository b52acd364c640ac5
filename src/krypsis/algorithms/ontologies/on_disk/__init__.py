"""Completion on disk: sorted files of axioms, joined within a budget of memory."""

from krypsis.algorithms.ontologies.on_disk.batch import BatchByType, BatchCompletion, SemiNaiveCompletion
from krypsis.algorithms.ontologies.on_disk.rule_at_a_time import RuleAtATime

__all__ = ["BatchByType", "BatchCompletion", "RuleAtATime", "SemiNaiveCompletion"]
