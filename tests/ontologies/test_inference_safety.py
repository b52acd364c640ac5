"""Inference-safe publishing: fixtures of the source, brute force over all subsets, refusals, and the hardness proof."""

from itertools import chain, combinations

import numpy as np
import pytest

from effort import either
from krypsis.algorithms.ontologies.completion.in_memory import InMemoryCompletion
from krypsis.algorithms.ontologies.inference_safety import OntologyMethod, OntologyResult, OntologyTask, base
from krypsis.algorithms.ontologies.inference_safety.greedy_removal import GreedyRemoval
from krypsis.algorithms.ontologies.inference_safety.hitting_sets import HittingSets
from krypsis.data.ontologies import Ontology, normalize
from krypsis.errors import DataError, Infeasible, UsageError
from krypsis.registry import create
from ontologies.entailment import follows
from ontologies.naive_closure import naive_closure, saturated, stated
from ontologies.random_ontologies import Sizes, random_ontology

METHODS = [HittingSets(), GreedyRemoval()]
BOWEL_DATA = [
    "ClassAssertion(ObjectSomeValuesFrom(:attendedBy :Gastroenterologist) :john)",
    "ClassAssertion(ObjectSomeValuesFrom(:attendedBy :Psychiatrist) :john)",
]
BOWEL_PUBLIC = [
    "SubClassOf(ObjectSomeValuesFrom(:attendedBy :Gastroenterologist) :GastricDisorder)",
    "SubClassOf(ObjectSomeValuesFrom(:attendedBy :Psychiatrist) :MentalDisorder)",
    "SubClassOf(ObjectIntersectionOf(:GastricDisorder :MentalDisorder) :IBS)",
]
VACCINATION = [
    "SubClassOf(ObjectIntersectionOf(:InfectedWithVirusA :NotVaccinated) :Ill)",
    "SubClassOf(ObjectSomeValuesFrom(:Vaccinated :VaccineTypeX) :NotVaccinated)",
    "ClassAssertion(:VaccineTypeX :va)",
    "ClassAssertion(:Vaccinated1994 :john)",
    "ClassAssertion(:InfectedWithVirusA :john)",
    "SubClassOf(:Vaccinated1994 ObjectSomeValuesFrom(:Vaccinated ObjectOneOf(:va)))",
]


def published(
    axioms: list[str], public: list[int], secrets: list[str], method: OntologyMethod = METHODS[0], **more: object
) -> OntologyResult:
    ontology = Ontology.of_text("\n".join(axioms), repeated=True)
    task = OntologyTask(ontology, np.isin(np.arange(len(axioms)), public), secrets, **more)
    return method.publish(task)


def without(axioms: list[str], removed) -> list[str]:
    return [axiom for place, axiom in enumerate(axioms) if place not in set(removed)]


@pytest.mark.parametrize("method", METHODS)
def test_either_visit_is_kept_back_in_the_bowel_example(method: OntologyMethod):
    result = published([*BOWEL_DATA, *BOWEL_PUBLIC], [2, 3, 4], ["ClassAssertion(:IBS :john)"], method)
    assert len(result.removed) == 1
    assert set(result.removed.tolist()) < {0, 1}
    assert result.is_optimal
    assert result.kept.tolist() == [place not in result.removed for place in (0, 1)] + [False] * 3
    (report,) = result.secrets
    assert report.readable == "john : IBS"
    assert report.derivations[0].axioms == (0, 1, 2, 3, 4)
    assert report.broken_by == (tuple(result.removed.tolist()),)


def test_without_reflexivity_nothing_would_be_seen_in_the_bowel_example():
    ontology = Ontology.of_text("\n".join([*BOWEL_DATA, *BOWEL_PUBLIC]))
    forms = normalize(ontology)
    john, bowel = forms.first_individual, 2 + ontology.classes.to_list().index(":IBS")
    assert ("sub", john, bowel) not in saturated(stated(forms), forms, reflexive=False)
    assert (john, bowel) in naive_closure(forms).sub


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("public", "any_of"), [([0, 1], {2, 3, 4, 5}), ([0, 1, 2, 5], {3, 4})])
def test_one_axiom_is_enough_in_the_vaccination_example(method: OntologyMethod, public: list[int], any_of: set[int]):
    secret = ["ClassAssertion(:Ill :john)"]
    assert published(VACCINATION, public, secret, method).removed.tolist()[0] in any_of
    for one in any_of:  # whichever is the cheapest is removed
        weights = np.full(6, 2.0)
        weights[one] = 1.0
        result = published(VACCINATION, public, secret, method, weights=weights)
        assert result.removed.tolist() == [one]
        assert result.cost == 1
        assert not follows(without(VACCINATION, [one]), "ObjectOneOf(:john)", ":Ill") if one not in (3, 4) else True
    assert follows(VACCINATION, "ObjectOneOf(:john)", ":Ill")


