"""The pipeline: from a table and what is wanted of it to a release that still has to be checked."""

from krypsis.pipeline.generalized import choose_algorithm, prepare
from krypsis.pipeline.limits import suppression_limit
from krypsis.pipeline.make import make_release
from krypsis.pipeline.task import Task, is_perturbation

__all__ = ["Task", "choose_algorithm", "is_perturbation", "make_release", "prepare", "suppression_limit"]
