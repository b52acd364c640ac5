"""One entry of a plan changes, and nothing else."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from krypsis.errors import UsageError
from krypsis.kinds.table.demo import hospital_plan
from krypsis.plan.plan_text import PlanText


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
    changed = str(PlanText(text).set(path, value))
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
    changed, expected = read(str(PlanText(PLANS[name]).remove(path))), read(PLANS[name])
    home = expected
    for key in path[:-1]:
        home = home[key]
    del home[path[-1]]
    assert changed == expected


def test_what_is_not_there_need_not_go():
    assert str(PlanText(PLANS["block"]).remove(("columns", "age", "weight"))) == PLANS["block"]


def test_a_tree_in_many_lines_can_be_replaced_and_what_stands_around_it_stays():
    changed = str(PlanText(hospital_plan()).set(("columns", "job", "hierarchy"), "hierarchies/job.csv"))
    assert read(changed)["columns"]["job"]["hierarchy"] == "hierarchies/job.csv"
    assert "# What nobody should be able to attach to a person." in changed
    assert "craft or land" not in changed


def test_a_plan_with_references_is_not_touched():
    with pytest.raises(UsageError, match="write into it yourself, at metric: entropy"):
        PlanText("a: &x loss\nmetric: *x\nalso: *x\n").set(["metric"], "entropy")


def test_a_place_that_does_not_exist_is_told():
    with pytest.raises(UsageError, match=r"no part 'columns\.zip'"):
        PlanText(PLANS["block"]).set(("columns", "zip", "role"), "QI")


WRITTEN = [
    "loss",
    "2%",
    "NO",
    "01234",
    "Αθήνα",
    '"pay #1"',
    "'it''s: so'",
    "[a, 'b']",
    "{kind: flat, width:  5}",
    "",
    "|\n",
]


class Written:
    """A plan on its way onto paper, as people write: with comments, blank lines, aligned values, lists in lines."""

    def __init__(self, draw):
        self.draw, self.lines, self.entries = draw, [], {}
        self.step = draw(st.sampled_from([2, 3, 4]))

    def __repr__(self):
        return repr("\n".join(self.lines))

    def mapping(self, path=()):
        names = self.draw(
            st.lists(st.sampled_from(["age", "ηλικία", "zip code", "a.b"]), min_size=1, max_size=3, unique=True)
        )
        width = self.draw(st.sampled_from([0, 12]))
        for name in names:
            self.comments(len(path))
            begin = len(self.lines)
            self.entry((*path, name), f"{' ' * self.step * len(path)}{name + ':':<{width}}")
            self.entries[(*path, name)] = range(begin, len(self.lines))

    def entry(self, path, head):
        kind = self.draw(st.sampled_from(["scalar", "lines", "list", "mapping"][: 4 if len(path) < 3 else 3]))
        indent = " " * self.step * len(path)
        if kind == "scalar":
            value = self.draw(st.sampled_from(WRITTEN))
            block = [indent + "# text, not a comment"] if value.endswith("\n") else []
            self.lines += [f"{head} {value.strip()}{'' if block else self.comment()}", *block]
        elif kind == "lines":
            self.lines += [f"{head} [a,{self.comment()}", f"{indent} b]{self.comment()}"]
        else:
            self.lines.append(head + self.comment())
            self.mapping(path) if kind == "mapping" else self.items(path)

    def items(self, path):
        dash = " " * (self.step * (len(path) - 1) + self.draw(st.sampled_from([0, 2])))
        for value in self.draw(st.lists(st.sampled_from(WRITTEN[:-2]), min_size=1, max_size=3)):
            self.lines.append(f"{dash}- {value}{self.comment()}")
            self.comments(len(path))

    def comments(self, level):
        self.lines += self.draw(st.lists(st.sampled_from(["", " " * self.step * level + "# γιατί: 'x"]), max_size=2))

    def comment(self):
        return self.draw(st.sampled_from(["", "   # here", " # [a, b"]))


@st.composite
def written_plans(draw):
    plan = Written(draw)
    plan.comments(0)
    plan.mapping()
    plan.comments(0)
    return plan, draw(st.sampled_from(["\n", "\r\n"])), draw(st.sampled_from(sorted(plan.entries)))


@given(written_plans(), st.one_of(VALUES, st.none()), st.booleans())
def test_one_entry_of_any_plan_changes_and_every_other_line_stays(plan, value, is_new):
    written, newline, path = plan
    text = newline.join([*written.lines, ""])
    if is_new:
        path = (*path[:-1], "new")
    after = str(PlanText(text).remove(path) if value is None else PlanText(text).set(path, value))
    expected = read(text)
    home = expected
    for key in path[:-1]:
        home = home[key]
    home.pop(path[-1], None)
    if value is not None:
        home[path[-1]] = _texts(value)
    assert read(after) == expected
    assert after.count("\r\n") == (after.count("\n") if newline == "\r\n" else 0)
    own = {number for number in written.entries.get(path, ()) if not _is_comment(written.lines[number])}
    if not home and path[:-1]:
        own.add(written.entries[path[:-1]][0])  # lines cannot say that there is nothing; braces behind the name do
    left = iter(after.split(newline))
    for number, line in enumerate(written.lines):
        if number not in own and line:
            assert any(line.strip() == other.strip() for other in left), line


def _is_comment(line):
    return line.lstrip().startswith("# γιατί")
