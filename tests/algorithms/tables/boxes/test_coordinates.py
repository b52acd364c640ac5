"""Which attributes are numbers, which are dates, and which only look like it."""

import pytest

from krypsis.algorithms.tables.boxes.axes import coordinates_of
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import UsageError


def flat(*values):
    return Hierarchy.from_rows([[value, "*"] for value in values])


def numbers_of(*values, required=False):
    found = coordinates_of(flat(*values), "age", required=required)
    return None if found is None else found.numbers.tolist()


def test_numbers_are_read_however_they_are_written():
    assert numbers_of("7", "-2.5", "+3", "1e3", ".5", "5.", " 8 ", "0") == [7, -2.5, 3, 1000, 0.5, 5, 8, 0]


def test_codes_with_leading_zeros_are_no_numbers_unless_someone_says_so():
    assert numbers_of("01234", "91234") is None
    assert numbers_of("01234", "91234", required=True) == [1234, 91234]


def test_dates_lie_as_many_days_apart_as_they_are():
    found = coordinates_of(flat("2024-03-01", "2024-02-28", None), "born")
    assert found.numbers[0] - found.numbers[1] == 2  # 2024 has a 29th of February
    assert found.unit == "D"
    assert found.is_missing.tolist() == [False, False, True]


def test_times_lie_as_far_apart_as_they_are_however_exact_they_are_written():
    values = "2024-02-28T23:59", "2024-02-29 00:00:30", "2024-02-29T00:00:30.5", None
    found = coordinates_of(flat(*values), "seen")
    assert (found.numbers[1:3] - found.numbers[0]).tolist() == [90_000_000, 90_500_000]
    assert found.unit == "us"


@pytest.mark.parametrize("odd", ["2024-02-28", "2024-02-30T10:00", "2024-02-28T10:00:00.1234567", "2024-02-28T25:00"])
def test_times_among_other_things_have_no_coordinates(odd):
    assert numbers_of("2024-02-28T10:00", odd) is None


@pytest.mark.parametrize("values", [("2024-02-30", "2024-02-28"), ("a", "2"), ("1,5", "2"), ("１", "2"), ("", "2")])
def test_what_is_not_all_numbers_or_all_dates_has_no_coordinates(values):
    assert numbers_of(*values) is None


@pytest.mark.parametrize("odd", ["inf", "-Infinity", "NaN", "1e999"])
def test_an_infinite_number_among_numbers_is_an_error_that_names_it(odd):
    with pytest.raises(UsageError, match=rf"'age' holds '{odd}' among its numbers.*leave these cells empty"):
        coordinates_of(flat("1", odd, "3"), "age")


def test_a_word_that_reads_like_infinity_among_other_words_is_a_word():
    assert numbers_of("inf", "outf") is None


def test_a_numeric_attribute_with_other_values_is_an_error_that_names_them():
    with pytest.raises(UsageError, match=r"'age' is called numeric and holds values that are no numbers: 'old'"):
        numbers_of("1", "old", required=True)


def test_nothing_but_missing_values_is_no_error():
    assert numbers_of(None, required=True) is None
