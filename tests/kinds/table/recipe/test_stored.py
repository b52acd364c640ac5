"""Hierarchies in a recipe, and the values they had not seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from krypsis.data.hierarchies import Hierarchy, resolve, write_csv
from krypsis.errors import HierarchyError
from krypsis.kinds.table.recipe import StoredHierarchy

NUMBERS = st.lists(st.integers(-50, 50).map(str), min_size=1, max_size=8, unique=True)
DATES = st.lists(st.dates().map(str), min_size=1, max_size=5, unique=True)
CODES = st.lists(st.text("0123456789", min_size=3, max_size=3), min_size=1, max_size=5, unique=True)
TREE = {"any": {"vowel": ["a", "e"], "consonant": ["b", "c"]}}
RULES = [
    ({"kind": "intervals", "width": 7, "origin": 3}, NUMBERS),
    ({"kind": "intervals", "width": "0.5", "levels": 5}, NUMBERS),
    ({"kind": "intervals", "cuts": [-10, 0, 25]}, NUMBERS),
    ({"kind": "intervals", "quantiles": 3}, NUMBERS),
    ({"kind": "dates"}, DATES),
    ({"kind": "dates", "levels": ["quarter", "decade"]}, DATES),
    ({"kind": "masking"}, CODES),
    ({"kind": "masking", "side": "left", "step": 2}, CODES),
    ("flat", CODES),
    (None, CODES),
]


def kept(spec, values, name="column"):
    hierarchy = resolve(spec, values, name)
    return hierarchy, StoredHierarchy.of(spec, hierarchy, name)


def rows_of(hierarchy):
    return {row[0]: row for row in hierarchy.rows()}


@pytest.mark.parametrize(("spec", "values"), RULES, ids=str)
@given(data=st.data())
def test_a_rule_takes_in_new_values_and_changes_no_known_one(spec, values, data):
    known, new = data.draw(values), data.draw(values)
    hierarchy, stored = kept(spec, known)
    stored = StoredHierarchy.model_validate_json(stored.model_dump_json())
    larger = stored.taking_in([*new, None], "column", level=1)
    found = rows_of(larger)
    assert {*known, *new, None} == set(larger.values)
    for row in hierarchy.rows():
        assert found[row[0]] == row


@pytest.mark.parametrize(("spec", "values"), [rule for rule in RULES if "quantiles" not in str(rule[0])], ids=str)
@given(data=st.data())
def test_a_new_value_gets_the_label_it_would_have_had_from_the_beginning(spec, values, data):
    known, new = data.draw(values), data.draw(values)
    _, stored = kept(spec, known)
    larger, whole = stored.taking_in(new, "column", level=1), resolve(spec, sorted({*known, *new}), "column")
    assert rows_of(larger) == rows_of(whole)


@given(NUMBERS, NUMBERS, st.integers(2, 4))
def test_cuts_between_quantiles_stay_where_they_were(known, new, quantiles):
    hierarchy, stored = kept({"kind": "intervals", "quantiles": quantiles}, known)
    larger = stored.taking_in(new, "age", level=1)
    for value in new:
        below = [int(one) for one in known if int(one) <= int(value)]
        neighbor = str(max(below)) if below else min(known, key=int)
        assert rows_of(larger)[value][1:] == rows_of(hierarchy)[neighbor][1:]


@pytest.mark.parametrize(
    ("spec", "known", "new", "message"),
    [
        (TREE, ["a"], ["d"], "lacks 1 value.*'d'"),
        ({"kind": "order", "order": ["no", "low", "high"]}, ["low"], ["extreme"], "lacks 1 value.*'extreme'"),
        (
            {"kind": "order"},
            ["1", "2", "3", "4"],
            ["0"],
            "no room for '0'.*known before would be published differently",
        ),
        ({"kind": "masking"}, ["123", "124"], ["12345"], "no room for '12345'"),
        ({"kind": "dates"}, ["2024-03-15"], ["2024-03-16T10:00"], "no room for"),
        ({"kind": "intervals", "width": 5}, ["31"], ["old"], "not numbers: 'old'"),
        ({"kind": "intervals", "quantiles": 2}, ["31", "40"], ["old"], "not numbers: 'old'"),
        ({"kind": "dates"}, ["2024-03-15"], ["yesterday"], "not ISO dates.*'yesterday'"),
        (Hierarchy.from_rows([["M", "x", "*"], ["F", "y", "*"]]), ["M"], ["m"], "'m'.*differs from 'm' only by"),
    ],
    ids=str,
)
def test_a_value_that_has_no_place_is_named(spec, known, new, message):
    _, stored = kept(spec, known)
    with pytest.raises(HierarchyError, match=message):
        stored.taking_in(new, "column", level=1)


@pytest.mark.parametrize(
    "spec", [TREE, {"kind": "order"}, Hierarchy.from_rows([["a", "x", "*"], ["e", "y", "*"]])], ids=str
)
def test_at_the_top_every_value_is_welcome(spec):
    hierarchy, stored = kept(spec, ["a", "e"])
    larger = stored.taking_in(["new", None], "column", level=hierarchy.height)
    assert larger.label("new", larger.height) == larger.label("a", larger.height) == hierarchy.labels[-1][0]
    assert larger.height == hierarchy.height


def test_a_column_of_one_value_has_no_top_for_another():
    _, stored = kept(Hierarchy.from_rows([["only"]]), ["only"])
    with pytest.raises(HierarchyError, match="'other'"):
        stored.taking_in(["other"], "column", level=0)


def test_a_file_is_kept_as_rows_so_that_it_may_change_or_go(tmp_path):
    write_csv(Hierarchy.from_rows([["M", "*"], ["F", "*"]]), tmp_path / "sex.csv")
    hierarchy = resolve("sex.csv", ["M"], "sex", tmp_path)
    stored = StoredHierarchy.of("sex.csv", hierarchy, "sex")
    (tmp_path / "sex.csv").unlink()
    assert (stored.name, stored.rule) == ("csv sex.csv", None)
    assert stored.taking_in(["F"], "sex", level=0).rows() == hierarchy.rows()


@pytest.mark.parametrize(
    "content",
    [
        {"name": "x", "rule": {"kind": "csv", "file": "/etc/passwd"}, "values": ["a"]},
        {"name": "x", "rule": {"kind": "unheard-of"}, "values": ["a"]},
        {"name": "x", "rule": {"kind": "intervals", "width": -1}, "values": ["1"]},
        {"name": "x", "rule": {}},
        {"name": "x"},
        {"name": "x", "rule": {"kind": "flat"}, "values": ["a"], "rows": [["a", "*"]]},
        {"name": "x", "rows": "abc"},
        {"name": "x", "rows": [["a", 1]]},
        {"name": "x", "rows": [["a", "*"]], "more": 1},
    ],
    ids=str,
)
def test_what_is_no_hierarchy_is_refused(content):
    with pytest.raises(ValidationError):
        StoredHierarchy.model_validate(content)
