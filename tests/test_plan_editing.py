"""One entry of a plan changes, and nothing else."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from krypsis.datasets.hospital import hospital_plan
from krypsis.errors import UsageError
from krypsis.plan.editing import with_value, without


def read(text):
    return yaml.load(text, Loader=yaml.BaseLoader)


PLANS = {
    "block": "data: x.csv   # here\ncolumns:\n  age:\n    role: QI\n    # why\n    hierarchy: {kind: flat}\n  sex: QI\n"
    "metric: loss\n",
    "flow": "data: x.csv\ncolumns: {age: {role: QI, hierarchy: {kind: flat}}, sex: QI}\nmetric: loss # usual",
    "crlf": "data: x.csv\r\ncolumns:\r\n  age: {role: QI, hierarchy: {kind: flat}}   # known\r\n  sex: QI\r\n"
    "metric: loss\r\n",
    "no last line": "metric: loss\ndata: x.csv\ncolumns:\n  sex: QI\n  age: {role: QI, hierarchy: {kind: flat}}",
}
VALUES = st.one_of(
    st.text(max_size=20).filter(lambda text: text.isprintable() or "\n" in text),
    st.integers(),
    st.lists(st.sampled_from(["a", "b: c", "#", "no", ""]), max_size=3),
    st.dictionaries(st.sampled_from(["kind", "width", "a b", "*"]), st.sampled_from(["x", "5", "[0-5)"]), max_size=3),
)


@pytest.mark.parametrize("name", PLANS)
@given(path=st.sampled_from([("columns", "age", "hierarchy"), ("columns", "sex"), ("metric",), ("new",)]), value=VALUES)
def test_the_value_is_written_and_all_else_stays(name, path, value):
    text = PLANS[name]
    changed = with_value(text, path, value)
    home, expected = read(changed), read(text)
    for key in path[:-1]:
        home, expected = home[key], expected[key]
    found = home.pop(path[-1])
    expected.pop(path[-1], None)
    assert home == expected
    assert found == _texts(value)
    for comment in ("# here", "# usual", "# known"):
        assert (comment in changed) == (comment in text)


def _texts(value):
    if isinstance(value, dict):
        return {key: _texts(one) for key, one in value.items()}
    return [_texts(one) for one in value] if isinstance(value, list) else str(value)


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("path", [("columns", "age", "hierarchy"), ("columns", "age"), ("columns", "sex"), ("metric",)])
def test_an_entry_goes_and_all_else_stays(name, path):
    changed, expected = read(without(PLANS[name], path)), read(PLANS[name])
    home = expected
    for key in path[:-1]:
        home = home[key]
    del home[path[-1]]
    assert changed == expected


def test_what_is_not_there_need_not_go():
    assert without(PLANS["block"], ("columns", "age", "weight")) == PLANS["block"]


def test_a_tree_in_many_lines_can_be_replaced_and_what_stands_around_it_stays():
    changed = with_value(hospital_plan(), ("columns", "job", "hierarchy"), "hierarchies/job.csv")
    assert read(changed)["columns"]["job"]["hierarchy"] == "hierarchies/job.csv"
    assert "# What nobody should be able to attach to a person." in changed
    assert "craft or land" not in changed


def test_a_plan_with_references_is_not_touched():
    with pytest.raises(UsageError, match="write into it yourself, at metric: entropy"):
        with_value("a: &x loss\nmetric: *x\nalso: *x\n", ["metric"], "entropy")


def test_a_place_that_does_not_exist_is_told():
    with pytest.raises(UsageError, match=r"no part 'columns\.zip'"):
        with_value(PLANS["block"], ("columns", "zip", "role"), "QI")
