import math
from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.kinds.table.profile.column import ValueType, profile_column


def kind_of(*values):
    return profile_column("x", pl.Series(values, dtype=pl.String)).kind


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", "+30"], ValueType.INTEGER),
        ([" 39", " 50"], ValueType.INTEGER),
        (["0", "10", None], ValueType.INTEGER),
        (["01234", "12345"], ValueType.TEXT),
        (["1", "2.5", "1e-3", ".5"], ValueType.DECIMAL),
        (["5.0", "NaN"], ValueType.TEXT),
        (["1,5", "2,5"], ValueType.TEXT),
        (["true", "FALSE", None], ValueType.BOOLEAN),
        (["0", "1"], ValueType.BOOLEAN),
        (["Ναι", "Όχι"], ValueType.BOOLEAN),
        (["0", "1", "2"], ValueType.INTEGER),
        (["yes", "maybe"], ValueType.TEXT),
        (["2024-03-15", "1999-12-31"], ValueType.DATE),
        (["2024-03-15T10:30:00", "1999-12-31 23:59"], ValueType.DATE),
        (["2024-03-15", "2024-02-30"], ValueType.TEXT),
        (["31/12/1999", "1/2/2003"], ValueType.DATE),
        (["31.12.1999", "01.02.2003"], ValueType.DATE),
        (["31 Dec 1999", "1 may 2003"], ValueType.DATE),
        (["31-December-1999", "1-May-2003"], ValueType.DATE),
        (["31 Dez 1999", "1 Mai 2003"], ValueType.TEXT),
        (["20240315", "19991231", "20010101"], ValueType.DATE),
        (["20240315", "19991399", "20010101"], ValueType.INTEGER),
        (["a", "a"], ValueType.CONSTANT),
        (["a", None], ValueType.TEXT),
        ([None, None], ValueType.EMPTY),
        (["", "x"], ValueType.TEXT),
        (["1" * 30, "2" * 30], ValueType.TEXT),
    ],
)
def test_the_kind_of_values_is_found(values, kind):
    assert kind_of(*values) is kind


@pytest.mark.parametrize(
    ("values", "written_as"),
    [
        (["31/12/1999", "01/02/2003"], "dd/mm/yyyy"),
        (["12/31/1999", "01/02/2003"], "mm/dd/yyyy"),
        (["01/02/2003", "03/04/2005"], "dd/mm/yyyy"),
        (["2024-03-15", "2024-03-16"], None),
        (["1999/12/31", "2003/2/1"], "yyyy/mm/dd"),
    ],
)
def test_how_dates_are_written_is_found(values, written_as):
    assert profile_column("x", pl.Series(values)).date_format == written_as


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (["a@b.gr", "c.d@e.org"], "e-mail addresses"),
        (["GR16 0110 1250 0000 0001 2300 695", "DE89370400440532013000"], "bank account numbers"),
        (["10.0.0.1", "192.168.1.20"], "network addresses"),
        (["Athens", "Berlin"], None),
        ([None], None),
    ],
)
def test_values_that_identify_by_their_looks_are_recognized(values, what):
    assert profile_column("x", pl.Series(values, dtype=pl.String)).looks_like == what


@given(
    st.lists(st.none() | st.sampled_from(["a", "bb", "ccc", "", "1"]) | st.text(max_size=4), min_size=1, max_size=30)
)
def test_the_figures_of_a_column_are_those_of_counting_by_hand(values):
    found = profile_column("x", pl.Series(values, dtype=pl.String))
    counts = Counter(values)
    present = [value for value in values if value is not None]
    assert found.rows == len(values)
    assert found.missing == counts[None]
    assert found.distinct == len(set(present))
    assert found.smallest_group == min(count for count in counts.values() if count)
    alone = sum(1 for value in present if counts[value] == 1)
    assert found.unique_share == pytest.approx(alone / len(present) if present else 0)
    assert (found.shortest, found.longest) == ((min(map(len, present)), max(map(len, present))) if present else (0, 0))
    shares = [count / len(values) for count in counts.values() if count]
    assert found.entropy == pytest.approx(-sum(share * math.log2(share) for share in shares), abs=1e-9)
    assert set(found.sample) <= set(present)


def test_the_sample_shows_frequent_values_first():
    assert profile_column("x", pl.Series(["b", "a", "c", "c"])).sample == ("c", "a", "b")


def test_row_numbers_are_recognized():
    assert profile_column("x", pl.Series(["3", "1", "2"])).is_counting
    assert not profile_column("x", pl.Series(["3", "1", "4"])).is_counting
    assert not profile_column("x", pl.Series(["1", "2", "2"])).is_counting
