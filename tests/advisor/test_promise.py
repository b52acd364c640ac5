"""From the advice to a release: promises and algorithms that exist and fit together."""

import pytest

import krypsis
from krypsis import registry
from krypsis.advisor import Wizard, advise, evidence_of
from krypsis.advisor.preparation import CannotBeHad, require_meaning
from krypsis.advisor.promise import as_promised_before, kind_of, proposal, suggested_algorithm
from krypsis.advisor.situation import Situation
from krypsis.data.schema import Schema
from krypsis.errors import UsageError
from krypsis.io.dataset import Dataset
from krypsis.kinds.dependencies.findings import DependencyFacts
from krypsis.kinds.table.demo import hospital

TABLE = hospital(300).select("patient_id", "age", "sex", "diagnosis", "treatment_cost")
KNOWN = {"patient_id": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier"}
ILLNESS = {**KNOWN, "diagnosis": "sensitive"}
COST = {**KNOWN, "treatment_cost": "sensitive"}


def seed(letters, roles=None):
    evidence = evidence_of(TABLE, Schema.of(roles)) if roles else None
    return advise([{"Y": "yes", "N": "no"}[letter] for letter in letters], tree="seed", evidence=evidence)


@pytest.mark.parametrize(
    ("letters", "roles"),
    [("YYYNNNNY", ILLNESS), ("YYYNNNNNNN", COST), ("YNNNNY", ILLNESS), ("YNNNNNY", COST), ("YNNNNNN", ILLNESS)],
    ids=["k-anonymity", "ke-anonymity", "alpha-k-anonymity", "t-closeness", "l-diversity"],
)
def test_what_is_advised_can_be_published(letters, roles):
    proposed = proposal(seed(letters, roles), Schema.of(roles))
    release = krypsis.anonymize(TABLE, roles, models=list(proposed.promises), algorithm=proposed.algorithm)
    assert release.table.height
    assert [krypsis.registry.create("model", spec).name for spec in proposed.promises] == [
        verdict.promise.partition(":")[0] for verdict in release.verdicts
    ]
    assert all(release.verdicts)


def test_values_are_separated_only_for_one_attribute_and_one_promise():
    diversity = seed("YNNNNNN")
    two = Schema.of({**ILLNESS, "treatment_cost": "sensitive"})
    assert suggested_algorithm(diversity, Schema.of(ILLNESS)) == "anatomize"
    assert suggested_algorithm(diversity, two) == "mondrian"
    assert suggested_algorithm(diversity, Schema.of(ILLNESS), is_alone=False) == "mondrian"


def test_an_algorithm_that_is_not_there_is_left_to_the_toolkit(monkeypatch):
    monkeypatch.setattr(registry, "classes", lambda kind: {})  # noqa: ARG005
    assert suggested_algorithm(seed("YNNNNNN")) == "auto"
    assert proposal(seed("YNNNNNN")) is None


def test_a_model_that_is_not_about_tables_is_not_written_into_a_plan(monkeypatch):
    known = dict(registry.classes("model"))
    known["m-invariance"] = type("MInvariance", (), {"kind": "history"})
    monkeypatch.setattr(registry, "classes", {"model": known, "algorithm": registry.classes("algorithm")}.__getitem__)
    assert proposal(seed("YYYNY")) is None


def test_nothing_is_proposed_while_the_user_has_to_say_something():
    assert seed("YYYNNNNNNN").missing == ("e",)
    assert proposal(seed("YYYNNNNNNN")) is None


def test_a_value_the_model_refuses_is_told():
    with pytest.raises(UsageError, match="l of entropy-l-diversity must be at least 1, got 0"):
        proposal(seed("YNNNNNN").with_values({"l": "0"}))


def test_parameters_promised_before_are_kept_for_the_same_model_only():
    before = [registry.create("model", spec) for spec in ("entropy-l-diversity:l=4.5", "k-anonymity:k=9")]
    assert as_promised_before(seed("YNNNNNN"), before).spec == "entropy-l-diversity:l=4.5"
    assert as_promised_before(seed("YNNNNY"), before).spec == "alpha-k-anonymity:alpha=0.5,k=5"


def test_a_promise_about_one_column_does_not_set_the_parameters_of_one_about_all():
    before = [registry.create("model", "t-closeness:t=0.3,distance=ordered,attribute=treatment_cost")]
    assert as_promised_before(seed("YNNNNNY"), before).spec == "t-closeness:t=0.2"


def test_a_table_whose_cells_follow_from_others_is_a_kind_of_its_own():
    of_cells, of_axioms = (advise(["no", "no", "yes", answer]) for answer in ("yes", "no"))
    assert (of_cells.model, kind_of(of_cells)) == ("dependency-safety", "dependencies")
    assert (of_axioms.model, kind_of(of_axioms)) == ("inference-safety", "ontology")
    found = proposal(of_cells, kind="dependencies")
    assert (found.promises, found.algorithm) == (("dependency-safety",), "auto")
    assert proposal(of_cells) is None  # a plan of a table cannot promise it


def test_a_plan_with_dependencies_answers_the_questions_about_its_data():
    evidence = DependencyFacts(Dataset.of(TABLE)).evidence
    wizard = Wizard(evidence=evidence)
    assert wizard.follow_data() == 4
    assert wizard.result().model == "dependency-safety"


def test_a_plan_of_a_table_is_answered_with_the_kind_of_plan_that_can_promise_it(tmp_path):
    (tmp_path / "t.csv").write_text("zip,city\n1,Athens\n", encoding="utf-8")
    plan = "data: t.csv\ncolumns: {zip: QI, city: sensitive}\npromises: [k-anonymity:k=2]\n"
    situation = Situation.of(plan, tmp_path)
    with pytest.raises(CannotBeHad) as caught:
        require_meaning(advise(["no", "no", "yes", "yes"]), situation)
    assert (caught.value.key, caught.value.figures["kind"]) == ("other-plan", "dependencies")
