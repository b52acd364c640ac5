"""The promises of a plan change line by line."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from krypsis.errors import UsageError
from krypsis.kinds.table.demo import hospital_plan
from krypsis.plan.plan_text import PlanText

PLANS = {
    "of the toolkit": hospital_plan(),
    "items at the margin": "data: a\npromises:\n- k-anonymity:k=3  # mine\n- k-map:k=2\n# end\nmetric: loss\n",
    "on one line": "data: a\npromises: [k-anonymity:k=3, k-map:k=2]   # mine\nalgorithm: auto   # quick\n",
    "mappings": "promises:\n  - {name: k-map, k: 3}   # one\n  - name: k-anonymity\n    k: 3   # two\nmetric: loss",
    "comments between": "promises:   # 0\n\n  # 1\n  - k-map:k=2   # 2\n\n  # 3\n  - k-anonymity:k=5   # 4\n\n  # 5\n",
    "windows": "data: a\r\npromises:\r\n  - k-map:k=2   # one\r\nalgorithm: auto\r\n",
    "at the end": "data: a\npromises:\n  - k-map:k=2",
    "none yet": "data: a\nalgorithm: noise\n",
}
SPECS = st.sampled_from(["k-anonymity:k=3", "k-anonymity:k=5", "k-map:k=2", 't-closeness:t=0.2,attribute="pay, #1"'])


def read(text):
    return yaml.load(text, Loader=yaml.BaseLoader)


@pytest.mark.parametrize("name", PLANS)
@given(specs=st.lists(SPECS, max_size=4, unique=True))
def test_the_promises_are_written_and_all_else_stays(name, specs):
    before = PLANS[name]
    after = str(PlanText(before).set_promises(specs))
    old, new = read(before), read(after)
    assert new.pop("promises") == specs
    old.pop("promises", None)
    assert new == old
    assert after.count("\r\n") == (after.count("\n") if "\r" in before else 0)


def test_a_promise_that_stays_keeps_its_comment_and_a_new_one_says_what_it_means():
    after = str(PlanText(PLANS["comments between"]).set_promises(["k-map:k=2", "k-anonymity:k=7"]))
    assert "  - k-map:k=2   # 2\n" in after
    assert "# 3" in after
    assert "# 5" in after
    assert "# 4" not in after  # it was about the promise of k = 5
    assert "k-anonymity:k=7   # every record looks like at least 6 others" in after


def test_a_promise_that_moves_takes_its_comment_along():
    before = "promises:   # all\n- {name: k-map, k: 3}   # a mapping\n- k-anonymity:k=3   # mine\n- k-map:k=2   # its\n"
    after = str(PlanText(before).set_promises(["k-map:k=2", "k-anonymity:k=3"]))
    assert after == "promises:   # all\n- k-map:k=2   # its\n- k-anonymity:k=3   # mine\n"


def test_a_promise_that_nobody_knows_is_not_written():
    with pytest.raises(UsageError, match="k-anonimity"):
        PlanText(PLANS["windows"]).set_promises(["k-anonimity:k=5"])
