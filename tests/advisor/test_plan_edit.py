"""Plans keep every word of their text when the advice is written into them."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from krypsis.errors import UsageError
from krypsis.kinds.table.demo import hospital_plan
from krypsis.plan.plan_text import PlanText

PROMISES = ["t-closeness:t=0.2", "k-anonymity:k=5"]


def read(text):
    return yaml.load(text.removeprefix("\ufeff"), Loader=yaml.BaseLoader)


PLANS = {
    "of the toolkit": hospital_plan(),
    "items at the margin": "data: a\npromises:\n- k-anonymity:k=3  # mine\n- x\n# end\nmetric: loss\n",
    "on one line": "data: a\npromises: [k-anonymity:k=3, x]   # mine\nalgorithm: auto   # quick\n",
    "a list over lines": "data: a\npromises: [k-anonymity:k=3,   # one\n  x]   # two\nalgorithm: auto\n",
    "mappings": "promises:\n  - {name: z, k: 3}   # one\n  - name: x\n    k: 3   # two\nalgorithm: {name: y}",
    "algorithm over lines": "promises:\n  - x\nalgorithm:   # why\n  name: fixed   # this\n  levels: 1,2\ndata: a\n",
    "no algorithm": "data: a\npromises:\n  - x",
    "comments between": "promises:   # 0\n\n  # 1\n  - x   # 2\n\n  # 3\n  - k-anonymity:k=5   # 4\n\n  # 5\n",
    "windows": "data: a\r\npromises:\r\n  - x   # one\r\nalgorithm: auto\r\n",
    "a mark at the beginning": "\ufeffpromises:\n  - x\ndata: ä\n",
    "quoted": "'promises':\n  - 'x'   # one\n\"algorithm\": \"auto\"   # two\n",
    "no value": "promises:\n  - x\nalgorithm:\ndata: a\n",
    "a dash on its own line": "promises:\n  -   # one\n    x\n",
    "other line ends": "data: 'a\u2028  b\x85  c'\npromises:\n  - x   # one\n",
}


@pytest.mark.parametrize("name", PLANS)
def test_only_promises_and_algorithm_change_and_no_word_is_lost(name):
    before = PLANS[name]
    after = str(PlanText(before).set_choice(PROMISES, "mondrian"))
    old, new = read(before), read(after)
    assert sorted(new.pop("promises")) == sorted(PROMISES)
    assert new.pop("algorithm") == "mondrian"
    old.pop("promises")
    old.pop("algorithm", None)
    assert old == new
    for part in before.split("#")[1:]:  # every comment is still there
        assert part.splitlines()[0].strip() in after
    assert after.startswith("\ufeff") == before.startswith("\ufeff")
    assert after.count("\r\n") == (after.count("\n") if "\r" in before else 0)


@pytest.mark.parametrize("name", PLANS)
def test_the_same_advice_twice_changes_nothing_more(name):
    once = str(PlanText(PLANS[name]).set_choice(PROMISES, "mondrian"))
    assert str(PlanText(once).set_choice(PROMISES, "mondrian")) == once


def test_what_was_promised_before_stays_as_a_comment():
    before = "promises:\n  - k-anonymity:k=3   # mine\n"
    after = str(PlanText(before).set_choice(["k-anonymity:k=5"], "auto", "advised: k"))
    assert after == ("promises:\n  - k-anonymity:k=5   # advised: k\n  # - k-anonymity:k=3   # mine\nalgorithm: auto\n")


def test_a_promise_that_stays_keeps_its_line():
    before = "promises:\n  - l-diversity:l=2   # mine\nalgorithm: auto\n"
    assert str(PlanText(before).set_choice(["distinct-l-diversity:l=2"], "auto")) == before


def test_names_with_commas_and_quotes_are_read_back():
    spec = 't-closeness:t=0.2,attribute="pay: yearly # now"'
    assert read(str(PlanText(hospital_plan()).set_choice([spec], "auto")))["promises"] == [spec]


REFUSED = {
    "one line": "{data: a, promises: [x], algorithm: auto}",
    "json": '{"data": "a",\n "promises": ["x"]}',
    "an anchor used elsewhere": "promises: &p [x]\nother: *p\n",
    "elsewhere": "other: &p [x]\npromises: *p\n",
    "no promises": "data: a\n",
    "promises twice": "promises: [x]\npromises: [y]\n",
    "no plan": "just a text",
    "empty": "",
    "not YAML": "promises: [x\n",
    "two documents": "promises: [x]\n---\ndata: a\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_plan_that_cannot_be_changed_safely_is_left_and_the_lines_are_told(name):
    with pytest.raises(UsageError, match=r"write into it yourself:\npromises:\n  - t-closeness:t=0.2\n"):
        PlanText(REFUSED[name]).set_choice(PROMISES, "mondrian")


@given(st.text(st.sampled_from("promises: algorithm-x[]{}#&*'\"\n,|>"), max_size=60))
def test_any_text_is_changed_safely_or_refused(tail):
    before = f"promises:\n  - x\n{tail}\n"
    try:
        after = str(PlanText(before).set_choice(PROMISES, "mondrian"))
    except UsageError:
        return
    old, new = read(before), read(after)
    assert {key: value for key, value in old.items() if key not in {"promises", "algorithm"}} == {
        key: value for key, value in new.items() if key not in {"promises", "algorithm"}
    }
