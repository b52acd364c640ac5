"""Guessing the role of a column, with the reason: support for a decision that the publisher makes.

An attribute is a quasi-identifier if an adversary may obtain it from elsewhere; of the rest, the special categories of
data protection law are sensitive. Where nothing speaks for a role, the guess is a quasi-identifier: that costs some
precision, the other mistake costs a person's secret.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from krypsis.data.schema import Role
from krypsis.io.yaml_file import packaged_yaml
from krypsis.kinds.table.profile import words
from krypsis.kinds.table.profile.column import MANY, ColumnProfile, ValueType

if TYPE_CHECKING:
    from krypsis.kinds.table.profile.table import Profile


Language = Literal["en", "el"]


IN_DOUBT = "in-doubt"
"""The reason of a guess where nothing says what a column is."""


@dataclass(frozen=True)
class Guess:
    """A role and why."""

    role: Role
    reason: str
    key: str = field(default="", repr=False)
    """Under which the reason stands in ``reasons.yaml``; none if it is not one of those."""
    values: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def because(cls, role: Role, key: str, **values: str) -> "Guess":
        """Return a guess for a reason of ``reasons.yaml``."""
        return cls(role, _texts()["reasons"][key]["en"].format(**values), key, values)

    def said(self, language: Language) -> str:
        """Return the reason in a language.

        Examples
        --------
        >>> guess = Guess.because(Role.SENSITIVE, "speaks-of", what="health")
        >>> guess.reason, guess.said("el")
        ('the name suggests health', 'το όνομα δείχνει υγεία')
        """
        if language == "en" or not self.key:
            return self.reason
        texts = _texts()["words"]
        values = {name: texts.get(value, value) for name, value in self.values.items()}
        return str(_texts()["reasons"][self.key][language].format(**values))


def sentence_of(key: str, language: Language, values: Mapping[str, str]) -> str:
    """Return a sentence of ``reasons.yaml`` in a language.

    Examples
    --------
    >>> sentence_of("published-unique", "en", {"columns": "'pay'", "role": "sensitive", "share": "99 %"})
    "'pay' (sensitive) is published as it is, and 99 % of its values are unique: ..."
    """
    known = _texts()["roles"] if language != "en" else {}
    return str(
        _texts()["sentences"][key][language].format(**{**values, "role": known.get(values["role"], values["role"])})
    )


@cache
def _texts() -> dict[str, Any]:
    return packaged_yaml("krypsis.kinds.table.profile", "reasons.yaml")


FEWEST_TO_JUDGE = 3
"""With fewer records, that all values differ says nothing."""


def guess_roles(profile: "Profile") -> dict[str, Guess]:
    """Return a guess for every column."""
    return {column.name: guess_role(column) for column in profile.columns}


def guess_role(column: ColumnProfile) -> Guess:
    """Return a guess for one column.

    Examples
    --------
    >>> import polars as pl
    >>> from krypsis.kinds.table.profile.column import profile_column
    >>> guess_role(profile_column("Diagnosis", pl.Series(["flu", "flu", "cold"])))
    Guess(role=<Role.SENSITIVE: 'sensitive'>, reason='the name suggests health')
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
    tokens = words.tokens_of(column.name)
    guesses = (rule(column, tokens) for rule in rules)
    return next((guess for guess in guesses if guess), Guess.because(Role.QUASI_IDENTIFIER, IN_DOUBT))


def _identifying_name(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:
    if tag := words.find_tag(tokens, words.IDENTIFYING):
        return Guess.because(Role.IDENTIFIER, "speaks-of", what=tag.meaning)
    if words.NAME.names(tokens) and (len(tokens) == 1 or words.PERSONS.names(tokens) or _identifies(column)):
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
    if _identifies(column) and column.several_words >= 0.5:
        return Guess.because(Role.IDENTIFIER, "unique-texts", share=_percent(column))
    if words.FREE_TEXT.names(tokens) and (column.distinct > MANY or _identifies(column)):
        return Guess.because(Role.IDENTIFIER, "named-free-text")
    return None


def _special_category(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:  # noqa: ARG001
    tag = words.find_tag(tokens, words.SPECIAL)
    if tag is None:
        return None
    key = "speaks-of-visible" if tag.meaning == words.ORIGIN else "speaks-of"
    return Guess.because(Role.SENSITIVE, key, what=tag.meaning)


def _record_number(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:
    if column.is_counting and _identifies(column) and not words.find_tag(tokens, words.KNOWABLE):
        return Guess.because(Role.IDENTIFIER, "counts-records")
    if not words.NUMBERS.names(tokens):
        return None
    if _identifies(column):
        return Guess.because(Role.IDENTIFIER, "a-number", share=_percent(column))
    if words.PERSONS.names(tokens):
        return Guess.because(Role.IDENTIFIER, "number-of-a-person")
    return None


def _knowable_name(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:  # noqa: ARG001
    tag = words.find_tag(tokens, words.KNOWABLE)
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
    if not _identifies(column):
        return None
    share = _percent(column)
    if column.kind is ValueType.INTEGER and column.shortest == column.longest >= 5:
        return Guess.because(Role.IDENTIFIER, "record-numbers", share=share)
    return Guess.because(Role.QUASI_IDENTIFIER, "unique-numbers", share=share)


def _shape_of_texts(column: ColumnProfile, tokens: tuple[str, ...]) -> Guess | None:
    if _identifies(column):
        return Guess.because(Role.IDENTIFIER, "unique-texts", share=_percent(column))
    if column.distinct <= MANY:
        return None
    if column.sentences >= 0.3:
        return Guess.because(Role.IDENTIFIER, "free-text")
    if words.PERSONS.names(tokens) and column.distinct >= 0.1 * column.rows:
        return Guess.because(Role.IDENTIFIER, "persons", number=str(column.distinct))
    return None


def _identifies(column: ColumnProfile) -> bool:
    return column.is_near_unique and column.rows - column.missing >= FEWEST_TO_JUDGE


def _percent(column: ColumnProfile) -> str:
    return f"{column.unique_share:.0%}".replace("%", " %")
