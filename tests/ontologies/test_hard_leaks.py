"""Secrets that follow in ways that are easily missed: ranges, chains, ∃r.Self, unions, and names with prefixes."""

import json
import pickle

import pytest

import krypsis
from krypsis.checker.ontologies import check_ontology
from krypsis.data.ontologies import Ontology
from krypsis.errors import DataError, PromiseBroken, UsageError
from krypsis.models.inference_safety import InferenceSafety

RANGE = "ObjectPropertyRange(:t :C)"
CHAIN = "SubObjectPropertyOf(ObjectPropertyChain(:r :s) :t)"


def published(data: str, secrets: list[str], public: str = "", **options: object) -> set[str]:
    release = krypsis.anonymize(
        Ontology.of_text(data), secrets=secrets, public=(Ontology.of_text(public),) if public else (), **options
    )
    return set(release.table["axiom"])


def is_kept(text: str, secret: str, public: str = "") -> bool | None:
    [verdict] = check_ontology(
        Ontology.of_text(text),
        [InferenceSafety()],
        public=Ontology.of_text(public) if public else None,
        secrets=[secret],
    )
    return verdict.holds


@pytest.mark.parametrize(
    ("data", "public"),
    [
        (f"{CHAIN} ObjectPropertyAssertion(:r :a :b) ObjectPropertyAssertion(:s :b :c)", RANGE),
        (f"{RANGE} ObjectPropertyAssertion(:r :a :b) ObjectPropertyAssertion(:s :b :c)", CHAIN),
        ("SubClassOf(:A ObjectHasValue(:t :c)) ClassAssertion(:A :a)", RANGE),
        ("ClassAssertion(ObjectSomeValuesFrom(:q ObjectHasValue(:t :c)) :a)", RANGE),
        ("ObjectPropertyDomain(:q ObjectHasValue(:t :c)) ObjectPropertyAssertion(:q :a :b)", RANGE),
    ],
)
def test_a_range_in_one_file_that_others_do_not_go_together_with_is_refused(data, public):
    with pytest.raises(DataError, match="outside of the language"):
        published(data, ["ClassAssertion(:C :c)"], public)


def test_an_individual_inside_of_a_restriction_by_a_role_with_a_range_is_refused_in_one_file():
    with pytest.raises(DataError, match="outside of the language"):
        Ontology.of_text(f"{RANGE} ClassAssertion(ObjectSomeValuesFrom(:q ObjectHasValue(:t :c)) :a)")
    assert len(Ontology.of_text(f"{RANGE} ClassAssertion(ObjectIntersectionOf(:A ObjectHasValue(:t :c)) :a)")) == 2


@pytest.mark.parametrize("weight", [0.1, 5.0])
def test_the_range_of_a_chain_stays_when_the_inclusion_of_roles_goes(weight):
    # t(a, c) follows from the chain alone, and c is in the range of t also without s ⊑ t.
    facts = "ObjectPropertyAssertion(:r :a :b) ObjectPropertyAssertion(:s :b :c) ObjectPropertyAssertion(:s :d :c)"
    found = published(
        f"SubObjectPropertyOf(:s :t) {CHAIN} {facts}",
        ["ClassAssertion(:C :c)"],
        RANGE,
        weights={"ObjectPropertyAssertion": weight},
    )
    assert not {CHAIN, *facts.replace(") ", ")|").split("|")[:2]} <= found


def test_the_judge_knows_the_range_of_a_chain():
    facts = "ObjectPropertyAssertion(:r :a :b) ObjectPropertyAssertion(:s :b :c)"
    assert is_kept(f"{CHAIN} {facts}", "ClassAssertion(:C :c)", RANGE) is False
    assert is_kept(facts, "ClassAssertion(:C :c)", RANGE) is True


@pytest.mark.parametrize(
    ("data", "secret"),
    [
        ("SubClassOf(:A ObjectHasSelf(:r)) SubObjectPropertyOf(ObjectPropertyChain(:r :r) :t)", "SubClassOf(:A :B)"),
        (
            (
                "SubClassOf(:A ObjectHasSelf(:r)) SubClassOf(:A ObjectHasSelf(:s)) "
                "SubObjectPropertyOf(ObjectPropertyChain(:r :s :r) :t)"
            ),
            "SubClassOf(:A ObjectHasSelf(:t))",
        ),
        ("ReflexiveObjectProperty(:r) SubObjectPropertyOf(ObjectPropertyChain(:r :r) :t)", "SubClassOf(owl:Thing :B)"),
        (
            (
                "ClassAssertion(ObjectSomeValuesFrom(:q ObjectHasSelf(:r)) :a) "
                "SubObjectPropertyOf(ObjectPropertyChain(:r :r) :t)"
            ),
            "ClassAssertion(ObjectSomeValuesFrom(:q :B) :a)",
        ),
    ],
)
def test_who_is_related_to_itself_by_all_roles_of_a_chain_is_so_by_the_whole(data, secret):
    rule = "SubClassOf(ObjectHasSelf(:t) :B)"
    axioms = {Ontology.of_text(data).functional(place) for place in range(len(Ontology.of_text(data)))}
    assert is_kept(data, secret, rule) is False
    assert published(data, [secret], rule) < axioms


@pytest.mark.parametrize(
    ("axioms", "secret"),
    [
        ("SubClassOf(:A :C) SubClassOf(:B :C)", "SubClassOf(ObjectUnionOf(:A :B) :C)"),
        ("SubClassOf(:B :A)", "SubClassOf(ObjectUnionOf(:A :B) :A)"),
        ("SubClassOf(:A :B) DisjointClasses(:A :C)", "SubClassOf(:A ObjectIntersectionOf(:B ObjectComplementOf(:C)))"),
    ],
)
def test_the_judge_takes_unions_and_complements_apart(axioms, secret):
    assert is_kept(axioms, secret) is False


