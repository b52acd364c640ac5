"""Inference-safe publishing: a university with 50 secrets, and the Gene Ontology with 10,000 individuals and 200."""

import warnings

import numpy as np

from benchmarks.datasets import adult_folder
from benchmarks.results import Results
from benchmarks.unit import cpu
from krypsis.algorithms.ontologies.completion.in_memory import InMemoryCompletion
from krypsis.algorithms.ontologies.inference_safety import OntologyMethod, OntologyResult, OntologyTask
from krypsis.algorithms.ontologies.inference_safety.greedy_removal import GreedyRemoval
from krypsis.algorithms.ontologies.inference_safety.hitting_sets import HittingSets
from krypsis.arrays import IntArray
from krypsis.data.ontologies import AxiomType, Ontology, OntologyBuilder, normalize
from krypsis.data.ontologies.merging import merged
from krypsis.errors import DataWarning

TARGET = "60 s"
INDIVIDUALS = 10_000
GROUP = 10
"""Individuals are related only to others of their group, such as those of one record."""
MEMBERSHIPS, RELATIONS = 3, 2
"""How many classes an individual is in, and how many others it is related to."""


def measure(results: Results) -> None:
    folder = adult_folder().parents[1] / "ontologies"
    warnings.simplefilter("ignore", DataWarning)  # of imports
    schema = Ontology.read(folder / "univ-bench.owl", ignore_unsupported=True)
    university = Ontology.read(folder / "lubm-university0-0.owl", ignore_unsupported=True)
    warm_up()
    note_removals(results, "LUBM university", university, schema, 50)
    genes = Ontology.read(folder / "go-2019-01-27.obo.xz", ignore_unsupported=True)
    note_removals(results, "GO with individuals", individuals_of(genes), genes, 200)


def note_removals(results: Results, name: str, data: Ontology, public: Ontology, count: int) -> None:
    """Publish without secrets that were drawn among the memberships that follow, and note how long it took."""
    both, origin = merged([data, public])
    task = OntologyTask(both, origin == 1, derivable_memberships(both, count))
    methods: list[OntologyMethod] = [HittingSets(), GreedyRemoval()]
    if len(both) < 10_000:  # consequences are counted where there are not too many
        methods.append(HittingSets(cost="consequences", time_limit=30))
    for method in methods:
        found: list[OntologyResult] = []
        seconds = cpu(lambda: found.append(method.publish(task)), 1)  # noqa: B023  called at once
        (result,) = found
        outcome = "optimal" if result.is_optimal else f"at most {result.gap:.1%} above the optimum"
        note = (
            f"{len(data):,} + {len(public):,} axioms, {count} secrets: {len(result.removed):,} removed, cost "
            f"{result.cost:g}, {outcome}; {result.private['firings']:,} firings, "
            f"{result.private['justifications']:,} justifications"
        )
        results.add(f"{name}, {method.spec}", seconds, TARGET, note=note)


def derivable_memberships(ontology: Ontology, count: int) -> list[str]:
    """Return memberships that follow and that no axiom states."""
    forms = normalize(ontology)
    closure = InMemoryCompletion().complete(forms)
    first, last = forms.first_individual, forms.first_fresh
    left, right = closure.sub.T
    chosen = closure.sub[(left >= first) & (left < last) & (right >= 2) & (right < first)].astype(np.int64)
    stated = forms.sub.astype(np.int64) @ [forms.atoms, 1]
    derived = chosen[~np.isin(chosen @ [forms.atoms, 1], stated)]
    drawn = derived[np.random.default_rng(0).choice(len(derived), count, replace=False)].tolist()
    return [
        f"ClassAssertion(<{ontology.classes[name - 2]}> <{ontology.individuals[one - first]}>)" for one, name in drawn
    ]


def individuals_of(schema: Ontology) -> Ontology:
    """Return random assertions about individuals that do not contradict the schema."""
    found = random_assertions(schema)
    both, _ = merged([found, schema])
    forms = normalize(both)
    empty = InMemoryCompletion().complete(forms).is_empty[forms.first_individual : forms.first_fresh]
    # Contradictions stay within a group: groups with one are left out.
    groups = np.unique(np.flatnonzero(empty) // GROUP)
    subjects = subjects_of(found)
    return found.select(~np.isin(subjects // GROUP, groups))


def random_assertions(schema: Ontology) -> Ontology:
    rng = np.random.default_rng(1)
    builder = OntologyBuilder()
    classes = [builder.class_named(name) for name in schema.classes]
    roles = [builder.role(name) for name in schema.roles]
    individuals = [builder.nominal(f"http://example.org/person{place}") for place in range(INDIVIDUALS)]
    for place, one in enumerate(individuals):
        for drawn in rng.integers(len(classes), size=MEMBERSHIPS).tolist():
            builder.axiom(AxiomType.MEMBER, classes[drawn], one)
        for drawn in rng.integers(GROUP, size=RELATIONS).tolist():
            other = individuals[place - place % GROUP + drawn]
            builder.axiom(AxiomType.RELATED, roles[int(rng.integers(len(roles)))], one, other)
    return builder.build()


def subjects_of(ontology: Ontology) -> IntArray:
    """Return the individual that each assertion is about."""
    places = ontology.arguments.starts[:-1] + 1
    expressions = ontology.arguments.values[places]
    return ontology.expressions.arguments.values[ontology.expressions.arguments.starts[expressions]].astype(np.int64)


def warm_up() -> None:
    """Have everything compiled before the clock starts."""
    ontology = Ontology.of_text("ClassAssertion(:A :a) SubClassOf(:A :B) ObjectPropertyAssertion(:r :a :b)")
    task = OntologyTask(ontology, np.array([False, True, False]), ["ClassAssertion(:B ?)"])
    for method in (HittingSets(), GreedyRemoval(), HittingSets(cost="consequences")):
        method.publish(task)
