"""All engines on disk derive the same as the rules in plain Python, with any budget."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from effort import either
from krypsis.algorithms.ontologies.completion.in_memory import InMemoryCompletion
from krypsis.algorithms.ontologies.on_disk import BatchByType, BatchCompletion, RuleAtATime, SemiNaiveCompletion
from krypsis.algorithms.ontologies.on_disk.engine import DiskCompletion
from krypsis.data.ontologies.normal_forms import BOTTOM, FORMS, TOP, NormalForms, normalize
from krypsis.errors import UsageError
from krypsis.progress import Interrupted, Progress
from ontologies.naive_closure import (
    Fact,
    Firing,
    closure_sets,
    firings,
    naive_closure,
    reported,
    saturated,
    stated,
    tautologies,
)
from ontologies.random_ontologies import SMALL, Sizes, forms_of, normal_forms, random_forms, random_ontology

ROOMY = {"memory": 2**18, "page_bytes": 256}
TIGHT = {"memory": 4500, "page_bytes": 16}
"""Pages of two axioms, and buffers of a few: groups of edges cross them."""
ENGINES: list[DiskCompletion] = [
    BatchCompletion(**ROOMY),
    BatchCompletion(**TIGHT),
    BatchCompletion(**TIGHT, apply_merge=False),
    SemiNaiveCompletion(**ROOMY),
    SemiNaiveCompletion(**TIGHT),
    BatchByType(**ROOMY),
    BatchByType(memory=6000, page_bytes=16),
    RuleAtATime(**ROOMY),
]
EVERY_ENGINE = [*ENGINES, InMemoryCompletion()]
FEW = Sizes(classes=3, individuals=1, roles=2, sub=2, conjunction=1, some_right=2, some_left=1, self_right=1,
            self_left=0, role_sub=1, role_chain=1)  # fmt: skip


@settings(max_examples=either(1000, 10), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(normal_forms())
def test_all_engines_derive_what_the_rules_derive(forms: NormalForms):
    expected = naive_closure(forms)
    for engine in EVERY_ENGINE:
        assert closure_sets(engine.complete(forms)) == expected, engine


@pytest.mark.parametrize("seed", range(either(3000, 4)))
def test_all_engines_derive_what_the_rules_derive_from_larger_ontologies(seed: int):
    rng = np.random.default_rng(seed)
    forms = random_forms(rng, SMALL.times(float(rng.choice([1, 2, 3]))))
    expected = naive_closure(forms)
    for engine in EVERY_ENGINE:
        assert closure_sets(engine.complete(forms)) == expected, engine


@pytest.mark.parametrize("seed", range(either(500, 2)))
def test_axioms_with_nested_expressions_are_completed(seed: int):
    forms = normalize(random_ontology(np.random.default_rng(seed)))
    expected = naive_closure(forms)
    for engine in (BatchCompletion(**ROOMY), BatchByType(**ROOMY)):
        assert closure_sets(engine.complete(forms)) == expected


def test_groups_cross_buffers_and_fill_them():
    """A node with more edges than the buffers hold, on both sides."""
    sub = [[2, other] for other in range(3, 80)] + [[other, 2] for other in range(80, 150)]
    forms = forms_of(
        {"sub": sub, "conjunction": [[3, 79, 150], [40, 41, 151]], "self_right": [[2, 0]], "some_left": [[0, 50, 152]]},
        classes=152,
    )
    closure = BatchCompletion(memory=5000, page_bytes=16).complete(forms)
    assert closure.figures["spilled_groups"] > 0
    assert closure.figures["peak_memory"] <= 5000
    assert closure_sets(closure) == naive_closure(forms)
    apart = SemiNaiveCompletion(memory=5000, page_bytes=16).complete(forms)
    assert apart.figures["spilled_groups"] > 0
    assert closure_sets(apart) == naive_closure(forms)


LEMMAS = [(first, second, merge) for first in (False, True) for second in (False, True) for merge in (False, True)]


def test_the_lemmas_change_no_closure_and_save_firings():
    fired: Counter[tuple[bool, bool, bool]] = Counter()
    for seed in range(either(1000, 6)):
        forms = random_forms(np.random.default_rng(seed), SMALL.times(1.5))
        expected = naive_closure(forms)
        for lemma_52, lemma_53, apply_merge in LEMMAS:
            engine = BatchCompletion(**ROOMY, lemma_52=lemma_52, lemma_53=lemma_53, apply_merge=apply_merge)
            closure = engine.complete(forms)
            assert closure_sets(closure) == expected
            fired[lemma_52, lemma_53, apply_merge] += closure.figures["firings"]
    assert fired[False, True, False] < fired[False, False, False]
    assert fired[True, True, True] < fired[False, False, False]
    # ApplyMerge changes when rules are applied, but not to what; Lemma 5.2 saves tuples, not firings.
    assert len({fired[lemma_52, False, merge] for lemma_52, _, merge in LEMMAS}) == 1


def expected_firings(forms: NormalForms) -> set[Firing]:
    """Return all instances of rules except those that tautologies make superfluous."""
    trivial = tautologies(forms)
    return {
        firing
        for firing in firings(saturated(stated(forms), forms), forms)
        if firing.conclusion not in trivial and not _is_superfluous(firing, trivial)
    }


def _is_superfluous(firing: Firing, trivial: set[Fact]) -> bool:
    first, *others = firing.premises
    if firing.rule in {1, 3, 11}:  # C ⊑ C before or after a step; C ⊑ ⊤ is a step
        return first[1] == first[2] or others[0] in trivial
    if firing.rule == 16:
        return first in trivial
    # What ⊤ ⊓ ⊤ ⊑ D says follows from ⊤ ⊑ D for all others.
    return firing.rule == 2 and first[2] == others[0][2] == TOP and first[1] != TOP


@pytest.mark.parametrize("engine", [SemiNaiveCompletion, RuleAtATime])
@pytest.mark.parametrize("seed", range(either(400, 5)))
def test_without_lemmas_each_instance_of_a_rule_fires_once(seed: int, engine: type, tmp_path: Path):
    forms = random_forms(np.random.default_rng(seed))
    with engine(**ROOMY, log=tmp_path / "firings").derive(forms) as found:
        fired = Counter(Firing(*firing) for firing in found.firings)
    assert set(fired) == expected_firings(forms)
    assert set(fired.values()) <= {1}


@pytest.mark.parametrize("engine", [BatchCompletion, SemiNaiveCompletion])
@pytest.mark.parametrize("seed", range(either(250, 3)))
def test_logged_firings_give_the_closure_of_every_part_of_the_axioms(seed: int, engine: type, tmp_path: Path):
    forms = random_forms(np.random.default_rng(seed), FEW)
    with engine(**ROOMY, log=tmp_path / "firings").derive(forms) as found:
        logged = {Firing(*firing) for firing in found.firings}
    axioms = sorted({(name, *row) for name in FORMS for row in getattr(forms, name).tolist()})
    places = {fact: place for place, fact in enumerate(axioms)}
    always = tautologies(forms)
    for size in range(len(axioms) + 1):
        for chosen in combinations(axioms, size):
            rows = {name: [fact[1:] for fact in chosen if fact[0] == name] for name in FORMS}
            part = forms_of(rows, FEW.classes, FEW.individuals, FEW.roles)
            assert reported(forward_chained(logged, stated(part) | always)) == naive_closure(part), (seed, places)


def forward_chained(logged: set[Firing], known: set[Fact]) -> set[Fact]:
    found = set(known)
    while True:
        new = {firing.conclusion for firing in logged if found.issuperset(firing.premises)} - found
        if not new:
            return found
        found |= new


def test_a_closure_can_be_read_block_by_block():
    forms = forms_of({"sub": [[place, place + 1] for place in range(2, 60)]}, classes=60)
    with BatchCompletion(memory=2**14, page_bytes=64).derive(forms) as found:
        blocks = list(found.blocks())
        assert len(blocks) > 1
        assert sum(len(sub) for sub, _, _ in blocks) == len(found) == 58 * 59 // 2
    with pytest.raises(UsageError, match="block by block"):
        BatchCompletion(most_result=1000).complete(forms)


def test_an_empty_ontology_has_an_empty_closure():
    forms = forms_of({}, classes=1)
    for engine in ENGINES:
        assert closure_sets(engine.complete(forms)) == (set(), set(), set())


def test_what_is_said_of_bottom_is_left_out():
    forms = forms_of({"sub": [[BOTTOM, 2], [3, BOTTOM]], "some_right": [[BOTTOM, 0, 2]]}, classes=2)
    for engine in ENGINES:
        assert closure_sets(engine.complete(forms)) == ({(3, BOTTOM)}, set(), set())


@pytest.mark.parametrize("engine", ENGINES)
def test_a_user_can_stop_a_completion_and_nothing_is_left_behind(engine: DiskCompletion, tmp_path: Path):
    class Impatient(Progress):
        def wants_stop(self) -> bool:
            return True

    stopped = type(engine)(memory=2**18, folder=tmp_path)
    forms = forms_of({"sub": [[2, 3], [3, 4]]}, classes=3)
    with pytest.raises(Interrupted):
        stopped.complete(forms, Impatient())
    assert not list(tmp_path.iterdir())
