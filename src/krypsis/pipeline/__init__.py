"""The pipeline: from a table and what is wanted of it to a release that still has to be checked."""

from krypsis.pipeline.disclosed import warn_of_disclosures, warn_of_inferences
from krypsis.pipeline.generalized import choose_algorithm, models_for, prepare
from krypsis.pipeline.limits import suppression_limit
from krypsis.pipeline.make import make_release
from krypsis.pipeline.related_table import RelatedTable
from krypsis.pipeline.task import Task, is_perturbation, settled
from krypsis.pipeline.transactions import SetPlan, sets_release

__all__ = [
    "RelatedTable",
    "SetPlan",
    "Task",
    "choose_algorithm",
    "is_perturbation",
    "make_release",
    "models_for",
    "prepare",
    "sets_release",
    "settled",
    "suppression_limit",
    "warn_of_disclosures",
    "warn_of_inferences",
]
