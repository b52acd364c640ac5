"""Walking a tree: answers, going back, starting again, and the advice at the end."""

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.advisor import Advice, DataEvidence, Wizard, advise, load_tree
from krypsis.errors import DataError, OutputError, UsageError
from krypsis.kinds.base import Finding

ANSWERS = st.sampled_from(["yes", "no", "unknown"])

# The extended tree by page: the answers of somebody who publishes one plain table.
PLAIN = {
    "graph": "no",
    "set_valued": "no",
    "ontology": "no",
    "page04": "no",
    "page03a": "yes",
    "page05": "no",
    "page06": "no",
    "page07": "no",
    "page01": "yes",
    "page02a": "no",
    "totals": "no",
    "page15": "no",
    "sensitive": "yes",
    "page02b": "no",
    "page03b": "no",
    "page11": "no",
    "page12": "no",
    "page13": "no",
    "page14": "no",
    "page08": "yes",
    "page09": "no",
    "page10a": "no",
    "page10b": "no",
}


def follow(language="en", evidence=None, **other):
    """Answer the extended tree as for a plain table, apart from some pages."""
    wizard = Wizard(language=language, evidence=evidence)
    while not wizard.is_done:
        wizard.answer({**PLAIN, **other}[wizard.page])
    return wizard.result()


def results(choices):
    return [choice.result for choice in choices]


def walked(answers, tree="extended"):
    wizard = Wizard(tree)
    for answer in answers:
        if not wizard.is_done:
            wizard.answer(answer)
    return wizard


@given(st.lists(ANSWERS, max_size=20), st.lists(ANSWERS, max_size=20))
def test_going_back_restores_every_state_on_the_way(first, more):
    wizard = walked(first)
    states = [(wizard.page, wizard.path())]
    for answer in more:
        if not wizard.is_done:
            wizard.answer(answer)
            states.append((wizard.page, wizard.path()))
    for state in reversed(states[:-1]):
        wizard.back()
        assert (wizard.page, wizard.path()) == state


@given(st.lists(ANSWERS, max_size=20))
def test_starting_again_leaves_nothing_behind(answers):
    wizard = walked(answers)
    wizard.restart()
    assert (wizard.page, wizard.path()) == ("graph", ())
    fresh = walked(["yes", "yes"])
    wizard.answer("yes")
    wizard.answer("yes")
    assert wizard.result() == fresh.result()


@given(st.lists(ANSWERS, min_size=18, max_size=18))
def test_any_18_answers_reach_a_result_that_can_be_saved_as_json(answers):
    advice = walked(answers).result()
    assert Advice.model_validate_json(advice.model_dump_json()) == advice
    covered = {threat for choice in (advice, *advice.complements) for threat in choice.threats}
    assert set(advice.uncovered) == set(advice.declared) - covered
    assert len(advice.warnings) >= len(advice.uncovered)
    chosen = [advice.result, *results(advice.complements)]
    assert len(chosen) == len(set(chosen))
    assert not set(results(advice.alternatives)) & set(chosen)


def test_the_faithful_tree_has_one_result_for_every_ten_answers():
    reached = [walked(answers, "seed").result() for answers in product(["yes", "no"], repeat=10)]
    assert {advice.page for advice in reached} == set(load_tree("seed").results)
    assert not any(advice.complements or advice.alternatives for advice in reached)


def test_the_first_answer_cannot_be_taken_back_twice():
    wizard = Wizard()
    with pytest.raises(UsageError, match="first question"):
        wizard.back()


def test_there_is_no_result_while_a_question_is_open():
    with pytest.raises(UsageError, match="no result yet: page01 is still open, 'Does the attacker know"):
        Wizard("seed").result()


def test_nothing_can_be_answered_after_the_end():
    wizard = walked(["no", "yes"], "seed")
    with pytest.raises(UsageError, match="all questions are answered: spage01 is a result"):
        wizard.answer("yes")
    with pytest.raises(UsageError, match="all questions are answered"):
        wizard.why()


@pytest.mark.parametrize("answer", ["maybe", "Y", "", None, 1])
def test_an_answer_is_yes_no_or_unknown(answer):
    wizard = Wizard()
    with pytest.raises(UsageError, match="an answer must be 'yes' or 'no' or 'unknown'"):
        wizard.answer(answer)
    assert not wizard.path()


def test_the_faithful_tree_knows_no_unknown_and_says_which_tree_does():
    wizard = Wizard("seed")
    with pytest.raises(UsageError, match="the tree 'extended' has an answer for 'unknown'"):
        wizard.answer("unknown")


