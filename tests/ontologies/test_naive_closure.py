"""The oracle of completion is right itself: fixtures of the source, and constructs that occur in random ontologies."""

import numpy as np
from hypothesis import given, settings

from effort import either, examples
from krypsis.data.ontologies.normal_forms import FORMS, NormalForms, normalize
from ontologies.naive_closure import firings, naive_closure, reported, saturated, stated, tautologies
from ontologies.random_ontologies import forms_of, normal_forms, random_forms, random_ontology

VIRUS, NOT_VACCINATED, ILL, TYPE_X, VACCINATED_1994, JOHN, VA = range(2, 9)


def vaccination() -> NormalForms:
    tables = {
        "conjunction": [[VIRUS, NOT_VACCINATED, ILL]],
        "some_left": [[0, TYPE_X, NOT_VACCINATED]],
        "sub": [[VA, TYPE_X], [JOHN, VACCINATED_1994], [JOHN, VIRUS]],
        "some_right": [[VACCINATED_1994, 0, VA]],
    }
    return forms_of(tables, classes=5, individuals=2)


def test_the_vaccination_ontology_has_four_consequences_in_three_rounds():
    forms = vaccination()
    known = naive_closure(forms)
    explicit = reported(stated(forms))
    assert known.sub - explicit.sub == {(VACCINATED_1994, NOT_VACCINATED), (JOHN, NOT_VACCINATED), (JOHN, ILL)}
    assert known.some - explicit.some == {(JOHN, 0, VA)}
    assert known.selves == set()


def test_without_tautologies_five_rules_fire_on_the_vaccination_ontology():
    forms = vaccination()
    fired = list(firings(saturated(stated(forms), forms, reflexive=False), forms))
    assert sorted(firing.rule for firing in fired) == [1, 2, 3, 4, 4]


def test_an_existential_on_both_sides_needs_reflexivity():
    forms = forms_of({"some_right": [[2, 0, 3]], "some_left": [[0, 3, 4]]}, classes=3)
    assert (2, 4) in naive_closure(forms).sub
    assert ("sub", 2, 4) not in saturated(stated(forms), forms, reflexive=False)


@settings(max_examples=examples(200), deadline=None)
@given(normal_forms())
def test_a_closure_is_closed(forms: NormalForms):
    known = saturated(stated(forms), forms)
    assert {firing.conclusion for firing in firings(known, forms)} <= known
    assert tautologies(forms) <= known


def test_every_rule_fires_in_random_ontologies():
    fired: set[int] = set()
    for seed in range(either(400, 40)):
        forms = random_forms(np.random.default_rng(seed))
        fired |= {firing.rule for firing in firings(saturated(stated(forms), forms), forms)}
    assert fired == set(range(1, 17))


def test_random_axioms_have_all_normal_forms():
    filled: set[str] = set()
    for seed in range(40):
        forms = normalize(random_ontology(np.random.default_rng(seed)))
        filled |= {name for name in FORMS if len(getattr(forms, name))}
    assert filled == set(FORMS)
