"""Rules as people write them: ``zip -> city``, ``drug = insulin => diagnosis in E10, E11``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from krypsis.data.dependencies.rules import Condition, FunctionalDependency, SecretCells, ValueRule
from krypsis.errors import UsageError

RULE_FORMS = (
    "a rule is written 'zip -> city', for columns that determine another one, or 'drug = insulin => diagnosis in E10, "
    "E11', for what everybody knows about values"
)
CELL_FORMS = "a secret is written 'diagnosis' or 'diagnosis where ward = oncology and sex in F, X'"
LEXEME = re.compile(
    r"\s*(?:'(?P<single>(?:[^']|'')*)'|\"(?P<double>[^\"]*)\"|(?P<sign>=>|⇒|->|→|=|,)|(?P<word>(?:(?!=>|->)[^\s=,'\"⇒→])+))"
)
SIGNS = {"⇒": "=>", "→": "->"}
WORDS = ("and", "in", "where")


class Token(NamedTuple):
    """A sign or a word with a meaning, or else a name or value."""

    sign: str
    text: str = ""


def tokens_of(text: str, forms: str) -> list[Token]:
    """Return the signs and texts of a rule; words that stand together are one text.

    Examples
    --------
    >>> [token.sign or token.text for token in tokens_of("blood group = 'A, B' => risk = high", "")]
    ['blood group', '=', 'A, B', '=>', 'risk', '=', 'high']
    """
    found: list[Token] = []
    place, was_word = 0, False
    stripped = text.rstrip()
    while place < len(stripped):
        match = LEXEME.match(stripped, place)
        if match is None:
            raise UsageError(f"{text!r} cannot be read from {stripped[place:].strip()!r} on; {forms}")
        place = match.end()
        sign, word = match["sign"], match["word"]
        if word is None and sign is None:
            single = match["single"]
            found.append(Token("", match["double"] if single is None else single.replace("''", "'")))
        elif sign is not None or word in WORDS:
            found.append(Token(SIGNS.get(sign, sign) if sign is not None else word))
        elif was_word:
            found[-1] = Token("", f"{found[-1].text} {word}")
        else:
            found.append(Token("", word))
        was_word = word is not None and word not in WORDS
    return found


@dataclass
class RuleReader:
    """Reads the tokens of one rule, from left to right."""

    text: str
    forms: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise UsageError(f"expected a text, got {self.text!r}; {self.forms}")
        self.tokens = tokens_of(self.text, self.forms)
        self.place = 0

    def refuse(self, expected: str) -> UsageError:
        """Return the error that something else stands where the reader is."""
        here = self.tokens[self.place] if self.place < len(self.tokens) else None
        got = "the end" if here is None else repr(here.sign or here.text)
        return UsageError(f"{self.text!r}: expected {expected}, got {got}; {self.forms}")

    def takes(self, sign: str) -> bool:
        """Go on if a sign comes next, and say whether it does."""
        is_there = self.place < len(self.tokens) and self.tokens[self.place].sign == sign
        self.place += is_there
        return is_there

    def name(self, what: str) -> str:
        """Return the name or value that comes next."""
        if self.place >= len(self.tokens) or self.tokens[self.place].sign or not self.tokens[self.place].text:
            raise self.refuse(what)
        self.place += 1
        return self.tokens[self.place - 1].text

    def names(self, what: str) -> tuple[str, ...]:
        """Return names or values with commas between, each once."""
        found = [self.name(what)]
        while self.takes(","):
            found.append(self.name(what))
        return tuple(dict.fromkeys(found))

    def condition(self) -> Condition:
        """Return the condition that comes next."""
        column = self.name("the name of a column")
        if self.takes("="):
            return Condition(column, (self.name("a value"),))
        if self.takes("in"):
            return Condition(column, self.names("a value"))
        raise self.refuse("'=' or 'in'")

    def conditions(self) -> tuple[Condition, ...]:
        """Return conditions with ``and`` between."""
        found = [self.condition()]
        while self.takes("and"):
            found.append(self.condition())
        return tuple(found)

    def end(self) -> None:
        """Raise unless all was read."""
        if self.place < len(self.tokens):
            raise self.refuse("the end")


def parse_dependency(text: str) -> tuple[FunctionalDependency | ValueRule, ...]:
    """Return the rules that a text states: one for each concluded column.

    Raises
    ------
    UsageError
        if it is no rule; the message says where and what was expected.

    Examples
    --------
    >>> [rule.text for rule in parse_dependency("street, town → zip, state")]
    ['street, town -> zip', 'street, town -> state']
    >>> parse_dependency("drug = insulin and age in 1, 2 => diagnosis = E10")[0].premises
    ('drug', 'age')
    """
    reader = RuleReader(text, RULE_FORMS)
    signs = {token.sign for token in reader.tokens}
    if "->" in signs:
        return _functional(reader)
    if "=>" not in signs:
        raise UsageError(f"{text!r} concludes nothing: it has neither '->' nor '=>'; {RULE_FORMS}")
    conditions = reader.conditions()
    if not reader.takes("=>"):
        raise reader.refuse("'and' or '=>'")
    conclusion = reader.condition()
    reader.end()
    if conclusion.column in [one.column for one in conditions]:
        raise UsageError(f"{text!r} concludes on a column of its own conditions, {conclusion.column!r}; leave it out")
    return (ValueRule(conditions, conclusion),)


def _functional(reader: RuleReader) -> tuple[FunctionalDependency, ...]:
    left = reader.names("the name of a column")
    if not reader.takes("->"):
        raise reader.refuse("',' or '->'")
    right = reader.names("the name of a column")
    reader.end()
    if both := [name for name in right if name in left]:
        raise UsageError(f"{reader.text!r} has {both[0]!r} on both sides, which says nothing; leave it out on one")
    return tuple(FunctionalDependency(left, one) for one in right)


def parse_secret(text: str) -> SecretCells:
    """Return the cells that a text names as secret.

    Raises
    ------
    UsageError
        if it cannot be read; the message says where and what was expected.

    Examples
    --------
    >>> parse_secret("diagnosis where ward = oncology and sex in F, X").conditions[1].values
    ('F', 'X')
    """
    reader = RuleReader(text, CELL_FORMS)
    column = reader.name("the name of a column")
    conditions = reader.conditions() if reader.takes("where") else ()
    reader.end()
    return SecretCells(column, conditions)
