"""What holds for whatever a builder makes, whatever the values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.hierarchies import Dates, Flat, Intervals, Masking, Order, Taxonomy, format_csv, parse_csv
from krypsis.errors import HierarchyError

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=8)
numbers = st.one_of(st.integers(-(10**6), 10**6), st.decimals(-100, 100, places=3)).map(str)
days = st.one_of(st.dates(), st.datetimes()).map(lambda day: day.isoformat())


def columns(values):
    """Distinct values of a column, some missing."""
    return st.lists(st.one_of(st.none(), values), min_size=1, max_size=25, unique=True)


@st.composite
def taxonomies(draw):
    values = draw(columns(texts))
    present = [value for value in values if value is not None]
    middle = {f"\0{draw(st.integers(0, 3))}" for _ in present} or {"\0"}
    tree = {name: [] for name in middle}
    for value in present:
        tree[draw(st.sampled_from(sorted(middle)))].append(value)
    tree = {name.replace("\0", "group "): below for name, below in tree.items() if below}
    names = {*tree, "Any"}
    values = [value for value in values if value not in names]
    tree = {name: [leaf for leaf in below if leaf not in names] for name, below in tree.items()}
    tree = {name: below for name, below in tree.items() if below} or {"group": ["leaf"]}
    return Taxonomy(tree={"Any": tree}), values or [None]


made = st.one_of(
    st.tuples(st.builds(Flat), columns(texts)),
    st.tuples(
        st.builds(Intervals, width=st.decimals("0.001", 10**5, places=3), levels=st.integers(1, 6)), columns(numbers)
    ),
    st.tuples(st.builds(Intervals, quantiles=st.integers(2, 9), factor=st.integers(2, 4)), columns(numbers)),
    st.tuples(st.builds(Dates), columns(days)),
    st.tuples(
        st.builds(Masking, side=st.sampled_from(["left", "right"]), step=st.integers(1, 3)),
        columns(st.one_of(texts, st.text("01*", min_size=1, max_size=5))),
    ),
    st.tuples(st.builds(Order, size=st.integers(2, 4), factor=st.integers(2, 3)), columns(st.one_of(texts, numbers))),
    taxonomies(),
)


def is_coarsening(rows):
    """Say whether rows that look alike at a level look alike at all levels above: by definition, pair by pair."""
    return all(
        one[level:] == other[level:]
        for one in rows
        for other in rows
        for level in range(len(one))
        if one[level] == other[level]
    )


@given(made)
def test_every_level_is_a_coarsening_with_a_single_top(case):
    builder, values = case
    rows = builder.build(values, "x").rows()
    assert is_coarsening(rows)
    assert len({row[-1] for row in rows}) == 1


@given(made)
def test_every_value_is_held(case):
    builder, values = case
    assert set(values) <= set(builder.build(values, "x").values)


@given(made)
def test_a_missing_value_keeps_to_itself_below_the_top(case):
    builder, values = case
    built = builder.build([*values, None], "x")
    labels = [built.label(None, level) for level in range(built.height)]
    assert labels == [None] * built.height
    assert all(built.column(level).count(None) == 1 for level in range(built.height))
    assert built.label(None, built.height) == built.labels[-1][0] is not None


@given(made)
def test_every_hierarchy_survives_a_csv_file(case):
    builder, values = case
    built = builder.build(values, "x")
    assert parse_csv(format_csv(built)).rows() == built.rows()


@given(made, st.randoms())
def test_the_order_of_the_values_changes_no_label(case, random):
    builder, values = case
    shuffled = random.sample(values, len(values))
    one, other = builder.build(values, "x"), builder.build(shuffled, "x")
    assert sorted(map(repr, one.rows())) == sorted(map(repr, other.rows()))


@given(made)
def test_the_values_given_are_not_changed(case):
    builder, values = case
    before = list(values)
    builder.build(values, "x")
    assert values == before


@pytest.mark.parametrize("builder", [Flat(), Intervals(width=1), Dates(), Masking(), Order()])
def test_no_values_are_refused_and_only_missing_ones_go_to_the_top(builder):
    assert builder.build([None], "x").rows() == [[None, "*"]]
    with pytest.raises(HierarchyError, match="hierarchy of 'x': the column has no values to build from"):
        builder.build([], "x")