def test_a_derivation_is_told_step_by_step():
    (only,) = Ontology.of_text("\n".join(VACCINATION)).justifications("ClassAssertion(:Ill :john)", None)
    assert only.axioms == (0, 1, 2, 3, 4, 5)
    assert only.sentences[-1] == (
        "john : Ill, because john : InfectedWithVirusA and john : NotVaccinated, "
        "by InfectedWithVirusA ⊓ NotVaccinated ⊑ Ill"
    )
    concluded = {step.conclusion for step in only.steps}
    for step in only.steps:  # whatever a step needs is an axiom, or was concluded before
        for premise in (*step.because, *step.by):
            assert premise.axiom is not None or only.steps[premise.step].conclusion == premise.text
    assert {"Vaccinated(john, va)", "john : NotVaccinated", "john : Ill"} <= concluded | {"Vaccinated(john, va)"}


def test_what_is_stated_is_removed_and_what_does_not_follow_is_reported():
    axioms = ["ClassAssertion(:HIV :ann)", "ClassAssertion(:Adult :ann)", "SubClassOf(:HIV :Patient)"]
    result = published(axioms, [2], ["ClassAssertion(:HIV ?)", "SubClassOf(:Adult :HIV)"])
    assert result.removed.tolist() == [0]
    assert result.secrets[0].is_stated
    assert result.not_derivable == ("SubClassOf(:Adult :HIV)",)
    assert any("did not follow anyway" in sentence for sentence in result.said)
    nothing = published(axioms, [2], ["SubClassOf(:Adult :HIV)"])
    assert nothing.removed.tolist() == []
    assert nothing.is_optimal
    assert nothing.cost == 0


@pytest.mark.parametrize("method", METHODS)
def test_what_is_public_alone_implies_is_refused_with_its_derivation(method: OntologyMethod):
    axioms = ["ClassAssertion(:HIV :ann)", "SubClassOf(:HIV :Patient)", "ClassAssertion(:Patient :ann)"]
    with pytest.raises(Infeasible) as failure:
        published(axioms, [0, 1], ["ClassAssertion(:Patient ?)"], method)
    assert "ann : Patient, because ann : HIV, by HIV ⊑ Patient" in str(failure.value)
    assert failure.value.closest == {"secrets": ["ClassAssertion(:Patient :ann)"]}


def test_an_axiom_that_has_to_be_published_stays():
    axioms = ["ClassAssertion(:A :a)", "SubClassOf(:A :B)"]
    weights = np.array([1.0, np.inf])
    assert published(axioms, [], ["ClassAssertion(:B :a)"], weights=weights).removed.tolist() == [0]
    with pytest.raises(Infeasible):
        published(axioms, [], ["ClassAssertion(:B :a)"], weights=np.array([np.inf, np.inf]))


@pytest.mark.parametrize("method", METHODS)
def test_contradictions_are_refused_or_are_leaks_of_everything(method: OntologyMethod):
    axioms = [
        "ClassAssertion(:A :a)", "ClassAssertion(:B :a)", "DisjointClasses(:A :B)", "ClassAssertion(:C :b)",
        "SubClassOf(:D :E)",
    ]  # fmt: skip
    with pytest.raises(DataError, match=r"contradict each other.*from a : A, a : B, disjoint: A, B"):
        published(axioms, [2], ["ClassAssertion(:E :b)"], method)
    result = published(axioms, [2], ["ClassAssertion(:E :b)"], type(method)(contradictions="remove"))
    assert len(result.removed) == 1
    assert result.removed[0] in (0, 1)
    assert result.not_derivable == ()
    assert result.secrets[0].secret == -1
    assert any("contradict" in sentence for sentence in result.said)


