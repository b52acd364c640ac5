"""Guessing the role of a column, with the reason: support for a decision that the publisher makes.

An attribute is a quasi-identifier if an adversary may obtain it from elsewhere; of the rest, the special categories of
data protection law are sensitive. Where nothing speaks for a role, the guess is a quasi-identifier: that costs some
precision, the other mistake costs a person's secret.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from krypsis.data.schema import Role
from krypsis.profile.column import ColumnProfile, ValueType
from krypsis.profile.looks import MANY
from krypsis.profile.reasons import IN_DOUBT, Guess
from krypsis.profile.words import (
    FREE_TEXT,
    IDENTIFYING,
    KNOWABLE,
    NAME,
    NUMBERS,
    ORIGIN,
    PERSONS,
    SPECIAL,
    find_tag,
    tokens_of,
)

if TYPE_CHECKING:
    from krypsis.profile.table import Profile

FEWEST_TO_JUDGE = 3
"""With fewer records, that all values differ says nothing."""


def guess_roles(profile: Profile) -> dict[str, Guess]:
    """Return a guess for every column."""
    return {column.name: guess_role(column) for column in profile.columns}


def guess_role(column: ColumnProfile) -> Guess:
    """Return a guess for one column.

    Examples
    --------
    >>> import polars as pl
    >>> from krypsis.profile.column import profile_column
    >>> guess_role(profile_column("Diagnosis", pl.Series(["flu", "flu", "cold"])))
    Guess(role=<Role.SENSITIVE: 'sensitive'>, reason='the name speaks of health')
    """
    rules: tuple[Callable[[ColumnProfile, tuple[str, ...]], Guess | None], ...] = (
        _identifying_name,
        _identifying_values,
        _free_text,
        _special_category,
        _record_number,
        _knowable_name,
        _resemblance,
        _shape_of_values,
    )
    tokens = tokens_of(column.name)
    guesses = (rule(column, tokens) for rule in rules)
    return next((guess for guess in guesses if guess), Guess.because(Role.QUASI_IDENTIFIER, IN_DOUBT))


def _identifying_name(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:
    if tag := find_tag(tokens, IDENTIFYING):
        return Guess.because(Role.IDENTIFIER, "speaks-of", what=tag.meaning)
    if NAME.names(tokens) and (len(tokens) == 1 or PERSONS.names(tokens) or _tells_apart(column)):
        return Guess.because(Role.IDENTIFIER, "a-name", share=_percent(column))
    return None


def _identifying_values(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:  # noqa: ARG001
    if column.looks_like:
        return Guess.because(Role.IDENTIFIER, "look-like", what=column.looks_like)
    return None


def _free_text(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:
    """Free text may name anybody, whatever the column is about."""
    if column.kind is not ValueType.TEXT:
        return None
    if _tells_apart(column) and column.several_words >= 0.5:
        return Guess.because(Role.IDENTIFIER, "unique-texts", share=_percent(column))
    if FREE_TEXT.names(tokens) and (column.distinct > MANY or _tells_apart(column)):
        return Guess.because(Role.IDENTIFIER, "named-free-text")
    return None


def _special_category(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:  # noqa: ARG001
    tag = find_tag(tokens, SPECIAL)
    if tag is None:
        return None
    key = "speaks-of-visible" if tag.meaning == ORIGIN else "speaks-of"
    return Guess.because(Role.SENSITIVE, key, what=tag.meaning)


def _record_number(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:
    if column.is_counting and _tells_apart(column) and not find_tag(tokens, KNOWABLE):
        return Guess.because(Role.IDENTIFIER, "counts-records")
    if not NUMBERS.names(tokens):
        return None
    if _tells_apart(column):
        return Guess.because(Role.IDENTIFIER, "a-number", share=_percent(column))
    if PERSONS.names(tokens):
        return Guess.because(Role.IDENTIFIER, "number-of-a-person")
    return None


def _knowable_name(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:  # noqa: ARG001
    tag = find_tag(tokens, KNOWABLE)
    return Guess.because(Role.QUASI_IDENTIFIER, "speaks-of-known", what=tag.meaning) if tag else None


def _resemblance(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:  # noqa: ARG001
    return Guess.because(Role.IDENTIFIER, "look-like", what=column.resembles) if column.resembles else None


def _shape_of_values(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:
    if column.kind in (ValueType.EMPTY, ValueType.CONSTANT):
        return Guess.because(Role.INSENSITIVE, column.kind.value)
    if column.kind is ValueType.DATE:
        return Guess.because(Role.QUASI_IDENTIFIER, "dates")
    if column.kind is ValueType.TEXT:
        return _shape_of_texts(column, tokens)
    if not _tells_apart(column):
        return None
    share = _percent(column)
    if column.kind is ValueType.INTEGER and column.shortest == column.longest >= 5:
        return Guess.because(Role.IDENTIFIER, "record-numbers", share=share)
    return Guess.because(Role.QUASI_IDENTIFIER, "unique-numbers", share=share)


def _shape_of_texts(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:
    if _tells_apart(column):
        return Guess.because(Role.IDENTIFIER, "unique-texts", share=_percent(column))
    if column.distinct <= MANY:
        return None
    if column.sentences >= 0.3:
        return Guess.because(Role.IDENTIFIER, "free-text")
    if PERSONS.names(tokens) and column.distinct >= 0.1 * column.rows:
        return Guess.because(Role.IDENTIFIER, "persons", number=str(column.distinct))
    return None


def _tells_apart(column: ColumnProfile) -> bool:
    return column.is_near_unique and column.rows - column.missing >= FEWEST_TO_JUDGE


def _percent(column: ColumnProfile) -> str:
    return f"{column.unique_share:.0%}".replace("%", " %")
