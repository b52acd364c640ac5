"""The compiled engine against the rules in plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from tests.effort import examples
from tests.ontologies.naive_closure import closure_sets, naive_closure
from tests.ontologies.random_ontologies import (
    SMALL,
    Sizes,
    forms_of,
    normal_forms,
    random_forms,
    random_ontology,
    seeds,
)

from krypsis.algorithms.ontologies.completion.in_memory import InMemoryCompletion
from krypsis.data.ontologies import NormalForms, normalize
from krypsis.progress import Interrupted, Progress

ENGINE = InMemoryCompletion()
WITH_SELF_CHAINS = Sizes(classes=4, individuals=3, roles=2, sub=4, self_right=3, role_chain=3)


def assert_same(forms: NormalForms) -> None:
    assert closure_sets(ENGINE.complete(forms)) == naive_closure(forms)


@given(normal_forms())
@settings(max_examples=examples(2000))
def test_it_derives_what_the_rules_derive(forms: NormalForms) -> None:
    assert_same(forms)


@given(seeds())
@settings(max_examples=examples(1000))
def test_it_derives_what_the_rules_derive_from_more_axioms(rng: np.random.Generator) -> None:
    assert_same(random_forms(rng, SMALL.times(2)))


@given(seeds())
@settings(max_examples=examples(1000))
def test_chains_of_roles_to_oneself_hand_on_what_they_find(rng: np.random.Generator) -> None:
    assert_same(random_forms(rng, WITH_SELF_CHAINS))


@given(seeds())
@settings(max_examples=examples(500))
def test_it_derives_what_the_rules_derive_from_nested_axioms(rng: np.random.Generator) -> None:
    assert_same(normalize(random_ontology(rng)))


def test_rows_are_in_ascending_order() -> None:
    found = ENGINE.complete(random_forms(np.random.default_rng(3), SMALL.times(3)))
    for rows in (found.sub, found.some, found.selves):
        assert rows.tolist() == sorted(rows.tolist())
        assert rows.dtype == np.int32


def test_a_long_chain_of_a_transitive_role_fills_all_pairs() -> None:
    # Every class is related to all that follow it: lists, existentials and items grow many times over.
    length = 300
    some = [[2 + place, 0, 3 + place] for place in range(length - 1)]
    found = ENGINE.complete(forms_of({"some_right": some, "role_chain": [[0, 0, 0]]}, length))
    assert found.some.tolist() == [[one, 0, two] for one in range(2, length + 2) for two in range(one + 1, length + 2)]


def test_a_class_in_very_many_conjunctions_is_compared_with_what_is_known() -> None:
    # The second conjunct of each is one of 500 classes; the first class is a subclass of the last of these.
    pairs = [[2, 3 + place, 503 + place] for place in range(500)]
    found = ENGINE.complete(
        forms_of({"conjunction": pairs, "sub": [[1003, 502], [1003, 2], [1004, 2], [1004, 3]]}, 1003)
    )
    assert found.sub.tolist() == [[1003, 2], [1003, 502], [1003, 1002], [1004, 2], [1004, 3], [1004, 503]]


def test_a_listener_may_stop_it() -> None:
    class Impatient(Progress):
        def wants_stop(self) -> bool:
            return True

    with pytest.raises(Interrupted, match="stopped"):
        ENGINE.complete(forms_of({"sub": [[2, 3]]}, 2), Impatient())
