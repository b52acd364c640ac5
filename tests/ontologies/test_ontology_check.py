"""The checker of published axioms: secrets of every form, patterns, contradictions, and forged releases."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

import krypsis
from krypsis.algorithms.ontologies.inference_safety.hitting_sets import HittingSets
from krypsis.algorithms.ontologies.secrets import MOST_TESTS
from krypsis.checker.ontologies import MOST_SECRETS, check_ontology
from krypsis.data.ontologies import Ontology
from krypsis.errors import DataWarning, Infeasible, PrivacyWarning, PromiseBroken, UsageError
from krypsis.models.inference_safety import InferenceSafety

RULES = """
SubClassOf(ObjectSomeValuesFrom(:attendedBy :Gastroenterologist) :GastricDisorder)
SubClassOf(ObjectSomeValuesFrom(:attendedBy :Psychiatrist) :MentalDisorder)
SubClassOf(ObjectIntersectionOf(:GastricDisorder :MentalDisorder) :IBS)
"""
FACTS = """
ClassAssertion(ObjectSomeValuesFrom(:attendedBy :Gastroenterologist) :john)
ClassAssertion(ObjectSomeValuesFrom(:attendedBy :Psychiatrist) :john)
"""


def verdict(published: str, secrets: list[str], public: str = ""):
    found = check_ontology(
        Ontology.of_text(published),
        [InferenceSafety()],
        public=Ontology.of_text(public) if public else None,
        secrets=secrets,
    )
    return found[0]


def test_the_example_of_the_irritable_bowel():
    assert verdict(FACTS, ["ClassAssertion(:IBS :john)"], RULES).holds is False
    one = FACTS.strip().splitlines()[0]
    assert verdict(one, ["ClassAssertion(:IBS :john)"], RULES).holds is True


@pytest.mark.parametrize(
    ("axioms", "secret"),
    [
        # The three counterexamples to looking for a secret in the plain closure.
        (
            "ClassAssertion(ObjectSomeValuesFrom(:att :G) :john) SubClassOf(:G :Doctor)",
            "ClassAssertion(ObjectSomeValuesFrom(:att :Doctor) :john)",
        ),
        ("ClassAssertion(ObjectHasSelf(:r) :a)", "ObjectPropertyAssertion(:r :a :a)"),
        ("ObjectPropertyAssertion(:r :a :c) SameIndividual(:c :b)", "ObjectPropertyAssertion(:r :a :b)"),
        # Contradictions: everything follows.
        ("SubClassOf(:C owl:Nothing)", "SubClassOf(:C :D)"),
        ("ClassAssertion(:C :a) SubClassOf(:C owl:Nothing) ClassAssertion(:D :b)", "ClassAssertion(:D2 :b)"),
        ("SubClassOf(owl:Thing owl:Nothing)", "SubClassOf(:C :D)"),
        # Complex sides.
        ("SubClassOf(:A :B) SubClassOf(:A :C)", "SubClassOf(:A ObjectIntersectionOf(:B :C))"),
        (
            "SubClassOf(ObjectIntersectionOf(:A :B) :C)",
            "SubClassOf(ObjectIntersectionOf(:A :B :D) ObjectIntersectionOf(:C :D))",
        ),
        ("SubClassOf(:A :B) DisjointClasses(:B :C)", "SubClassOf(:A ObjectComplementOf(:C))"),
        ("SubClassOf(:A :B) DisjointClasses(:B :C)", "DisjointClasses(:A :C)"),
        ("SubClassOf(:A :B) SubClassOf(:B :A)", "EquivalentClasses(:A :B)"),
        ("SameIndividual(:a :b) SameIndividual(:b :c)", "SameIndividual(:a :c)"),
    ],
)
def test_secrets_that_follow(axioms, secret):
    assert verdict(axioms, [secret]).holds is False


@pytest.mark.parametrize(
    ("axioms", "secret"),
    [
        ("SubClassOf(:A :B)", "EquivalentClasses(:A :B)"),
        ("SubClassOf(:A :B)", "SubClassOf(:A ObjectIntersectionOf(:B :C))"),
        ("ObjectPropertyAssertion(:r :a :b)", "ObjectPropertyAssertion(:r :b :a)"),
        ("ClassAssertion(:A :a) SubClassOf(:C owl:Nothing)", "ClassAssertion(:C :a)"),
    ],
)
def test_secrets_that_do_not_follow(axioms, secret):
    assert verdict(axioms, [secret]).holds is True


def test_a_pattern_stands_for_everybody():
    found = verdict("ClassAssertion(:A :a) ClassAssertion(:A :b) ClassAssertion(:B :c)", ["ClassAssertion(:A ?)"])
    assert found.achieved == 2
    assert verdict("SubClassOf(:A :B) SubClassOf(:C :B)", ["SubClassOf(? :B)"]).achieved == 2  # B ⊑ B holds always
    assert verdict("ClassAssertion(:A :a) SubClassOf(:A :B)", ["ClassAssertion(? :a)"]).achieved == 2
    related = "ObjectPropertyAssertion(:r :a :b) SubClassOf(:A :B)"
    assert verdict(related, ["SubClassOf(ObjectOneOf(?) ObjectSomeValuesFrom(:r ObjectOneOf(?)))"]).achieved == 1
    with pytest.raises(UsageError, match="never for a role"):
        verdict(related, ["ObjectPropertyAssertion(? :a :b)"])


def test_what_can_be_published_can_be_checked():
    """A pattern about everybody of a million individuals is one secret for each of them, and one for anybody."""
    assert MOST_SECRETS >= MOST_TESTS > 1_000_000


def test_without_secrets_nothing_is_decided():
    assert verdict("ClassAssertion(:A :a)", []).holds is None


def test_secrets_about_roles_are_refused():
    with pytest.raises(UsageError, match="about roles"):
        verdict("SubObjectPropertyOf(:r :s)", ["SubObjectPropertyOf(:r :s)"])


@pytest.fixture
def release(tmp_path) -> Path:
    made = krypsis.anonymize(
        Ontology.of_text(FACTS), secrets=["ClassAssertion(:IBS ?)"], public=Ontology.of_text(RULES)
    )
    made.save(tmp_path / "release")
    return tmp_path / "release"


def forge(folder: Path, name: str, content: str, **claims: object) -> None:
    """Change a file of a release, and the manifest so that it names the changed file."""
    if name:
        (folder / name).write_text(content, encoding="utf-8")
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    for file in manifest["files"]:
        if file["name"] == name:
            file |= {"sha256": sha256(content.encode()).hexdigest(), "bytes": len(content.encode())}
    path.write_text(json.dumps(manifest | claims), encoding="utf-8")


def test_a_release_is_checked_from_its_files(release):
    [found] = krypsis.check(release)
    assert found.holds is True
    assert sorted(path.name for path in release.iterdir()) == ["data.ofn", "manifest.json", "public.ofn"]


def test_a_forged_axiom_is_found(release):
    text = (release / "data.ofn").read_text(encoding="utf-8")
    both = krypsis.Ontology.of_text(FACTS)
    from krypsis.format.functional_document import functional_document  # noqa: PLC0415

    forge(release, "data.ofn", functional_document(both), rows=2)
    assert text != (release / "data.ofn").read_text(encoding="utf-8")
    with pytest.raises(PromiseBroken, match="claims 0"):
        krypsis.check(release)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "# john has irritable bowel syndrome\n",
        lambda text: text.replace("Ontology(\n", 'Ontology(\nAnnotation(rdfs:comment "john has IBS")\n'),
        lambda text: text.replace("Ontology(\n", "Ontology(\nDeclaration(Class(:JohnHasIBS))\n", 1),
    ],
    ids=["comment", "annotation", "unused name"],
)
def test_what_is_no_axiom_is_refused(release, change):
    text = (release / "data.ofn").read_text(encoding="utf-8")
    changed = change(text)
    assert changed != text
    forge(release, "data.ofn", changed)
    with pytest.raises(PromiseBroken, match="do not trust"):
        krypsis.check(release)


def test_a_secret_that_names_somebody_stays_with_the_publisher(tmp_path):
    facts, rules = Ontology.of_text(FACTS), Ontology.of_text(RULES)
    made = krypsis.anonymize(facts, secrets=["ClassAssertion(:IBS :john)"], public=rules)
    made.save(tmp_path / "release")
    manifest = (tmp_path / "release" / "manifest.json").read_text(encoding="utf-8")
    assert "IBS" not in manifest
    [found] = krypsis.check(tmp_path / "release")
    assert found.holds is None  # nobody else knows what is secret
    [found] = krypsis.check(tmp_path / "release", sensitive=["ClassAssertion(:IBS :john)"])
    assert found.holds is True


def test_a_secret_that_names_what_is_nowhere_is_warned_of():
    facts = Ontology.of_text("ClassAssertion(:Smoker :ann)")
    with pytest.warns(DataWarning, match=":Smokr"):
        [found] = krypsis.check(facts, [InferenceSafety()], sensitive=["ClassAssertion(:Smokr ?)"])
    assert found.holds is True


def test_axioms_that_cannot_be_considered_leave_a_promise_undecided(tmp_path):
    """The inverse role makes b a member of Secret, which no rule of the language derives."""
    text = """Prefix(:=<http://example.org/>) Ontology(
    InverseObjectProperties(:r :s) ObjectPropertyAssertion(:r :a :b)
    SubClassOf(ObjectSomeValuesFrom(:s owl:Thing) :Secret) ClassAssertion(:Known :a))"""
    (tmp_path / "other.ofn").write_text(text, encoding="utf-8")
    [found] = krypsis.check(tmp_path / "other.ofn", [InferenceSafety()], sensitive=["ClassAssertion(:Secret ?)"])
    assert found.holds is None
    assert "inverse" in found.sentence
    [found] = krypsis.check(tmp_path / "other.ofn", [InferenceSafety()], sensitive=["ClassAssertion(:Known ?)"])
    assert found.holds is False  # what follows without them follows with them


@pytest.mark.parametrize(
    ("axioms", "secret"),
    [
        ("SubClassOf(owl:Thing :S) SubClassOf(:A :B)", "ClassAssertion(:S ?)"),
        ("SubClassOf(owl:Thing :S) ClassAssertion(:A :ann)", "ClassAssertion(:S ?)"),
        ("SubClassOf(:A :B) ReflexiveObjectProperty(:r)", "ObjectPropertyAssertion(:r ? ?)"),
        ("SubClassOf(:A :B) SubClassOf(owl:Thing ObjectSomeValuesFrom(:r :C))",
         "ClassAssertion(ObjectSomeValuesFrom(:r :C) ?)"),
    ],
)  # fmt: skip
def test_what_holds_for_everybody_is_a_secret_of_whoever_will_be_named(axioms, secret):
    data = Ontology.of_text(axioms)
    [found] = check_ontology(data, [InferenceSafety()], secrets=[secret])
    assert found.holds is False
    made = krypsis.anonymize(data, secrets=[secret])
    assert len(made.publication.axioms) == 1, "the axiom about everybody is removed, and no other"
    with pytest.raises(Infeasible):
        krypsis.anonymize(Ontology.of_text("SubClassOf(:X :Y)"), secrets=[secret], public=data)


@pytest.mark.parametrize(
    "claims",
    [
        {"guarantee": "Nobody can ever be identified."},
        {"sensitive_items": ["ClassAssertion(:IBS"]},
        {"sensitive_items": ["no axiom"]},
        {"sensitive_items": ["SubObjectPropertyOf(<r> <s>)"]},
        {"algorithm": "john-has-irritable-bowel-syndrome"},
        {"algorithm": "hitting-sets:note=John, of 5 Main Street"},
        {"algorithm": "hitting-sets:time_limit=1:john"},
        {"scheme": "john"},
        {"metric": "john-smith"},
        {"score": 1987.0612},
        {"weights": {"axiom": 1.5}},
        {"hierarchies": {"axiom": "john smith"}},
        {"levels": {"axiom": 3}},
        {"suppressed": {"records": 2, "mode": "remove"}},
        {"suppressed": {"records": 0, "mode": "john"}},
        {"columns": [{"name": "axiom", "role": "insensitive", "type": "john"}]},
        {"tool": "krypsis, told by john"},
        {"created": "the day john was seen"},
        {"release_id": "john"},
    ],
    ids=str,
)
def test_a_manifest_that_says_what_nobody_can_confirm_is_refused(release, claims):
    content = (release / "data.ofn").read_text(encoding="utf-8")
    forge(release, "data.ofn", content, **claims)
    with pytest.raises(PromiseBroken):
        krypsis.check(release)


@pytest.mark.parametrize("said", [{"sentence": "Kept: john has no secret."}, {"achieved": 0.25}, {"proven": False}])
def test_words_and_figures_of_a_promise_are_those_of_one_that_is_kept(tmp_path, said):
    """Also where a secret names somebody, so that only the plan can say what has been achieved."""
    facts, rules = Ontology.of_text(FACTS), Ontology.of_text(RULES)
    made = krypsis.anonymize(facts, secrets=["ClassAssertion(:IBS :john)"], public=rules)
    made.save(tmp_path / "release")
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text(encoding="utf-8"))
    forge(tmp_path / "release", "", "", promises=[manifest["promises"][0] | said])
    with pytest.raises(PromiseBroken, match="about inference-safety"):
        krypsis.check(tmp_path / "release", sensitive=["ClassAssertion(:IBS :john)"])


def test_a_method_of_the_publisher_is_accepted_where_it_is_registered(tmp_path):
    class LeaveOutAll(HittingSets):
        name = "leave-out-all"

    rules = Ontology.of_text(RULES)
    made = krypsis.anonymize(
        Ontology.of_text(FACTS), secrets=["ClassAssertion(:IBS ?)"], public=rules, algorithm=LeaveOutAll()
    )
    made.save(tmp_path / "release")
    [found] = krypsis.check(tmp_path / "release")
    assert found.holds is True


def test_a_manifest_says_that_public_axioms_were_left_out(tmp_path):
    rules = tmp_path / "rules.ofn"
    rules.write_text(f"{RULES} FunctionalObjectProperty(:attendedBy)", encoding="utf-8")
    public = Ontology.read(rules, ignore_unsupported=True)
    with pytest.warns(PrivacyWarning, match="left out"):
        made = krypsis.anonymize(Ontology.of_text(FACTS), secrets=["ClassAssertion(:IBS ?)"], public=public)
    made.save(tmp_path / "release")
    said = json.loads((tmp_path / "release" / "manifest.json").read_text(encoding="utf-8"))["guarantee"]
    assert "outside of the language were left out" in said
    [found] = krypsis.check(tmp_path / "release")
    assert any("were left out" in word for word in found.basis.publishers_word)
