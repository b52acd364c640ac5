from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from krypsis.data.hierarchies import Dates
from krypsis.errors import HierarchyError


def test_a_day_becomes_month_quarter_year_and_decade():
    assert Dates().build(["2024-03-15"], "admitted").rows() == [
        ["2024-03-15", "2024-03", "2024-Q1", "2024", "2020s", "*"]
    ]


@pytest.mark.parametrize(
    "value", ["2024-12-31T23:59:59", "2024-12-31 23:59", "2024-12-31T23:59:59.5+02:00", "2024-12-31T22:00:00Z"]
)
def test_a_time_becomes_its_day_first(value):
    assert Dates().build([value], "admitted").rows() == [
        [value, "2024-12-31", "2024-12", "2024-Q4", "2024", "2020s", "*"]
    ]


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        ("dd/mm/yyyy", "05/11/1999"),
        ("dd/mm/yyyy", "5/11/1999"),
        ("MM/DD/YYYY", "11/05/1999"),
        ("dd.mm.yyyy", "05.11.1999"),
        ("yyyymmdd", "19991105"),
        ("%d %b %Y", "05 Nov 1999"),
        ("%d/%m/%y", "05/11/99"),
    ],
)
def test_other_ways_to_write_a_date_are_read_by_their_format(pattern, value):
    assert Dates(format=pattern, levels=["day", "decade"]).build([value], "born").rows() == [
        [value, "1999-11-05", "1990s", "*"]
    ]


def test_a_format_with_a_time_starts_with_the_day():
    assert Dates(format="%d/%m/%Y %H:%M").build(["05/11/1999 10:30"], "x").label("05/11/1999 10:30", 1) == "1999-11-05"


def test_only_the_wanted_levels_are_built():
    assert Dates(levels="year").build(["2024-03-15"], "x").rows() == [["2024-03-15", "2024", "*"]]


@pytest.mark.parametrize(
    ("month", "quarter"), list(zip(range(1, 13), [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4], strict=True))
)
def test_every_month_has_its_quarter(month, quarter):
    assert Dates(levels=["quarter"]).build([f"2023-{month:02}-01"], "x").column(1) == [f"2023-Q{quarter}"]


def test_early_years_keep_four_digits():
    assert Dates(levels=["year", "decade"]).build(["0987-01-01"], "x").rows() == [["0987-01-01", "0987", "0980s", "*"]]


@pytest.mark.parametrize(
    "value", ["2023-02-29", "2024-13-01", "15/03/2024", "20240315", "2024-W11-5", "2024", "", "today", "2024-03-15x"]
)
def test_what_is_no_iso_date_is_refused_and_named(value):
    with pytest.raises(
        HierarchyError, match=r"hierarchy of 'x': 1 of 2 value.* are not ISO dates like 2024-03-15"
    ) as no:
        Dates().build(["2024-03-15", value], "x")
    assert repr(value) in str(no.value)


def test_a_date_in_the_wrong_format_is_refused():
    with pytest.raises(HierarchyError, match="are not dates like 'dd/mm/yyyy': '12/31/2024'"):
        Dates(format="dd/mm/yyyy").build(["12/31/2024"], "x")


@pytest.mark.parametrize(
    "options",
    [
        {"format": ""},
        {"format": "dd/mm"},
        {"format": "day first"},
        {"format": "%Q %Y %m %d"},
        {"format": "%Y-%m-%d %"},
        {"levels": []},
        {"levels": ["week"]},
        {"levels": ["year", "month"]},
        {"levels": ["year", "year"]},
    ],
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(ValidationError):
        Dates(**options)


@given(st.lists(st.dates(), min_size=1, unique=True))
def test_each_level_agrees_with_the_calendar(days):
    built = Dates().build([day.isoformat() for day in days], "x")
    for text, month, quarter, year, decade, top in built.rows():
        day = date.fromisoformat(text)
        assert month == text[:7]
        assert quarter == f"{text[:4]}-Q{-(-day.month // 3)}"
        assert year == text[:4]
        assert decade == text[:3] + "0s"
        assert top == "*"
