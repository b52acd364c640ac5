"""Greedy removal: what breaks most derivations for its cost goes first."""

from typing import ClassVar

from krypsis.algorithms.minimal_removal import Removal, remove_greedily, remove_with_few_lost
from krypsis.algorithms.ontologies.inference_safety.base import OntologyMethod
from krypsis.algorithms.ontologies.leaks import LeakGraph
from krypsis.arrays import FloatArray, IntArray
from krypsis.progress import NO_PROGRESS, Progress


class GreedyRemoval(OntologyMethod):
    """Removes first the axiom that breaks most derivations for its cost, and gives back what was not needed.

    Notes
    -----
    For ontologies with so many derivations that the cheapest removal is out of reach. A linear program over the
    derivations that were found says how much a better removal could save at most.

    References
    ----------
    Chvátal, "A greedy heuristic for the set-covering problem", Mathematics of Operations Research 4(3), 1979.

    Examples
    --------
    >>> import numpy as np
    >>> from krypsis.algorithms.ontologies.inference_safety import OntologyTask
    >>> from krypsis.data.ontologies import Ontology
    >>> ontology = Ontology.of_text("ClassAssertion(:A :a) SubClassOf(:A :B) SubClassOf(:A :C)")
    >>> task = OntologyTask(ontology, np.array([False] * 3), ["ClassAssertion(:B :a)", "ClassAssertion(:C :a)"])
    >>> result = GreedyRemoval().publish(task)
    >>> result.removed.tolist(), result.gap
    ([0], 0.0)
    """

    name: ClassVar[str] = "greedy-removal"
    reference: ClassVar[str] = (
        "Chvátal, A greedy heuristic for the set-covering problem, Mathematics of Operations Research 4(3), 1979"
    )

    def choose(
        self, graph: LeakGraph, weights: FloatArray, always: IntArray, progress: Progress = NO_PROGRESS
    ) -> Removal:
        if self.cost != "consequences":  # of greedy removals no two are known to cost the same
            return remove_greedily(
                graph.derivations, graph.goals, weights, always, time_limit=self.time_limit, progress=progress
            )
        return remove_with_few_lost(
            graph.derivations,
            graph.goals,
            weights,
            always,
            counted=graph.is_consequence,
            time_limit=self.time_limit,
            progress=progress,
        )