def test_why_tells_what_hangs_on_the_question_and_what_led_to_it():
    wizard = walked(["yes", "no"], "seed")
    why = wizard.why()
    assert why.reason == wizard.text.why
    assert [(step.question.name, step.answer) for step in why.before] == [("page01", "yes"), ("page02b", "no")]


def test_not_knowing_takes_what_the_data_suggests_and_says_so():
    finding = Finding("no", "persons", {"column": "id", "distinct": 6, "rows": 7})
    advice = follow(evidence=DataEvidence({"page03a": finding}), page03a="unknown")
    assert advice.result == "xy-privacy"
    assert any("Column id has 6 different values in 7 records" in one for one in advice.assumptions)


def test_whoever_knows_nothing_gets_records_that_are_protected_and_no_totals_instead():
    wizard = Wizard()
    while not wizard.is_done:
        wizard.answer("unknown")
    advice = wizard.result()
    covered = {threat for one in (advice, *advice.complements) for threat in one.threats}
    assert {"record", "attribute"} <= covered
    assert "differential-privacy" not in [advice.result, *results(advice.complements)]


def test_not_knowing_takes_the_edge_that_protects_values_and_says_so():
    advice = follow(page02b="unknown")
    step = next(step for step in advice.path if step.question == "page02b")
    assert (step.answer, step.taken) == ("unknown", "no")
    assert "attribute" in advice.declared
    (assumption,) = advice.assumptions
    assert "many different values" in assumption
    assert "Assumed: no." in assumption


def test_whoever_knows_nothing_is_told_every_assumption():
    wizard = Wizard()
    while not wizard.is_done:
        wizard.answer("unknown")
    assert len(wizard.result().assumptions) == len(wizard.path())


def test_several_tables_that_change_get_one_model_and_complements():
    advice = follow(page04="yes", page05="yes")
    assert advice.result == "multirelational-k-anonymity"
    assert results(advice.complements) == ["m-invariance"]  # which includes the l-diversity at the end


def test_several_records_per_person_are_asked_for_before_sensitive_values():
    advice = follow(page03a="no", page14="yes")
    assert advice.result == "xy-privacy"
    assert results(advice.complements) == ["t-closeness"]  # k-anonymity is part of (X,Y)-privacy


def test_a_model_about_values_is_completed_by_one_about_records():
    advice = follow(page14="yes")
    assert (advice.result, results(advice.complements)) == ("t-closeness", ["k-anonymity"])
    assert not advice.uncovered


def test_totals_only_offer_differential_privacy_instead():
    advice = follow(totals="yes")
    assert results(advice.alternatives) == ["differential-privacy"]
    assert advice.result == "l-diversity"


def test_hidden_presence_and_totals_decide_for_differential_privacy():
    advice = follow(page01="no", page02a="yes", page05="yes")
    assert (advice.result, advice.complements, advice.uncovered) == ("differential-privacy", (), ())
    assert any("m-invariance" in warning for warning in advice.warnings)


def test_hidden_presence_keeps_the_protection_of_values():
    advice = follow(page01="no", page14="yes")
    assert advice.declared == ("record", "attribute", "table")
    assert advice.result == "delta-presence"
    assert results(advice.complements) == ["t-closeness", "k-anonymity"]
    assert not advice.uncovered


def test_numbers_only_get_the_models_for_numbers():
    record = {"page02b": "yes", "page08": "no"}
    assert follow(**record).result == "lkc-privacy"
    assert follow(**record, page10a="yes").result == "ke-anonymity"
    assert follow(**record, page10a="yes", page10b="yes").result == "em-anonymity"


def test_sensitive_items_of_sets_are_covered_by_a_promise_of_their_own_and_must_be_named():
    advice = advise(["no", "yes", "yes", "no"])
    assert (advice.result, results(advice.complements), advice.uncovered) == ("km-anonymity", ["set-diversity"], ())
    assert any("items: sensitive" in warning for warning in advice.warnings)


def test_sets_without_sensitive_items_need_one_promise():
    advice = advise(["no", "yes", "no", "no"])
    assert (advice.result, advice.complements, advice.warnings) == ("km-anonymity", (), ())


@pytest.mark.parametrize(
    ("answers", "uncovered"),
    [("YYYNNY", ("record",)), ("YYYNNNNNNY", ("record",)), ("YYYNNNNNNN", ("record",)), ("YYYNNNNY", ()), ("NNN", ())],
)
def test_the_faithful_tree_warns_where_its_result_is_of_another_branch(answers, uncovered):
    advice = advise([{"Y": "yes", "N": "no"}[letter] for letter in answers], tree="seed")
    assert advice.uncovered == uncovered
    assert any("finding the record" in warning for warning in advice.warnings) == bool(uncovered)


