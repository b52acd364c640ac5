"""What a rule about the cells of a record says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

WORDS = frozenset({"and", "in", "where"})
PLAIN = re.compile(r"[^\s=,'\"<>→⇒-]([^=,'\"<>→⇒]*[^\s=,'\"<>→⇒-])?")
"""What needs no quotes, unless one of its words has a meaning in rules."""


def quoted(text: str) -> str:
    """Return a name or value as rules have it: in quotes where it could be taken for something else.

    Examples
    --------
    >>> print(*map(quoted, ["blood group", "a, b", "born in", "O'Neill"]))
    blood group 'a, b' 'born in' 'O''Neill'
    """
    if PLAIN.fullmatch(text) and " ".join(text.split()) == text and WORDS.isdisjoint(text.split()):
        return text
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True)
class Condition:
    """The value of a column is one of some values."""

    column: str
    values: tuple[str, ...]

    @property
    def text(self) -> str:
        """As rules have it."""
        if len(self.values) == 1:
            return f"{quoted(self.column)} = {quoted(self.values[0])}"
        return f"{quoted(self.column)} in {', '.join(map(quoted, self.values))}"


def _joined(conditions: Sequence[Condition]) -> str:
    return " and ".join(one.text for one in conditions)


@dataclass(frozen=True)
class FunctionalDependency:
    """Records that agree on some columns agree on another one.

    Whoever knows one such record with its value knows the value of all others. Where the mapping is public, nobody
    needs such a record.
    """

    left: tuple[str, ...]
    right: str
    mapping: tuple[tuple[str, ...], ...] = ()
    """What everybody knows of the mapping: values of the left columns, then the one of the right column."""

    @property
    def text(self) -> str:
        """As plans have it, without the mapping.

        Examples
        --------
        >>> FunctionalDependency(("street", "town"), "zip").text
        'street, town -> zip'
        """
        return f"{', '.join(map(quoted, self.left))} -> {quoted(self.right)}"

    @property
    def premises(self) -> tuple[str, ...]:
        """The columns that it concludes from."""
        return self.left

    @property
    def concluded(self) -> str:
        """The column that it concludes on."""
        return self.right


@dataclass(frozen=True)
class ValueRule:
    """A record with some values has one of some values in another column, as everybody knows."""

    conditions: tuple[Condition, ...]
    conclusion: Condition

    @property
    def text(self) -> str:
        """As plans have it.

        Examples
        --------
        >>> ValueRule((Condition("drug", ("insulin",)),), Condition("diagnosis", ("E10", "E11"))).text
        'drug = insulin => diagnosis in E10, E11'
        """
        return f"{_joined(self.conditions)} => {self.conclusion.text}"

    @property
    def premises(self) -> tuple[str, ...]:
        """The columns that it concludes from."""
        return tuple(one.column for one in self.conditions)

    @property
    def concluded(self) -> str:
        """The column that it concludes on."""
        return self.conclusion.column


Dependency = FunctionalDependency | ValueRule


@dataclass(frozen=True)
class SecretCells:
    """The cells of a column that are secret: those of records that meet all conditions."""

    column: str
    conditions: tuple[Condition, ...] = ()

    @property
    def text(self) -> str:
        """As plans have it.

        Examples
        --------
        >>> SecretCells("diagnosis", (Condition("ward", ("oncology",)),)).text
        'diagnosis where ward = oncology'
        """
        return quoted(self.column) + (f" where {_joined(self.conditions)}" if self.conditions else "")

    @property
    def names_own_value(self) -> bool:
        """Whether the value itself decides, so that the blank cell says what was in it."""
        return any(one.column == self.column for one in self.conditions)


def columns_of_rule(rule: Dependency) -> tuple[str, ...]:
    """Return all columns that a rule names, the concluded one last.

    Examples
    --------
    >>> columns_of_rule(FunctionalDependency(("zip",), "city"))
    ('zip', 'city')
    """
    return (*rule.premises, rule.concluded)