@pytest.mark.parametrize(
    ("axioms", "secret", "public"),
    [
        ("SubClassOf(:A :B)", "SubClassOf(ObjectIntersectionOf(ObjectUnionOf(:A :B) :D) :B)", ""),
        (
            "ObjectPropertyAssertion(:t :b :a) DisjointClasses(:C :D)",
            "ClassAssertion(ObjectComplementOf(:D) :a)",
            RANGE,
        ),
    ],
    ids=["a union inside of the left side", "that an individual is not in a class"],
)
def test_the_judge_does_not_guess(axioms, secret, public):
    with pytest.raises(UsageError, match="cannot be decided"):
        is_kept(axioms, secret, public)


DATA = """
Prefix(:=<http://hospital.org/>) Prefix(ward:=<http://hospital.org/ward#>)
Ontology(ClassAssertion(ward:Isolation :bob) ClassAssertion(:Patient :carl))
"""


def test_secrets_mean_the_same_where_their_prefix_is_not_published(tmp_path):
    release = krypsis.anonymize(Ontology.of_text(DATA), secrets=["ClassAssertion(ward:Isolation ?)"])
    release.save(tmp_path / "release")
    assert "ward:" not in (tmp_path / "release" / "data.ofn").read_text(encoding="utf-8")
    [verdict] = krypsis.check(tmp_path / "release")
    assert verdict.holds is True
    forged = Ontology.of_text(DATA)
    assert is_kept(DATA, release.publication.secrets[0]) is False
    assert [len(release.publication.axioms), len(forged)] == [1, 2]
    assert b"ward:" not in pickle.dumps(release.publication.axioms)


def test_the_empty_prefix_of_the_data_does_not_hide_whom_a_pattern_stands_for():
    rules = "Prefix(:=<http://hospital.org/>) Ontology(SubClassOf(<:P> <:S>) SubClassOf(:A :B))"
    assert is_kept(rules, "ClassAssertion(<:S> ?)", "ClassAssertion(:P :ann)") is False


def test_patterns_with_several_names_that_may_be_any_stay_whole():
    facts = Ontology.of_text("Prefix(:=<http://x.org/>) Ontology(SameIndividual(:a :b) ClassAssertion(:A :a))")
    release = krypsis.anonymize(facts, secrets=["SameIndividual(? ?)"])
    assert release.publication.secrets == ("SameIndividual(? ?)",)
    assert release.table["axiom"].to_list() == ["ClassAssertion(<http://x.org/A> <http://x.org/a>)"]


def test_more_secrets_than_are_explained_one_by_one():
    facts = "\n".join(f"ClassAssertion(:Smoker :p{place})" for place in range(1_005))
    release = krypsis.anonymize(
        Ontology.of_text(facts + " ClassAssertion(:A :a)"), secrets=["ClassAssertion(:Smoker ?)"]
    )
    assert release.table["axiom"].to_list() == ["ClassAssertion(:A :a)"]
    assert len(release.private["secrets"]) == 1_005


def test_a_plan_with_prefixes_of_its_data_judges_a_release(tmp_path):
    (tmp_path / "hospital.ofn").write_text(DATA, encoding="utf-8")
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "kind: ontology\ndata: hospital.ofn\nsecrets: ['ClassAssertion(ward:Isolation ?)']\n", encoding="utf-8"
    )
    krypsis.anonymize(tmp_path / "hospital.ofn", plan=plan).save(tmp_path / "release")
    [verdict] = krypsis.check(tmp_path / "release", plan=plan)
    assert verdict.holds is True


@pytest.mark.parametrize("count", [2, 3, 101, 102, 1_000])
def test_of_many_disjoint_classes_each_pair_is(count):
    several = "DisjointClasses(" + " ".join(f":C{place}" for place in range(count)) + ")"
    last = count - 1
    both = f"SubClassOf(:D :C0) SubClassOf(:D :C{last}) SubClassOf(:E :C{last})"
    ontology = Ontology.of_text(f"{several} {both}")
    assert ontology.classify().unsatisfiable == [":D"]
    assert is_kept(f"{several} {both}", "SubClassOf(:D :E)") is False
    assert is_kept(f"{several} {both}", "SubClassOf(:E :D)") is True


def test_a_long_conjunction_is_explained():
    names = [f":C{place}" for place in range(400)]
    facts = " ".join(f"ClassAssertion({name} :a)" for name in names)
    data = f"SubClassOf(ObjectIntersectionOf({' '.join(names)}) :S) {facts}"
    assert len(published(data, ["ClassAssertion(:S ?)"])) == 400


@pytest.mark.parametrize(
    "claims",
    [
        {"sensitive_items": ["ClassAssertion(:S ?) # ann is ill"]},
        {"sensitive_items": ["Prefix(:=<http://other.org/>) ClassAssertion(:S ?)"]},
        {"columns": [{"name": "ann is ill", "role": "insensitive", "type": "String"}]},
    ],
    ids=["comment", "prefix", "column"],
)
def test_notes_in_a_manifest_are_refused(tmp_path, claims):
    facts = Ontology.of_text("ClassAssertion(:S :ann) ClassAssertion(:A :bob)")
    krypsis.anonymize(facts, secrets=["ClassAssertion(:S ?)"]).save(tmp_path / "release")
    path = tmp_path / "release" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | claims), encoding="utf-8")
    with pytest.raises(PromiseBroken, match="do not trust"):
        krypsis.check(tmp_path / "release")


def test_a_single_fact_that_is_secret_leaves_nothing():
    assert published("ClassAssertion(:A :a)", ["ClassAssertion(:A ?)"]) == set()