def test_the_faithful_tree_warns_of_numbers_that_may_be_none():
    advice = advise(["yes", "yes", "yes", *["no"] * 7], tree="seed")
    assert any("defined for numbers only" in warning for warning in advice.warnings)


def test_an_answer_against_the_data_is_warned_of():
    finding = Finding("yes", "persons", {"column": "id", "distinct": 7, "rows": 7})
    advice = follow(evidence=DataEvidence({"page03a": finding}), page03a="no")
    assert any("Column id has 7 different values in 7 records" in warning for warning in advice.warnings)
    assert not follow(evidence=DataEvidence({"page03a": finding})).warnings
    assert not follow(evidence=DataEvidence({"page03a": finding}), page03a="unknown").warnings


def test_parameters_of_the_data_go_before_defaults():
    numbers = {"page02b": "yes", "page08": "no", "page10a": "yes"}
    evidence = DataEvidence(values={"spread": "300", "number": "salary"})
    assert follow(**numbers).missing == ("e",)
    assert follow(**numbers, evidence=evidence).spec == "ke-anonymity:k=5,e=300,attribute=salary"


def test_values_are_changed_by_name():
    advice = follow()
    assert advice.with_values({"l": "4"}).spec == "entropy-l-diversity:l=4"
    assert advice.spec == "entropy-l-diversity:l=2"
    with pytest.raises(UsageError, match="entropy-l-diversity has no parameter 't'; parameters: l, k"):
        advice.with_values({"t": "4"})


def test_a_value_may_be_that_of_a_complement():
    advice = follow(page14="yes").with_values({"k": "9", "t": "0.3"})
    assert (advice.spec, advice.complements[0].spec) == ("t-closeness:t=0.3", "k-anonymity:k=9")
    number = follow(page02b="yes", page08="no", page10a="yes").with_values({"k": "9", "e": "1"})
    assert (number.spec, number.complements[0].spec) == ("ke-anonymity:k=9,e=1", "k-anonymity:k=5")


def test_a_file_that_is_no_advice_is_told(tmp_path):
    (tmp_path / "other.json").write_bytes(b"\xff{}")
    for name in ("other.json", "none.json"):
        with pytest.raises(DataError, match="is not an advice"):
            Advice.load(tmp_path / name)


def test_the_record_of_an_advice_says_everything(tmp_path):
    advice = follow(language="el", page02b="unknown")
    advice.save(tmp_path / "advice.json")
    record = json.loads((tmp_path / "advice.json").read_text("utf-8"))
    assert {"path", "model", "threats", "parameters", "references", "warnings", "assumptions"} <= record.keys()
    assert record["title"] == "l-ποικιλομορφία"
    assert Advice.load(tmp_path / "advice.json") == advice
    with pytest.raises(OutputError, match="cannot be written"):
        advice.save(tmp_path / "none" / "advice.json")


def test_too_few_answers_are_told_with_the_open_question():
    with pytest.raises(UsageError, match=r"2 answer\(s\) were given and page03a is still open: 'Does each person"):
        advise(["yes", "yes"], tree="seed")


def test_too_many_answers_are_told_with_what_is_left():
    with pytest.raises(UsageError, match="4 answers were given, and the first 2 of them lead to differential-privacy"):
        advise(["no", "yes", "no", "yes"], tree="seed")


def test_an_answer_can_be_left_to_the_data_only_if_it_says_something():
    evidence = DataEvidence({"page02b": Finding("no", "no-sensitive")})
    assert advise(["yes", None, "yes"], tree="seed", evidence=evidence).result == "lkc-privacy"
    with pytest.raises(UsageError, match="answer 1 is left to the data, which says nothing about page01"):
        advise([None], tree="seed")


def test_following_the_data_answers_what_it_knows_and_stops_before_the_rest():
    found = {"page01": Finding("yes", "sets"), "page02b": Finding("no", "sets"), "page11": Finding("yes", "sets")}
    wizard = Wizard("seed", evidence=DataEvidence(found))
    assert wizard.follow_data() == 2
    assert (wizard.page, [step.answer for step in wizard.path()]) == ("page03b", ["yes", "no"])
    assert wizard.follow_data() == 0
    wizard.answer("no")
    assert wizard.follow_data() == 1
    assert wizard.is_done
    assert wizard.follow_data() == 0
