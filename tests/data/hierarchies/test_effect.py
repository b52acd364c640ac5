"""What a hierarchy does to a column."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.hierarchies import Hierarchy, Intervals
from krypsis.data.hierarchies.editing import effects


@given(st.lists(st.integers(0, 40).map(str), min_size=1, max_size=60))
def test_the_effect_is_what_counting_the_labels_of_all_records_gives(values):
    hierarchy = Intervals(width=5).build(values, "age")
    for one in effects(hierarchy, Counter(values)):
        labels = Counter(hierarchy.label(value, one.level) for value in values)
        assert (one.distinct, one.smallest) == (len(labels), min(labels.values()))
        assert one.alone == sum(count for count in labels.values() if count == 1)
        assert labels[one.examples[0]] == max(labels.values())
        assert set(one.examples) <= set(labels)


def test_values_that_no_record_has_do_not_count():
    hierarchy = Hierarchy.from_rows([["a", "x", "*"], ["b", "y", "*"], [None, None, "*"]])
    assert [one.distinct for one in effects(hierarchy, {"a": 3, None: 1})] == [2, 2, 1]


def test_a_column_without_records_has_no_values():
    hierarchy = Hierarchy.from_rows([["a", "*"]])
    assert [(one.distinct, one.smallest) for one in effects(hierarchy, {})] == [(0, 0), (0, 0)]
