"""Guessing the role of a column, with the reason: support for a decision that the publisher makes.

An attribute is a quasi-identifier if an adversary may obtain it from elsewhere; of the rest, the special categories of
data protection law are sensitive. Where nothing speaks for a role, the guess is a quasi-identifier: that costs some
precision, the other mistake costs a person's secret.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from krypsis.profile.column import ColumnProfile, Kind
from krypsis.profile.looks import MANY
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
from krypsis.schema import Role

if TYPE_CHECKING:
    from krypsis.profile.table import Profile

FEWEST_TO_JUDGE = 3
"""With fewer records, that all values differ says nothing."""


IN_DOUBT = "nothing in the name or the values tells what it is; make it insensitive if nobody outside can know it"
NOTHING_TO_TELL = {Kind.EMPTY: "all values are missing", Kind.CONSTANT: "all records have the same value"}
FREE = "they may name persons or be free text"
VISIBLE = "; it can also be seen, so it may have to be a quasi-identifier"


@dataclass(frozen=True)
class Guess:
    """A role and why."""

    role: Role
    reason: str


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
    return next((guess for guess in guesses if guess), Guess(Role.QUASI_IDENTIFIER, IN_DOUBT))


def _identifying_name(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:
    if tag := find_tag(tokens, IDENTIFYING):
        return Guess(Role.IDENTIFIER, f"the name speaks of {tag.meaning}")
    if NAME.names(tokens) and (len(tokens) == 1 or PERSONS.names(tokens) or _tells_apart(column)):
        return Guess(Role.IDENTIFIER, f"the name speaks of a name, and {_percent(column)} of the values are unique")
    return None


def _identifying_values(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:  # noqa: ARG001
    if column.looks_like:
        return Guess(Role.IDENTIFIER, f"the values look like {column.looks_like}")
    return None


def _free_text(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:
    """Free text may name anybody, whatever the column is about."""
    if column.kind is not Kind.TEXT:
        return None
    if _tells_apart(column) and column.several_words >= 0.5:
        return Guess(Role.IDENTIFIER, f"{_percent(column)} of the values are unique: {FREE}")
    if FREE_TEXT.names(tokens) and (column.distinct > MANY or _tells_apart(column)):
        return Guess(Role.IDENTIFIER, "the name speaks of free text, which may name persons")
    return None


def _special_category(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:  # noqa: ARG001
    tag = find_tag(tokens, SPECIAL)
    if tag is None:
        return None
    visible = VISIBLE if tag.meaning == ORIGIN else ""
    return Guess(Role.SENSITIVE, f"the name speaks of {tag.meaning}{visible}")


def _record_number(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:
    if column.is_counting and _tells_apart(column) and not find_tag(tokens, KNOWABLE):
        return Guess(Role.IDENTIFIER, "the values count the records")
    if not NUMBERS.names(tokens):
        return None
    if _tells_apart(column):
        return Guess(Role.IDENTIFIER, f"the name speaks of a number, and {_percent(column)} of the values are unique")
    if PERSONS.names(tokens):
        return Guess(Role.IDENTIFIER, "the name speaks of a number that belongs to a person")
    return None


def _knowable_name(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:  # noqa: ARG001
    tag = find_tag(tokens, KNOWABLE)
    return Guess(Role.QUASI_IDENTIFIER, f"the name speaks of {tag.meaning}, which others may know") if tag else None


def _resemblance(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:  # noqa: ARG001
    return Guess(Role.IDENTIFIER, f"the values look like {column.resembles}") if column.resembles else None


def _shape_of_values(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:
    if column.kind in (Kind.EMPTY, Kind.CONSTANT):
        return Guess(Role.INSENSITIVE, NOTHING_TO_TELL[column.kind])
    if column.kind is Kind.DATE:
        return Guess(Role.QUASI_IDENTIFIER, "dates of events are often known to others")
    if column.kind is Kind.TEXT:
        return _shape_of_texts(column, tokens)
    if not _tells_apart(column):
        return None
    share = _percent(column)
    if column.kind is Kind.INTEGER and column.shortest == column.longest >= 5:
        return Guess(Role.IDENTIFIER, f"{share} of the values are unique and of the same length, as record numbers are")
    return Guess(
        Role.QUASI_IDENTIFIER,
        f"{share} of the values are unique: whoever knows one finds the record; "
        "make it insensitive if nobody outside can know it",
    )


def _shape_of_texts(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:
    if _tells_apart(column):
        return Guess(Role.IDENTIFIER, f"{_percent(column)} of the values are unique: {FREE}")
    if column.distinct <= MANY:
        return None
    if column.sentences >= 0.3:
        return Guess(Role.IDENTIFIER, "the values are free text, which may name persons")
    if PERSONS.names(tokens) and column.distinct >= 0.1 * column.rows:
        return Guess(Role.IDENTIFIER, f"the name speaks of a person, and there are {column.distinct} different values")
    return None


def _tells_apart(column: ColumnProfile) -> bool:
    return column.is_near_unique and column.rows - column.missing >= FEWEST_TO_JUDGE


def _percent(column: ColumnProfile) -> str:
    return f"{column.unique_share:.0%}".replace("%", " %")
