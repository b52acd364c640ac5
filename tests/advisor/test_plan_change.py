"""What an advice leaves of the choices before it: nothing but comments."""

import pytest
import yaml

from krypsis.advisor.plan_change import PlanChange
from krypsis.advisor.preparation import Preparation
from krypsis.data.schema import Role
from krypsis.errors import PlanError
from krypsis.plan import Plan
from krypsis.plan.plan_text import PlanText

PLAN = """\
data: t.csv   # the table
columns:   # their roles
  id: identifier
  age: {role: quasi-identifier, min_level: 1, hierarchy: {kind: intervals, width: 5}}   # why: known
  job: quasi-identifier
  pay: sensitive   # why: money
key: id   # whose row
suppressed: keep
promises:
  - k-anonymity:k=5   # mine
algorithm: {name: optimal, seconds: 5}   # quick
metric: discernibility   # kept low
suppression: 2%     # at most
"""
FREE_FORM = PlanChange(("ff-anonymity:theta=0.5,lmax=1,observable=age,sensitive=pay",), "ff-suppression")
COUNTS = PlanChange(
    ("differential-privacy:epsilon=1",),
    "dp-histogram:columns=job",
    Preparation(hierarchies={"job": {"kind": "taxonomy", "tree": {"*": ["a", "b"]}}}),
)
GROUPS = PlanChange(("k-anonymity:k=3",), "mondrian")
SUBJECTS = PlanChange(("multirelational-k-anonymity:k=2",), "multirelational", Preparation(entries={"key": "id"}))
HISTORY = PlanChange(("m-invariance:m=2",), "auto", Preparation(roles={"age": Role.IDENTIFIER}, identifier="id"))


def read(text):
    return yaml.load(text, Loader=yaml.BaseLoader)


@pytest.mark.parametrize("change", [FREE_FORM, COUNTS, GROUPS, SUBJECTS, HISTORY], ids=lambda one: one.promises[0])
def test_what_the_new_choice_does_not_use_stays_as_a_comment_only(change, tmp_path):
    after = change.applied_to(PLAN)
    content = read(after)
    assert content["promises"] == list(change.promises)
    assert content["algorithm"] == change.algorithm
    assert not content.keys() & set(change.unused)
    for comment in ("the table", "their roles", "why: known", "why: money", "mine", "kept low", "at most", "whose row"):
        assert f"# {comment}" in after
    Plan.parse(after, tmp_path).check()


def test_a_search_gets_back_what_a_method_without_one_had_no_use_for():
    there_and_back = GROUPS.applied_to(FREE_FORM.applied_to(PLAN))
    assert read(there_and_back)["suppression"] == "2%"
    assert read(there_and_back)["metric"] == "discernibility"
    assert "key" not in read(there_and_back)  # one table has no use for it


def test_levels_go_where_a_method_refuses_them_and_stay_elsewhere():
    assert "min_level" not in read(FREE_FORM.applied_to(PLAN))["columns"]["age"]
    assert read(GROUPS.applied_to(PLAN))["columns"]["age"]["min_level"] == "1"


def test_a_metric_of_one_table_does_not_stay_for_several():
    assert read(SUBJECTS.applied_to(PLAN))["metric"] == "loss"


def test_a_column_that_is_no_longer_published_needs_no_hierarchy():
    assert read(HISTORY.applied_to(PLAN))["columns"]["age"] == {"role": "identifier"}


def test_the_same_change_twice_changes_nothing_more():
    once = COUNTS.applied_to(PLAN)
    assert COUNTS.applied_to(once) == once


def test_a_plan_on_one_line_is_left_with_everything_that_has_to_be_written_by_hand():
    with pytest.raises(PlanError, match=r"(?s)write into it yourself:.*multirelational.*key: id"):
        SUBJECTS.applied_to("{data: a, columns: {id: identifier}, promises: [x], suppression: 2%}")


@pytest.mark.parametrize(
    "text", ["a: 1\nb: [1,\n  2]\nc: 3\n", "a: 1\nb:\n  - 1   # x\n  - 2\nc: 3\n", "\ufeffb: 1\na: 2\n"]
)
def test_an_entry_over_several_lines_becomes_a_comment_as_a_whole(text):
    content = read(text.removeprefix("\ufeff"))
    content.pop("b")
    assert read(str(PlanText(text).remove(["b"], as_comment=True)).removeprefix("\ufeff")) == content


def test_a_comment_that_is_no_entry_is_left_alone():
    text = "# metric: lines about metrics: many\nmetrics: 1\n"
    assert str(PlanText(text).restore("metric")) == text
