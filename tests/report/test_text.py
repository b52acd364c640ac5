"""Words of a report: how wide they are, and where they are cut."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from krypsis.report.text import columns, shorten_text

TEXTS = st.text(st.sampled_from("ab ·日本é\u0301ｶ"), max_size=12)
"""Texts of narrow letters, wide ones, and one that stands on another."""


@given(TEXTS)
def test_a_wide_letter_takes_two_columns_and_every_other_one(text):
    widths = [2 if unicodedata.east_asian_width(letter) in ("W", "F") else 1 for letter in text]
    assert columns(text) == sum(widths)


@given(TEXTS, st.integers(min_value=2, max_value=14))
def test_a_text_is_cut_only_where_it_is_too_wide_and_then_fits(text, longest):
    shown = shorten_text(text, longest)
    if columns(text) <= longest:
        assert shown == text
    else:
        assert columns(shown) <= longest
        assert text.startswith(shown.removesuffix("…"))
        assert shown.endswith("…")