def test_an_empty_class_discloses_all_that_is_asked_of_it():
    axioms = ["SubClassOf(:C :D)", "DisjointClasses(:C :D)", "SubClassOf(:E :F)"]
    result = published(axioms, [], ["SubClassOf(:C :F)"])
    assert len(result.removed) == 1
    assert result.removed[0] in (0, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"secrets": []}, "there are no secrets"),
        ({"weights": np.array([1.0])}, "expected one for each of 2 axioms"),
        ({"weights": np.array([1.0, -1.0])}, "at least 0"),
        ({"public": np.array([True])}, "expected one for each"),
        ({"ontology": Ontology.of_text("")}, "no axioms"),
    ],
)
def test_a_task_that_does_not_fit_together_is_refused(change: dict, message: str):
    ontology = Ontology.of_text("ClassAssertion(:A :a) SubClassOf(:A :B)")
    given = {"ontology": ontology, "public": np.zeros(2, dtype=bool), "secrets": ["ClassAssertion(:B :a)"], **change}
    with pytest.raises(UsageError, match=message):
        HittingSets().publish(OntologyTask(**given))


def test_too_many_consequences_to_count_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(base, "MOST_COUNTED", 2)
    axioms = ["ClassAssertion(:A :a)", "SubClassOf(:A :B)"]
    assert len(published(axioms, [], ["ClassAssertion(:B :a)"]).removed) == 1
    with pytest.raises(UsageError, match=r"3 facts follow.*choose the cost 'weights'"):
        published(axioms, [], ["ClassAssertion(:B :a)"], HittingSets(cost="consequences"))


def named_consequences(axioms: list[str], names: list[str]) -> int:
    """How many inclusions between names follow, by the oracle; all names are there."""
    ontology = Ontology.of_text("\n".join([*axioms, *names]), repeated=True)
    forms = normalize(ontology)
    known = naive_closure(forms)
    roles = len(ontology.roles)
    return (
        sum(max(row) < forms.first_fresh for row in known.sub)
        + sum(max(row[0], row[2]) < forms.first_fresh and row[1] < roles for row in known.some)
        + sum(row[0] < forms.first_fresh and row[1] < roles for row in known.selves)
    )


def random_problems(count: int, axioms: int = 9):
    """Random ontologies with secrets that follow and can be prevented: axioms, public ones, secrets, what they ask."""
    seed = found = 0
    while found < count:
        rng = np.random.default_rng(seed)
        seed += 1
        ontology = random_ontology(rng, Sizes(classes=4, individuals=2, roles=2), axioms)
        names = [f"SubClassOf(<{name}> owl:Thing)" for name in ontology.classes]
        names += [f"ClassAssertion(owl:Thing <{name}>)" for name in ontology.individuals]
        names += [f"SubObjectPropertyOf(<{name}> <{name}>)" for name in ontology.roles]
        texts = [ontology.functional(place) for place in range(len(ontology))]
        classes = [f"<{name}>" for name in ontology.classes]
        one, two, three = rng.choice(classes, 3).tolist()
        role, individual = f"<{ontology.roles[0]}>", f"<{ontology.individuals[0]}>"
        related = f"ObjectSomeValuesFrom({role} {three})"
        asked = {
            f"ClassAssertion({one} {individual})": (f"ObjectOneOf({individual})", one),
            f"ClassAssertion({related} {individual})": (f"ObjectOneOf({individual})", related),
            f"SubClassOf({two} {related})": (two, related),
        }
        public = np.flatnonzero(rng.random(len(texts)) < 0.25).tolist()
        known = [texts[place] for place in public]

        def leaks(axioms: list[str], asked: dict = asked, names: list[str] = names) -> bool:
            return any(follows([*axioms, *names], *sides) for sides in asked.values())

        if leaks(texts) and not leaks(known):
            found += 1
            yield texts, names, public, list(asked), leaks


def every_subset(places: list[int]):
    return chain.from_iterable(combinations(places, size) for size in range(len(places) + 1))


def test_no_safe_removal_of_random_ontologies_is_cheaper():
    for texts, names, public, secrets, leaks in random_problems(either(60, 3), axioms=either(9, 7)):
        axioms = [*texts, *names]
        always = [*public, *range(len(texts), len(axioms))]
        weights = np.random.default_rng(len(texts)).integers(1, 4, len(axioms)).astype(float)
        exact = published(axioms, always, secrets, HittingSets(contradictions="remove"), weights=weights)
        greedy = published(axioms, always, secrets, GreedyRemoval(contradictions="remove"), weights=weights)
        for result in (exact, greedy):  # Guarantee 2, by the oracle
            assert not leaks(without(texts, result.removed.tolist()))
            assert not set(result.removed.tolist()) & set(always)
        data = [place for place in range(len(texts)) if place not in public]
        best = min(
            weights[list(removed)].sum()
            for removed in every_subset(data)
            if weights[list(removed)].sum() < exact.cost or removed == tuple(exact.removed.tolist())
            if not leaks(without(texts, removed))
        )
        assert exact.cost == best
        assert exact.is_optimal
        assert greedy.lower_bound <= best <= greedy.cost


