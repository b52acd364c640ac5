"""What every registered attack must say about itself and do, on a small target on which it succeeds."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

import krypsis
from krypsis import registry
from krypsis.attacks.base import Attack
from krypsis.attacks.dependencies import DependencyTarget
from krypsis.attacks.exposure import TableAttack
from krypsis.attacks.graphs.base import GraphTarget
from krypsis.attacks.history_attack import ReleaseSequence
from krypsis.attacks.ontologies.base import OntologyTarget
from krypsis.cli.main import app
from krypsis.data.dependencies import parse_dependency
from krypsis.data.graphs import Graph
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.ontologies import Ontology
from krypsis.data.schema import Schema
from krypsis.io.history import Version
from krypsis.kinds.base import kinds
from krypsis.kinds.table.make import release_of
from krypsis.texts.description import summary

ATTACKS = registry.built_in("attack")
every_attack = pytest.mark.parametrize("name", ATTACKS)
ROWS = [("31", "a", "flu"), ("31", "a", "flu"), ("31", "b", "gout"), ("40", "b", "flu"), ("40", "b", "ulcer")]
ROLES = {"age": "quasi-identifier", "zip": "quasi-identifier", "disease": "sensitive"}
TREE = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
VOTERS = pl.DataFrame({"name": ["Ann", "Bob"], "age": ["31", "40"], "zip": ["b", "a"]})


def table() -> krypsis.Release:
    rows = pl.DataFrame(ROWS, schema=["age", "zip", "disease"], orient="row")
    return release_of(rows, Schema.of(ROLES), ())


def sets() -> krypsis.Release:
    baskets = krypsis.Transactions.of_sets([["aids", "clinic"]] * 6 + [["bread"]] * 6)
    return krypsis.anonymize(baskets, models="km-anonymity:k=3,m=2", algorithm="disassociation")


def version(*groups: dict[str, str], looks: bool = False) -> Version:
    """Return a release of groups, each person → published value; names that begin with - are counterfeits."""
    rows = [(name, str(at), value) for at, group in enumerate(groups) for name, value in group.items()]
    frame = pl.DataFrame(rows, schema=["name", "group", "value"], orient="row")
    people = frame.with_columns(name=pl.when(pl.col("name").str.starts_with("-")).then(None).otherwise("name"))
    made = Version.of(people, group="group", sensitive="value", person="name")
    seen = frame.select("group", look=pl.int_range(pl.len()))
    return Version(made.records, made.members, made.counterfeits, seen) if looks else made


def comparison() -> ReleaseSequence:
    """Ann leaves and Bob stays: what is no longer there was hers."""
    return ReleaseSequence([version({"Ann": "flu", "Bob": "gout"}), version({"Bob": "gout", "Cid": "cold"})])


def generalized() -> ReleaseSequence:
    """The flu goes up when Ann leaves, and comes down as asthma when Cid comes."""
    stay = {"Dan": "flu", "Eve": "ulcer"}
    first = version({"Ann": "flu", "Bob": "ulcer"}, stay)
    second = version({"-": "lungs", "Bob": "ulcer"}, stay)
    return ReleaseSequence([first, second, version({"Cid": "asthma", "Bob": "ulcer"}, stay)], TREE)


def changed() -> ReleaseSequence:
    """With two values, one cannot differ from three who differ from each other."""
    pairs = [("12", "34"), ("13", "24"), ("14", "23")]
    return ReleaseSequence([version(*({a: "flu", b: "gout"} for a, b in groups)) for groups in pairs])


def network() -> GraphTarget:
    """A graph of people whose attribute follows from the degree, published as it is, under new numbers."""
    rng = np.random.default_rng(5)
    graph = Graph.of_codes(rng.integers(0, 60, (200, 2)), 60)
    described = replace(graph, attributes=pl.DataFrame({"ill": (graph.degrees > 6).astype(str)}))
    return GraphTarget.unprotected(described, rng, sensitive=("ill",))


def ontology() -> OntologyTarget:
    """Facts that are published as they are, with rules by which a secret about Ann follows."""
    facts = Ontology.of_text("ClassAssertion(ObjectSomeValuesFrom(:takes :Insulin) :Ann) ClassAssertion(:Patient :Bob)")
    rules = Ontology.of_text("SubClassOf(ObjectSomeValuesFrom(:takes :Insulin) :Diabetic)")
    return OntologyTarget(facts, facts, rules, ("ClassAssertion(:Diabetic ?)",))


def dependent_cells() -> DependencyTarget:
    """A table of which each record reveals the blank cell of another."""
    original = pl.DataFrame({"zip": ["1", "1", "2", "2"], "city": ["A", "A", "B", "B"]})
    published = original.with_columns(city=pl.Series(["A", None, "B", None]))
    return DependencyTarget.of_tables(original, published, parse_dependency("zip -> city"), ("city",))


TARGETS: dict[str, Callable[[], object]] = {
    "active": network,
    "background": table,
    "candidate-intersection": lambda: [network()],
    "candidate-values": comparison,
    "changed-values": changed,
    "cover": sets,
    "critical-absence": comparison,
    "derivation": ontology,
    "family": lambda: ReleaseSequence([version({"Ann": "flu", "Bob": "asthma"})], TREE),
    "generalization-timing": generalized,
    "homogeneity": table,
    "hub-fingerprint": network,
    "identification": lambda: ReleaseSequence([version({"Ann": "flu", "Bob": "gout"}, looks=True)]),
    "intersection": comparison,
    "link-disclosure": network,
    "linkage": table,
    "neighborhood": network,
    "range": lambda: ReleaseSequence([version({"Ann": "20", "Bob": "30"})], limits=(Fraction(0), Fraction(100))),
    "register-linkage": table,
    "rule-inference": dependent_cells,
    "seed-and-propagate": network,
    "sibling": generalized,
    "subgraph": network,
    "vertex-homogeneity": network,
    "vertex-refinement": network,
}
"""A target for each attack that it succeeds on more often than somebody who has not seen the release."""

REQUIRED: dict[str, dict[str, object]] = {"register-linkage": {"persons": VOTERS}}
"""What an attack cannot be without."""


def attack_named(name: str) -> Attack:
    return ATTACKS[name](**REQUIRED.get(name, {}))


@every_attack
def test_it_says_what_is_known_what_succeeds_and_without_what(name):
    cls = ATTACKS[name]
    assert issubclass(cls, Attack)
    assert cls.kind in kinds()
    assert cls.title
    assert cls.reference
    for words in (cls.knowledge, cls.success, cls.baseline):
        assert words
        assert words[0].islower()
        assert not words.endswith(".")
    assert summary(cls).endswith(".")
    assert all(field.description for field in cls.model_fields.values())


@every_attack
def test_it_has_an_example_that_runs_and_a_line_in_the_documentation(name):
    assert ">>>" in (ATTACKS[name].__doc__ or "")
    page = Path(__file__).parents[2] / "docs" / "concepts" / "attacks.md"
    assert f"`{name}`" in page.read_text(encoding="utf-8")


@every_attack
def test_the_command_line_lists_and_explains_it(name):
    listed = CliRunner().invoke(app, ["attacks", "--json"])
    assert name in [entry["name"] for entry in json.loads(listed.stdout)]
    shown = json.loads(CliRunner().invoke(app, ["attacks", name, "--json"]).stdout)
    cls = ATTACKS[name]
    assert (shown["knowledge"], shown["success"], shown["baseline"]) == (cls.knowledge, cls.success, cls.baseline)
    text = " ".join(CliRunner().invoke(app, ["attacks", name]).stdout.split())
    for words in (cls.knowledge, cls.success, cls.baseline, cls.reference):
        assert words.split()[-1] in text


@every_attack
def test_it_is_frozen_and_its_spec_reads_back(name):
    attack = attack_named(name)
    with pytest.raises(ValidationError):
        attack.kind_of_attacker = "curious"  # type: ignore[attr-defined]
    if name not in REQUIRED:
        assert attack.spec == name
        assert registry.create("attack", attack.spec) == attack


@every_attack
def test_it_succeeds_more_often_than_without_the_release_and_says_how_sure_that_is(name):
    target = TARGETS[name]()
    aimed = attack_named(name).aimed_at(target)
    assert aimed
    for attack in aimed:
        found = attack.run(target)
        assert found.attack == name
        assert 0 <= found.baseline < found.rate <= 1
        assert 0 <= found.low <= found.rate <= found.high <= 1
        assert found.low < found.high
        assert 0 <= found.certain <= found.targets
        assert found.targets > 0
        assert all(sentence.endswith(".") for sentence in found.cannot_say)
        assert json.loads(json.dumps(found.as_dict()))["rate"] == found.rate
        assert found.sentence().startswith(f"{name}: succeeds for ")


@every_attack
def test_it_is_not_aimed_at_data_of_another_kind(name):
    for target in (table(), sets(), ReleaseSequence([]), pl.DataFrame()):
        kind = target.publication.kind if isinstance(target, krypsis.Release) else "history"
        if kind != ATTACKS[name].kind:
            assert attack_named(name).aimed_at(target) == ()


@every_attack
def test_neither_its_result_nor_what_it_is_given_names_anybody_when_shown(name):
    target, attack = TARGETS[name](), attack_named(name)
    shown = f"{attack!r} {attack!s} {attack.spec} {attack.run(target)!r}"
    shown += repr(target) if isinstance(target, ReleaseSequence) else ""
    assert not [person for person in ("Ann", "Bob", "Cid", "Dan", "Eve") if person in shown]


@pytest.mark.parametrize("name", [name for name, cls in ATTACKS.items() if issubclass(cls, TableAttack)])
def test_who_knows_no_column_succeeds_as_often_as_without_the_release(name):
    (attack,) = ATTACKS[name](known=()).aimed_at(table())
    found = attack.run(table())
    assert found.rate == pytest.approx(found.baseline)
