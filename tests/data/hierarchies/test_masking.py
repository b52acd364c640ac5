import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from krypsis.data.hierarchies import Masking
from krypsis.errors import HierarchyError


def test_a_zip_code_loses_its_last_digits_one_by_one():
    assert Masking().build(["32042"], "zip").rows() == [["32042", "3204*", "320**", "32***", "3****", "*"]]


def test_masking_from_the_left_keeps_the_end():
    assert Masking(side="left", levels=2).build(["12345"], "x").rows() == [["12345", "*2345", "**345", "*"]]


def test_a_step_hides_several_characters_at_once():
    assert Masking(step=2).build(["2101234"], "phone").rows() == [["2101234", "21012**", "210****", "2******", "*"]]


def test_shorter_values_are_filled_up_on_the_masked_side():
    assert Masking(levels=2).build(["123", "12345"], "x").rows() == [
        ["123", "123**", "123**", "*"],
        ["12345", "1234*", "123**", "*"],
    ]
    assert Masking(side="left", levels=2).build(["45", "12345"], "x").column(2) == ["***45", "**345"]


@pytest.mark.parametrize("values", [["a"], ["a", "b"], [""], ["", "a"]])
def test_single_characters_become_the_top_at_once(values):
    assert Masking().build(values, "x").rows() == [[value, "*"] for value in values]


def test_more_levels_than_characters_stop_before_nothing_is_left():
    assert Masking(levels=9).build(["abc"], "x").height == 3


def test_long_texts_are_refused_with_advice():
    with pytest.raises(HierarchyError, match="codes of at most 256 characters, the longest value has 10000"):
        Masking(levels=1).build(["x" * 10_000], "note")
    with pytest.raises(HierarchyError, match=r"need 199 levels.*give a larger 'step', or 'levels'"):
        Masking().build(["x" * 200], "note")


def test_long_codes_work_with_few_levels():
    assert Masking(levels=2).build(["x" * 200], "x").height == 3


@pytest.mark.parametrize("options", [{"side": "top"}, {"step": 0}, {"levels": 0}, {"levels": 1000}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(ValidationError):
        Masking(**options)


codes = st.text("ab*", max_size=6)


@given(st.lists(codes, min_size=1, unique=True), st.sampled_from(["left", "right"]), st.integers(1, 3))
def test_values_meet_when_the_characters_left_over_agree(values, side, step):
    built = Masking(side=side, step=step).build(values, "x")
    longest = max(map(len, values))
    for level in range(1, built.height):
        left_over = longest - level * step
        for one in values:
            for other in values:
                if side == "right":
                    alike = one.ljust(longest, "*")[:left_over] == other.ljust(longest, "*")[:left_over]
                else:
                    alike = one.rjust(longest, "*")[-left_over:] == other.rjust(longest, "*")[-left_over:]
                assert (built.label(one, level) == built.label(other, level)) == alike


def test_with_a_declared_length_labels_do_not_depend_on_the_other_values():
    alone = Masking(length=5).build(["123", "12345"], "x")
    together = Masking(length=5).build(["123", "12345", "123456789"], "x")
    assert (
        together.rows()[:2]
        == alone.rows()
        == [
            ["123", "123**", "123**", "12***", "1****", "*"],
            ["12345", "1234*", "123**", "12***", "1****", "*"],
        ]
    )


@pytest.mark.parametrize(("side", "label"), [("right", "1234*"), ("left", "*6789")])
def test_longer_values_than_the_declared_length_are_cut_on_the_masked_side(side, label):
    assert Masking(side=side, length=5).build(["123456789"], "x").label("123456789", 1) == label


@given(
    st.lists(codes, min_size=1, unique=True),
    st.lists(st.booleans(), min_size=20, max_size=20),
    st.sampled_from(["left", "right"]),
)
def test_published_labels_are_those_of_the_published_values_alone(values, chosen, side):
    values = [value.replace("*", "c") for value in values]
    values = list(dict.fromkeys(values))
    shown = np.array(chosen[: len(values)] + [True] * (len(values) - 20))
    kept = [value for value, is_shown in zip(values, shown, strict=True) if is_shown]
    if not kept:
        return
    published = Masking(side=side).published(Masking(side=side).build(values, "x"), shown)
    alone = Masking(side=side).build(kept, "x")
    labels = [[published.label(value, level) for value in kept] for level in range(published.height + 1)]
    assert labels[published.height - alone.height :] == [alone.column(level) for level in range(alone.height + 1)]
    assert all(column == kept for column in labels[: published.height - alone.height])
