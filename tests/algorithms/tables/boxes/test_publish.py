"""What groups are published as: labels stand for their values, and look like what they stand for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis import registry
from krypsis.algorithms.tables.boxes import Boxes, axes_of, boxes_of, publish_groups
from krypsis.algorithms.tables.boxes.boxes import ranks_of
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet
from label_reading import stands_for
from strategies import frequency_sets

PUBLISH = ("auto", "ranges", "sets", "hierarchy")
JOB = Hierarchy.from_rows([["cook", "service", "*"], ["judge", "law", "*"], ["waiter", "service", "*"]])


def flat(*values):
    return Hierarchy.from_rows([[value, "*"] for value in values])


def people(*hierarchies):
    """All values of the first attribute, the others likewise, as far as they go."""
    rows = range(max(len(hierarchy.values) for hierarchy in hierarchies))
    codes = [[min(row, len(hierarchy.values) - 1) for hierarchy in hierarchies] for row in rows]
    names = tuple("abc"[: len(hierarchies)])
    return FrequencySet(names, hierarchies, np.array(codes, dtype=np.int32), np.ones(len(codes), dtype=np.int64))


def labels(frequency, group_of, boxes=None, metric="generalized-loss", **options):
    axes = axes_of(frequency, registry.create("metric", metric), **options)
    recoding = publish_groups(frequency, axes, np.array(group_of), boxes)
    books = recoding.codebooks
    return [tuple(book.labels[code] for book, code in zip(books, row, strict=True)) for row in recoding.released]


@st.composite
def grouped(draw):
    frequency = draw(frequency_sets())
    drawn = draw(st.lists(st.integers(0, 3), min_size=len(frequency.counts), max_size=len(frequency.counts)))
    return frequency, np.unique(drawn, return_inverse=True)[1]


@given(grouped=grouped(), publish=st.sampled_from(PUBLISH))
def test_a_label_stands_for_the_values_of_its_groups_and_no_more_than_its_form_needs(grouped, publish):
    frequency, group_of = grouped
    axes = axes_of(frequency, registry.create("metric", "loss"), publish)
    recoding = publish_groups(frequency, axes, group_of)
    for place, (axis, book) in enumerate(zip(axes, recoding.codebooks, strict=True)):
        assert len(set(book.labels)) == len(book.labels)
        for group in range(int(group_of.max()) + 1):
            values = set(frequency.codes[group_of == group, place].tolist())
            [code] = set(recoding.released[group_of == group, place].tolist())
            assert set(book.below(code).tolist()) == wanted_values(axis, values), book.labels[code]


def wanted_values(axis, values):
    """By hand: the values alone, all between them, or all below the lowest node that has them all."""
    missing = axis.hierarchy.code_of.get(None)
    everything = set(range(len(axis.code_at)))
    if missing in values and len(values) > 1:
        return everything
    if axis.form == "set":
        return values
    if axis.form == "range":
        ranks = axis.rank_of[list(values)]
        return set(axis.code_at[ranks.min() : ranks.max() + 1].tolist())
    for row in axis.hierarchy.table:
        if len({row[value] for value in values}) == 1:
            return {code for code in everything if row[code] == row[next(iter(values))]}
    raise AssertionError("the top has them all")


@given(grouped=grouped(), publish=st.sampled_from(PUBLISH))
def test_a_label_reads_as_what_it_stands_for(grouped, publish):
    frequency, group_of = grouped
    axes = axes_of(frequency, registry.create("metric", "loss"), publish)
    recoding = publish_groups(frequency, axes, group_of)
    for row, released in zip(frequency.codes, recoding.released, strict=True):
        for code, new, hierarchy, book in zip(row, released, frequency.hierarchies, recoding.codebooks, strict=True):
            above = [hierarchy.label(hierarchy.values[code], level) for level in range(hierarchy.height + 1)]
            assert book.labels[new] in (*above, "*") or stands_for(book.labels[new], hierarchy.values[code])


@given(grouped=grouped())
def test_the_smallest_boxes_hold_their_groups_and_touch_them_on_every_side(grouped):
    frequency, group_of = grouped
    axes = axes_of(frequency, registry.create("metric", "loss"))
    ranks = ranks_of(frequency.codes, axes)
    boxes = boxes_of(ranks, group_of, int(group_of.max()) + 1)
    for group, (low, high) in enumerate(zip(boxes.low, boxes.high, strict=True)):
        assert low.tolist() == ranks[group_of == group].min(axis=0).tolist()
        assert high.tolist() == ranks[group_of == group].max(axis=0).tolist()
    costs = boxes.costs(axes)
    assert costs.shape == (len(boxes.low), len(axes))
    assert ((costs >= 0) & (costs <= 1)).all()


def test_numbers_dates_and_words_are_written_so_that_they_can_be_read():
    born = flat("2020-01-01", "2021-05-06", "2022-01-01")
    both = [0, 0, 1]
    assert labels(people(flat("9", "10", "31"), born, JOB), both) == [
        ("[9-10]", "[2020-01-01 to 2021-05-06]", "*"),
        ("[9-10]", "[2020-01-01 to 2021-05-06]", "*"),
        ("31", "2022-01-01", "waiter"),
    ]
    assert labels(people(flat("-5", "3", "4")), both)[0] == ("[-5 to 3]",)
    assert labels(people(JOB), both, publish="ranges")[0] == ("[cook to judge]",)
    assert labels(people(flat("x", "y", "z")), both)[0] == ("{x, y}",)


def test_ranges_of_words_name_their_ends():
    assert labels(people(flat("x", "y", "z")), [0, 0, 1], publish="ranges")[0] == ("[x to y]",)


def test_the_form_may_differ_from_attribute_to_attribute():
    both = people(flat("1", "2", "3"), flat("1", "2", "3"))
    assert labels(both, [0, 0, 1], publish={"b": "sets"})[0] == ("[1-2]", "{1, 2}")


def test_codes_with_leading_zeros_are_published_as_sets_not_as_ranges():
    assert labels(people(flat("01234", "01239", "94110")), [0, 0, 1])[0] == ("{01234, 01239}",)


@pytest.mark.parametrize("publish", PUBLISH)
def test_missing_values_among_others_become_the_top_and_alone_stay_missing(publish):
    ages = people(flat("1", "2", None))
    assert labels(ages, [0, 1, 1], publish=publish) == [("1",), ("*",), ("*",)]
    assert labels(ages, [0, 0, 1], publish=publish)[2] == (None,)


def test_one_number_written_in_two_ways_is_one_number():
    assert labels(people(flat("5", "5.0", "7")), [0, 0, 1], metric="loss") == [("5",), ("5",), ("7",)]


def test_a_value_that_looks_like_the_top_is_counted_as_all_that_its_label_may_be():
    frequency = people(Hierarchy.from_columns([["x", "*", None], ["*", "*", "*"]]))
    axes = axes_of(frequency, registry.create("metric", "loss"))
    recoding = publish_groups(frequency, axes, np.array([0, 1, 0]))
    [book] = recoding.codebooks
    assert book.labels == ("*",)
    assert sorted(book.below(0)) == [0, 1, 2]


def test_regions_tell_where_they_begin_after_another_one():
    ages = people(flat("20", "23", "24", "29"), JOB)
    low, high = np.array([[0, 0], [2, 2]], dtype=np.int32), np.array([[1, 1], [3, 2]], dtype=np.int32)
    regions = Boxes(low, high, is_region=True, opened=low > 0)
    options = {"publish": {"b": "ranges"}, "kinds": {"b": "ordered"}}
    assert labels(ages, [0, 0, 1, 1], regions, **options) == [
        ("[20-23]", "[cook to waiter]"),
        ("[20-23]", "[cook to waiter]"),
        ("(23-29]", "(waiter to judge]"),
        ("(23-29]", "(waiter to judge]"),
    ]


def test_a_region_of_values_without_order_is_the_set_of_all_of_them():
    colors = people(flat("red", "green", "blue", "grey"))
    region = Boxes(np.array([[0], [3]], dtype=np.int32), np.array([[2], [3]], dtype=np.int32), is_region=True)
    assert labels(colors, [0, 0, 0, 1], region)[0] == ("{red, green, blue}",)


def test_sets_of_more_values_than_a_number_has_bits():
    many = people(flat(*(f"v{number}" for number in range(80))))
    found = labels(many, [number // 40 for number in range(80)])
    assert found[0] == ("{" + ", ".join(f"v{number}" for number in range(40)) + "}",)
    assert found[79] == ("{" + ", ".join(f"v{number}" for number in range(40, 80)) + "}",)
