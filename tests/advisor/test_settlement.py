"""What an advice comes to for the data at hand: nothing impossible, and nothing weaker than was asked for."""

import polars as pl
import pytest

from advisor.journeys import ORIGINAL_PATHS, TABLES
from krypsis.advisor import Wizard
from krypsis.advisor.settlement import Settler
from krypsis.advisor.situation import Situation
from krypsis.advisor.texts import load_texts
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.profile.plan_file import plan_text
from krypsis.kinds.table.profile.table import profile_table

TEXTS = load_texts("en")


def situation(folder, table):
    table.write_csv(folder / "t.csv")
    dataset = Dataset.of(folder / "t.csv")
    return Situation.of(plan_text(profile_table(dataset), dataset, "t.csv"), folder)


def settle(folder, table, answers, *, tree="seed", given=None, **options):
    where = situation(folder, table)
    wizard = Wizard(tree, evidence=where.evidence)
    wizard.answer_all([{"Y": "yes", "N": "no", "U": "unknown"}[letter] for letter in answers])
    return Settler(where, TEXTS, given or {}, **options).settle(wizard.result())


CENSUS = TABLES["census"].rows
PATIENTS = TABLES["patients"].rows


def test_two_diversity_is_not_advised_where_the_values_are_worth_less_than_two(tmp_path):
    found = settle(tmp_path, CENSUS, "YNNNNNN")
    assert found.change is None
    assert found.instead.advice.result == "t-closeness"
    assert found.instead.trial.feasible
    wizard = Wizard(evidence=situation(tmp_path, CENSUS).evidence)
    assert wizard.evidence.findings["page14"].answer == "yes"  # so that the question leads to t-closeness at once


def test_a_limit_below_the_share_of_the_whole_table_is_raised_and_the_reason_is_given(tmp_path):
    found = settle(tmp_path, CENSUS, "YNNNNY")
    share = CENSUS["income"].value_counts()["count"].max() / CENSUS.height
    (alpha,) = [float(one.value) for one in found.advice.parameters if one.name == "alpha"]
    assert share < alpha < 1
    assert any(note.startswith(f"alpha = {alpha:g} instead of 0.5") for note in found.notes)


@pytest.mark.parametrize("given", [{"alpha": "0.5"}, {"k": "150"}])
def test_what_the_user_has_set_is_never_weakened(tmp_path, given):
    found = settle(tmp_path, CENSUS, "YNNNNY", given=given)
    (name, value), *_ = given.items()
    if found.change is None:
        assert found.reason
    else:
        assert f"{name}={value}" in found.change.promises[0]


def test_whoever_knows_nothing_gets_records_with_protected_values_from_the_data_at_hand(tmp_path):
    for name, table in TABLES.items():
        where = situation(tmp_path, table.rows)
        wizard = Wizard(evidence=where.evidence)
        while not wizard.is_done:
            wizard.answer("unknown")
        found = Settler(where, TEXTS, {}).settle(wizard.result())
        chosen = found if found.change is not None else found.instead
        assert chosen.trial.feasible, name
        assert not chosen.lacks, name
        names = [spec.partition(":")[0] for spec in chosen.change.promises]
        assert "differential-privacy" not in names
        assert len(names) > 1 or names[0] in ("alpha-k-anonymity", "lkc-privacy"), (name, names)


def test_a_sensitive_column_that_the_model_leaves_open_gets_a_promise_of_its_own(tmp_path):
    found = settle(tmp_path, PATIENTS, "YYYNNNNY")
    assert found.change.promises[0] == "k-anonymity:k=5"
    assert any("attribute=diagnosis" in spec for spec in found.change.promises[1:])


def test_what_comes_next_warns_of_what_it_no_longer_protects_from(tmp_path):
    found = settle(tmp_path, CENSUS, "NNN")  # hides presence, and there is no table of the population
    assert [need.name for need in found.lacks] == ["population"]
    assert any("learning that a person is in the table" in one for one in found.instead.advice.warnings)


def test_a_history_is_not_promised_where_none_can_be_published(tmp_path):
    assert settle(tmp_path, PATIENTS, "YYYNY").change is not None
    elsewhere = settle(tmp_path, PATIENTS, "YYYNY", histories=False)
    assert "command line" in elsewhere.reason
    assert elsewhere.instead.trial.feasible


def test_persons_with_several_records_count_as_persons_in_noisy_counts(tmp_path):
    visits = pl.concat([PATIENTS, PATIENTS.head(60)])
    found = settle(tmp_path, visits, "NY", given={"domains": "accept"})
    assert "person=patient_id" in found.change.algorithm


def test_each_promise_of_a_settlement_says_what_it_leaves_open(tmp_path):
    found = settle(tmp_path, PATIENTS, "YYYNNNNY")
    assert [line.partition(":")[0] for line in found.unprotected] == [
        spec.partition(":")[0] for spec in found.change.promises
    ]


@pytest.mark.data
def test_all_original_paths_run_on_a_sample_of_adult(tmp_path, data_folder):
    adult = pl.read_csv(data_folder / "relational" / "adult" / "adult.csv", separator=";", n_rows=1000)
    table = adult.select("age", "education", "marital-status", "sex", "salary-class")
    for letters in ORIGINAL_PATHS:
        found = settle(tmp_path, table, letters, given={"domains": "accept"})
        chosen = found if found.change is not None else found.instead
        assert chosen.trial.feasible, letters
