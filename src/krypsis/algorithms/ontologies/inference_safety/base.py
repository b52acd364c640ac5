"""What methods that publish a part of an ontology have in common: the task, the result, and the way between them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.algorithms.minimal_removal import Removal
from krypsis.algorithms.ontologies.completion.base import CompletionEngine
from krypsis.algorithms.ontologies.completion.in_memory import InMemoryCompletion
from krypsis.algorithms.ontologies.justifications import Justification, explain
from krypsis.algorithms.ontologies.leaks import Leak, LeakGraph, axiom_key, find_leaks
from krypsis.algorithms.ontologies.provenance import Provenance
from krypsis.algorithms.ontologies.secrets import Secrets
from krypsis.algorithms.tables.base import Method
from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.ontologies.language import refuse_ranges_outside
from krypsis.data.ontologies.ontology import Ontology
from krypsis.errors import DataError, Infeasible, InternalError, UsageError, shorten
from krypsis.format.inference_guarantee import GUARANTEE
from krypsis.models.base import PrivacyModel
from krypsis.models.inference_safety import InferenceSafety
from krypsis.progress import NO_PROGRESS, Progress

MOST_EXPLAINED = 5
"""Of more derivations of one secret, or of more secrets in a message, the first are explained."""
MOST_COUNTED = 300_000
"""Of more facts, lost consequences are not counted: that needs all derivations of all of them."""
MOST_REPORTED = 1_000
"""Of more secrets that followed, the first are reported with their derivations."""


@dataclass(frozen=True, eq=False)
class OntologyTask:
    """What a method is given: the data together with what is public, and what must not follow."""

    ontology: Ontology
    """The data, and what is public; see :func:`krypsis.data.ontologies.merging.merged`."""
    public: BoolArray
    """Which axioms everybody knows: they are not published, and removing them would not help."""
    secrets: Sequence[str]
    """In functional syntax, with ``?`` for anything; see :meth:`krypsis.algorithms.ontologies.secrets.Secrets.of`."""
    weights: FloatArray | None = None
    """What it costs to remove each axiom: 1 unless given, infinite for axioms that have to be published."""
    models: Sequence[PrivacyModel] = (InferenceSafety(),)

    @property
    def is_removable(self) -> BoolArray:
        """Which axioms need not be published."""
        is_free = np.ones(len(self.ontology), dtype=np.bool_) if self.weights is None else np.isfinite(self.weights)
        return is_free & ~np.asarray(self.public, dtype=np.bool_)

    def check(self) -> None:
        """Raise if parts of the task do not go together."""
        if not len(self.ontology):
            raise UsageError("the ontology has no axioms; expected at least one")
        for what, given in (("public", self.public), ("weights", self.weights)):
            if given is not None and len(given) != len(self.ontology):
                raise UsageError(
                    f"{what} has {len(given):,} entries; expected one for each of {len(self.ontology):,} axioms"
                )
        if self.weights is not None and not (self.weights >= 0).all():
            raise UsageError("a weight is negative or not a number; expected weights of at least 0")
        refuse_ranges_outside(self.ontology)
        if not self.secrets:
            raise UsageError("there are no secrets; state at least one, such as ClassAssertion(:HIV_Patient ?)")


@dataclass(frozen=True, eq=False)
class SecretReport:
    """What became of one secret that followed before."""

    secret: int
    """Which of the given secrets it is, or is an instance of; -1 for a contradiction."""
    text: str
    """In functional syntax."""
    readable: str
    is_stated: bool
    """Whether an axiom of the data is the secret itself."""
    derivations: tuple[Justification, ...]
    """Derivations that were found; there may have been others, which the same removals break. None where there are very
    many secrets."""
    broken_by: tuple[tuple[int, ...], ...]
    """The removed axioms of each of these derivations."""


@dataclass(frozen=True, eq=False)
class OntologyResult:
    """Which axioms are published, and what stays with the publisher."""

    kept: BoolArray
    """Which axioms of the data are published; none of those that are public."""
    removed: IntArray
    """The axioms of the data that are not, in ascending order."""
    cost: float
    lower_bound: float
    """No removal that is safe costs less."""
    is_optimal: bool
    gap: float
    """The share of the cost that a better removal could save at most; 0 for an optimum."""
    secrets: tuple[SecretReport, ...]
    """The secrets that followed from all axioms; those of a pattern one by one."""
    not_derivable: tuple[str, ...]
    """Given secrets that did not follow from all axioms, and for which nothing had to be removed."""
    said: tuple[str, ...] = ()
    """What the publisher should know."""
    private: dict[str, Any] = field(default_factory=dict)
    """Figures of the run."""


class OntologyMethod(Method):
    """Removes axioms of the data until no secret follows from the rest and what is public."""

    kind: ClassVar[str] = "ontology"
    scheme: ClassVar[str] = "axioms"
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = (InferenceSafety,)
    needs: ClassVar[tuple[type[PrivacyModel], ...]] = (InferenceSafety,)
    guarantee: ClassVar[str] = GUARANTEE
    cost: Literal["weights", "consequences", "weights-then-consequences"] = Field(
        default="weights",
        description="what is kept low: the sum of the weights of removed axioms, the number of lost consequences, or "
        "the second where the first is the same",
    )
    contradictions: Literal["refuse", "remove"] = Field(
        default="refuse",
        description="what is done where the axioms contradict each other: refuse the data, or remove axioms until they "
        "do not",
    )
    time_limit: float = Field(default=60.0, gt=0, description="seconds for the search; then the best so far is taken")

    @abstractmethod
    def choose(
        self, graph: LeakGraph, weights: FloatArray, always: IntArray, progress: Progress = NO_PROGRESS
    ) -> Removal:
        """Return what to remove, in statements of the graph.

        Parameters
        ----------
        graph
            all derivations of the secrets that follow.
        weights
            of all statements: infinite for axioms that stay, not a number for facts.
        always
            the axioms that are public, as statements.
        progress
            may ask to stop.
        """

    def publish(
        self, task: OntologyTask, progress: Progress = NO_PROGRESS, *, engine: CompletionEngine | None = None
    ) -> OntologyResult:
        """Return which axioms are published.

        Raises
        ------
        Infeasible
            if secrets follow from what is public, or from axioms that have to be published; with a derivation.
        DataError
            if the axioms contradict each other; with a derivation, unless contradictions are to be removed.
        UsageError
            if a secret cannot be understood or names what does not occur.
        """
        task.check()
        engine = engine or InMemoryCompletion()
        progress.phase("complete")
        secrets = Secrets.of(task.secrets, task.ontology)
        provenance = Provenance(engine.complete(secrets.normal[0], progress))
        leaks = find_leaks(secrets, provenance)
        if self.contradictions == "refuse":
            _refuse_contradiction(leaks, provenance)
        progress.phase("search")
        graph = LeakGraph.of(leaks, provenance, self._counted(provenance) if leaks else None)
        removal = self._chosen(task, graph, progress)
        removed = graph.axioms_of(removal.removed)
        if len(removed):
            _check_again(secrets, removed, engine)
        return _result(task, graph, removal, removed)

    def _counted(self, provenance: Provenance) -> IntArray | None:
        """Return the facts whose loss is counted, where it is."""
        if self.cost == "weights":
            return None
        facts = provenance.tables["conjunction"].first
        if facts > MOST_COUNTED:
            raise UsageError(
                f"{facts:,} facts follow from the axioms, and lost consequences are counted among at most "
                f"{MOST_COUNTED:,}; choose the cost 'weights'"
            )
        return np.arange(facts)

    def _chosen(self, task: OntologyTask, graph: LeakGraph, progress: Progress) -> Removal:
        weights = np.full(graph.derivations.statements, np.nan)
        given = np.ones(len(task.ontology)) if task.weights is None else task.weights.astype(np.float64)
        weights[graph.axioms] = np.where(task.public, np.inf, given)
        always = graph.axioms[task.public]
        try:
            return self.choose(graph, weights, always, progress)
        except Infeasible as failure:
            raise _infeasible(graph, np.flatnonzero(~task.is_removable), failure.closest["goals"]) from None


def _refuse_contradiction(leaks: Sequence[Leak], provenance: Provenance) -> None:
    """Raise if the axioms contradict each other, with one derivation of it."""
    found = next((leak for leak in leaks if leak.secret < 0), None)
    if found is None:
        return
    first = replace(found, needed=(found.needed[0][:1],))
    graph = LeakGraph.of([first], provenance)
    axioms = graph.axioms_of(graph.derivations.justification(int(graph.goals[0]), graph.axioms))
    raise DataError(
        f"the axioms contradict each other, so that everything follows from them. {explain(graph, 0, axioms)}\n"
        "Correct the data or what is public, or have axioms removed until there is no contradiction "
        "(contradictions=remove)"
    )


def _infeasible(graph: LeakGraph, fixed: IntArray, goals: object) -> Infeasible:
    """Return the error for secrets that follow from what is not removed, with a derivation of the first."""
    places = np.flatnonzero(np.isin(graph.goals, np.asarray(goals))).tolist()
    around = graph.around(places[0])
    axioms = around.axioms_of(around.derivations.justification(int(around.goals[0]), around.axioms[fixed]))
    first = explain(around, 0, axioms)
    names = [graph.leaks[place].readable for place in places]
    return Infeasible(
        f"{len(names):,} secret(s) follow from what is public, or has to be published, alone: "
        f"{shorten(names, MOST_EXPLAINED)}. Nothing that is removed from the data prevents that. {first}\n"
        "Take them out of the secrets, or other axioms out of what is public",
        {"secrets": [graph.leaks[place].text for place in places]},
    )


def _check_again(secrets: Secrets, removed: IntArray, engine: CompletionEngine) -> None:
    """Complete what is left, and raise if a secret follows after all."""
    left = find_leaks(secrets, Provenance(engine.complete(secrets.normal[0].without(removed))))
    if left:
        raise InternalError(f"{left[0].text} still follows after {len(removed)} axioms were removed")


def _result(task: OntologyTask, graph: LeakGraph, removal: Removal, removed: IntArray) -> OntologyResult:
    kept = ~np.asarray(task.public, dtype=np.bool_)
    kept[removed] = False
    found: dict[int, list[tuple[int, ...]]] = {goal: [] for goal in graph.goals.tolist()}
    for goal, statements in removal.justifications:
        found[goal].append(statements)
    stated = {axiom_key(task.ontology, one) for one in removed.tolist()}
    reports = tuple(
        _report(task, graph, place, sorted(set(found[goal]), key=lambda one: (len(one), one)), removed, stated)
        for place, goal in enumerate(graph.goals.tolist())
    )
    followed = {leak.secret for leak in graph.leaks}
    missing = () if -1 in followed else tuple(text for place, text in enumerate(task.secrets) if place not in followed)
    data = int((~task.public).sum())
    said = [f"{len(removed):,} of {data:,} axioms were removed, so that {len(graph.leaks):,} secret(s) do not follow."]
    if not graph.leaks:
        said = [f"Nothing was removed of {data:,} axioms: no secret followed from them."]
    if missing:
        said.append(f"{len(missing):,} secret(s) did not follow anyway: {shorten(missing, MOST_EXPLAINED)}.")
    if len(reports) > MOST_REPORTED:
        said.append(f"Derivations are shown of the first {MOST_REPORTED:,} secrets that followed.")
    if -1 in followed:
        said.append("The axioms contradict each other, so that everything followed from them.")
    if not removal.is_optimal:
        said.append(f"A better removal may exist, and would cost at most {removal.gap:.1%} less.")
    private = {
        "facts": len(graph.dependencies.facts),
        "firings": len(graph.dependencies.rules),
        "justifications": len(removal.justifications),
        **removal.figures,
    }
    return OntologyResult(
        kept, removed, removal.cost, removal.lower_bound, removal.is_optimal, removal.gap, reports, missing,
        tuple(said), private,
    )  # fmt: skip


def _report(
    task: OntologyTask,
    graph: LeakGraph,
    place: int,
    sets: list[tuple[int, ...]],
    removed: IntArray,
    stated: set[tuple[int, ...]],
) -> SecretReport:
    """Return what is known of one secret; a derivation may need axioms that stay, and is explained with these."""
    leak = graph.leaks[place]
    is_stated = leak.secret >= 0 and axiom_key(leak.axioms, leak.place) in stated
    if place >= MOST_REPORTED:
        broken = [tuple(np.intersect1d(graph.axioms_of(one), removed).tolist()) for one in sets]
        return SecretReport(leak.secret, leak.text, leak.readable, is_stated, (), tuple(broken))
    around = graph.around(place)
    goal, stay = int(around.goals[0]), around.axioms[~task.is_removable]
    chosen = [np.concatenate([around.axioms[graph.axioms_of(one)], stay]) for one in sets[:MOST_EXPLAINED]]
    derivations, broken = [], []
    for given in chosen or [around.axioms]:  # what breaks it may have been found for other secrets alone
        axioms = around.axioms_of(around.derivations.justification(goal, given))
        derivations.append(explain(around, 0, axioms))
        broken.append(tuple(np.intersect1d(axioms, removed).tolist()))
    return SecretReport(leak.secret, leak.text, leak.readable, is_stated, tuple(derivations), tuple(broken))
