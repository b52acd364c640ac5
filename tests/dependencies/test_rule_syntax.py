"""Rules as people write them: what is read, what is refused, and that a written rule is read back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from krypsis.data.dependencies import (
    Condition,
    FunctionalDependency,
    SecretCells,
    ValueRule,
    parse_dependency,
    parse_secret,
)
from krypsis.errors import UsageError

NAMES = st.one_of(
    st.text(min_size=1, max_size=6),
    st.sampled_from(
        ["and", "in", "where", "a and b", "->", "=>", "a->b", "'", "''", '"', "a, b", "=", "-5", "\u00a0", " x"]
    ),
)
VALUES = st.lists(NAMES, min_size=1, max_size=3, unique=True).map(tuple)
CONDITIONS = st.lists(st.builds(Condition, NAMES, VALUES), min_size=1, max_size=3).map(tuple)


@settings(max_examples=examples(500))
@given(st.lists(NAMES, min_size=2, max_size=4, unique=True))
def test_a_functional_dependency_is_read_back_whatever_the_columns_are_called(names):
    rule = FunctionalDependency(tuple(names[1:]), names[0])
    assert parse_dependency(rule.text) == (rule,)


@settings(max_examples=examples(500))
@given(CONDITIONS, NAMES, VALUES)
def test_a_rule_about_values_is_read_back_whatever_they_are(conditions, column, values):
    if column in [one.column for one in conditions]:
        return
    rule = ValueRule(conditions, Condition(column, values))
    assert parse_dependency(rule.text) == (rule,)


@settings(max_examples=examples(500))
@given(NAMES, st.one_of(st.just(()), CONDITIONS))
def test_a_secret_is_read_back(column, conditions):
    secret = SecretCells(column, conditions)
    assert parse_secret(secret.text) == secret


@settings(max_examples=examples(500))
@given(st.text(max_size=30))
def test_any_text_is_a_rule_or_refused_in_words(text):
    for parse in (parse_dependency, parse_secret):
        said = "is written"
        try:
            parse(text)
        except UsageError as error:
            said = str(error)
        assert "is written" in said or "leave it out" in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "concludes nothing"),
        ("zip ->", "expected the name of a column, got the end"),
        ("-> city", "expected the name of a column, got '->'"),
        ("zip -> city -> region", "expected the end, got '->'"),
        ("zip = 1 -> city", "expected ',' or '->', got '='"),
        ("a = 1 or b = 2 => c = 3", "expected 'and' or '=>', got '='"),
        ("a => c = 3", "expected '=' or 'in', got '=>'"),
        ("a in => c = 3", "expected a value, got '=>'"),
        ("a = 1 => c", "expected '=' or 'in', got the end"),
        ("a = 1 => a = 2", "concludes on a column of its own conditions"),
        ("a = 'x => b = 2", "cannot be read from"),
    ],
)
def test_a_rule_that_cannot_be_read_says_where(text, message):
    with pytest.raises(UsageError, match=message):
        parse_dependency(text)


@pytest.mark.parametrize(
    "text", ["", "where ward = east", "diagnosis where", "diagnosis where ward", "a where b = 1, c"]
)
def test_a_secret_that_cannot_be_read_says_how_it_is_written(text):
    with pytest.raises(UsageError, match="a secret is written 'diagnosis' or"):
        parse_secret(text)