def test_no_safe_removal_of_random_ontologies_keeps_more_consequences():
    for texts, names, public, secrets, leaks in random_problems(either(40, 2), axioms=6):
        axioms = [*texts, *names]
        always = [*public, *range(len(texts), len(axioms))]
        before = named_consequences(texts, names)
        exact = published(axioms, always, secrets, HittingSets(cost="consequences", contradictions="remove"))
        few = published(axioms, always, secrets, GreedyRemoval(cost="consequences", contradictions="remove"))
        data = [place for place in range(len(texts)) if place not in public]
        best = min(
            before - named_consequences(without(texts, removed), names)
            for removed in every_subset(data)
            if not leaks(without(texts, removed))
        )
        assert exact.cost == best == before - named_consequences(without(texts, exact.removed.tolist()), names)
        assert exact.is_optimal
        assert not leaks(without(texts, few.removed.tolist()))
        assert few.lower_bound <= best <= few.cost


def hitting_set_problem(sets: list[set[int]], size: int) -> tuple[list[str], list[int], list[str]]:
    """Return the ontology of a hitting set problem: an axiom for each element, conjunctions derive the secrets."""
    axioms = [f"ClassAssertion(:X{one} :a)" for one in range(size)]
    for number, members in enumerate(sets):
        parts = " ".join(f":X{one}" for one in sorted(members))
        left = f"ObjectIntersectionOf({parts})" if len(members) > 1 else parts
        axioms.append(f"SubClassOf({left} :Secret{number})")
    return axioms, list(range(size, len(axioms))), [f"ClassAssertion(:Secret{one} :a)" for one in range(len(sets))]


def random_sets(seed: int) -> tuple[list[set[int]], int, np.ndarray]:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(3, 8))
    sets = [set(rng.choice(size, int(rng.integers(1, min(size, 4) + 1)), replace=False).tolist()) for _ in range(5)]
    return sets, size, rng.integers(1, 5, size).astype(float)


def cheapest_hitting_set(sets: list[set[int]], size: int, weights: np.ndarray) -> float:
    return min(
        weights[list(chosen)].sum()
        for chosen in every_subset(list(range(size)))
        if all(members & set(chosen) for members in sets)
    )


def test_hitting_sets_are_removals_which_shows_how_hard_it_is():
    for seed in range(either(200, 12)):
        sets, size, weights = random_sets(seed)
        axioms, public, secrets = hitting_set_problem(sets, size)
        costs = np.concatenate([weights, np.ones(len(public))])
        result = published(axioms, public, secrets, weights=costs)
        assert result.cost == cheapest_hitting_set(sets, size, weights)


def test_the_printed_mapping_to_set_cover_removes_too_much():
    """It takes the firings of secrets as the universe and, for each, all axioms that lead to it as one set.

    A cover then has to hold every firing, and so all axioms behind each of them, where one is enough.
    """
    costs_more = 0
    for seed in range(12):
        sets, size, weights = random_sets(seed)
        # The set P_i covers the firing that it leads to: all of them are needed, and their union is removed.
        printed = set().union(*sets)
        axioms, public, secrets = hitting_set_problem(sets, size)
        assert all(members & printed for members in sets)
        result = published(axioms, public, secrets, weights=np.concatenate([weights, np.ones(len(public))]))
        assert result.cost <= weights[list(printed)].sum()
        costs_more += result.cost < weights[list(printed)].sum()
    assert costs_more >= 10
    axioms, public, secrets = hitting_set_problem([{0, 1}], 2)
    assert len(published(axioms, public, secrets).removed) == 1  # the printed mapping removes both


def test_methods_are_found_by_their_names():
    assert create("algorithm", "hitting-sets:time_limit=5") == HittingSets(time_limit=5)
    assert create("algorithm", "greedy-removal:cost=consequences") == GreedyRemoval(cost="consequences")
    assert InMemoryCompletion().engine
