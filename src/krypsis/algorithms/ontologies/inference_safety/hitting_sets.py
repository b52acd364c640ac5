"""Hitting sets: the cheapest removal by which no secret follows."""

from typing import ClassVar

from krypsis.algorithms.minimal_removal import (
    Removal,
    remove_minimally,
    remove_minimally_then_few_lost,
    remove_with_fewest_lost,
)
from krypsis.algorithms.ontologies.inference_safety.base import OntologyMethod
from krypsis.algorithms.ontologies.leaks import LeakGraph
from krypsis.arrays import FloatArray, IntArray
from krypsis.progress import NO_PROGRESS, Progress


class HittingSets(OntologyMethod):
    """Removes the axioms of lowest cost by which no secret follows.

    Notes
    -----
    What follows from what is public drops out of the graph of derivations first, which then falls into independent
    parts. In each, the cheapest hitting set of the justifications found so far is computed as an integer program, and
    justifications that it does not hit are added, until there are none. Where the time limit ends the search, a safe
    removal is returned with a lower bound of the cost.

    References
    ----------
    Chandrasekaran, Karp, Moreno-Centeno, Vempala, "Algorithms for implicit hitting set problems", SODA 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from krypsis.algorithms.ontologies.inference_safety import OntologyTask
    >>> from krypsis.data.ontologies import Ontology
    >>> ontology = Ontology.of_text("ClassAssertion(:Infected :john) SubClassOf(:Infected :Ill)")
    >>> task = OntologyTask(ontology, np.array([False, True]), ["ClassAssertion(:Ill ?)"])
    >>> result = HittingSets().publish(task)
    >>> result.removed.tolist(), result.is_optimal, result.secrets[0].derivations[0].sentences
    ([0], True, ('john : Ill, because john : Infected, by Infected ⊑ Ill',))
    """

    name: ClassVar[str] = "hitting-sets"
    reference: ClassVar[str] = (
        "Chandrasekaran, Karp, Moreno-Centeno, Vempala, Algorithms for implicit hitting set problems, SODA 2011"
    )

    def choose(
        self, graph: LeakGraph, weights: FloatArray, always: IntArray, progress: Progress = NO_PROGRESS
    ) -> Removal:
        if self.cost != "weights":
            remove = remove_with_fewest_lost if self.cost == "consequences" else remove_minimally_then_few_lost
            return remove(
                graph.derivations,
                graph.goals,
                weights,
                always,
                counted=graph.is_consequence,
                time_limit=self.time_limit,
                progress=progress,
            )
        return remove_minimally(
            graph.derivations, graph.goals, weights, always, time_limit=self.time_limit, progress=progress
        )
