"""Everything that follows about cells of a table: facts, and the firings of rules between them.

Records with the same cells in all columns that matter are one profile. Rules tell records apart by these cells alone,
and what one record reveals to others are only mappings, such as that one zip goes with one city. Once it is decided
which mappings may be known, every record can be looked at for itself: so there is always a cheapest way of blanking
that treats the records of a profile alike.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np

from krypsis.algorithms.minimal_removal import Derivations
from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.dependencies import Dependency, FunctionalDependency, ValueRule, columns_of_rule
from krypsis.data.dependencies.cells import MISSING, ColumnCells
from krypsis.errors import TooLarge

MOST_FACTS = 5_000_000
"""Facts, and firings, that are held in memory at most."""
COMBINED = -1
"""Instead of the number of a rule: two facts about one cell were combined."""


def relevant_rules(rules: Sequence[Dependency], sensitive: Sequence[str]) -> list[list[Dependency]]:
    """Return the rules from which something may follow about sensitive columns, in groups that share no column.

    Examples
    --------
    >>> from krypsis.data.dependencies import parse_dependency
    >>> texts = ["zip -> city", "city -> region", "drug -> diagnosis", "sex -> name"]
    >>> found = relevant_rules([rule for text in texts for rule in parse_dependency(text)], ["region", "diagnosis"])
    >>> [[rule.text for rule in group] for group in found]
    [['zip -> city', 'city -> region'], ['drug -> diagnosis']]
    """
    wanted = dict.fromkeys(sensitive)
    while more := [name for rule in rules if rule.concluded in wanted for name in rule.premises if name not in wanted]:
        wanted.update(dict.fromkeys(more))
    groups: list[list[Dependency]] = []
    for rule in rules:
        if rule.concluded in wanted:
            joined = [group for group in groups if {*columns_of_rules(group)} & {*columns_of_rule(rule)}]
            groups = [group for group in groups if group not in joined]
            groups.append([*(one for group in joined for one in group), rule])
    return groups


def columns_of_rules(rules: Sequence[Dependency]) -> list[str]:
    """Return the columns that rules name, each once."""
    return list(dict.fromkeys(name for rule in rules for name in columns_of_rule(rule)))


@dataclass(eq=False)
class ValueSets:
    """The values of a column, numbered, and sets of them that facts are about.

    A value stands for the set of itself alone; larger sets have numbers below -1.
    """

    names: list[str]
    number: dict[str, int] = field(init=False)
    sets: list[frozenset[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.number = {name: place for place, name in enumerate(self.names)}
        self._found: dict[frozenset[int], int] = {}

    def of(self, name: str) -> int:
        """Return the number of a value."""
        if name not in self.number:
            self.number[name] = len(self.names)
            self.names.append(name)
        return self.number[name]

    def set_of(self, values: frozenset[int]) -> int:
        """Return the number of a set."""
        if len(values) == 1:
            return next(iter(values))
        if values not in self._found:
            self._found[values] = -2 - len(self.sets)
            self.sets.append(values)
        return self._found[values]

    def members(self, code: int) -> frozenset[int]:
        """Return the values of a set by its number."""
        return frozenset({code}) if code >= 0 else self.sets[-2 - code]

    def text(self, code: int) -> str:
        """Return the values of a set for people."""
        return ", ".join(sorted(self.names[one] for one in self.members(code)))


Fact = tuple[str, int, int]
"""A column, a profile, and the set of values that the cell is in."""
Mapped = tuple[int, tuple[int, ...], int]
"""A functional dependency, values of its left columns, and the value that goes with them."""


@dataclass(frozen=True, eq=False)
class Profiles:
    """Records that agree in all columns that matter."""

    columns: tuple[str, ...]
    """Those that are published."""
    codes: IntArray
    """One row per profile; -1 where a cell is blank, or secret."""
    counts: IntArray
    of_record: IntArray
    first_record: IntArray

    @classmethod
    def of(cls, cells: Mapping[str, ColumnCells], secret: Mapping[str, BoolArray], columns: Sequence[str]) -> Profiles:
        """Return the profiles of records, of which some cells are secret."""
        rows = len(next(iter(cells.values())))
        masked = [np.where(secret[name], MISSING, cells[name].codes) if name in secret else cells[name].codes
                  for name in columns]  # fmt: skip
        codes = np.stack(masked, axis=1) if masked else np.zeros((rows, 0), np.int64)
        found, first, of_record, counts = np.unique(
            codes, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        return cls(tuple(columns), found, counts, of_record.reshape(-1), first)

    def __len__(self) -> int:
        return len(self.counts)


@dataclass(eq=False)
class CellFacts:
    """All facts that follow if everything but the secrets is published, found by repeating all rules until nothing new.

    ValueSets of cells that contradict a rule are followed, too, as somebody who believes the rule would.
    """

    rules: Sequence[Dependency]
    profiles: Profiles
    values: dict[str, ValueSets]

    def __post_init__(self) -> None:
        count = len(self.profiles)
        self.facts: dict[str, list[list[int]]] = {name: [[] for _ in range(count)] for name in self.values}
        self.size = 0
        for place, name in enumerate(self.profiles.columns):
            for profile, code in enumerate(self.profiles.codes[:, place].tolist()):
                if code != MISSING:
                    self._add(name, profile, code)
        self.mappings = [self._public(rule) for rule in self.rules]
        self.publicly = [{(x, y) for x, images in each.items() for y in images} for each in self.mappings]
        self.wanted = [self._sets(rule) for rule in self.rules]
        before = -1
        while before != self.size:
            before = self.size
            for place in range(len(self.rules)):
                self._apply(place)
            for column, profile, code, _ in list(self.combined()):
                self._add(column, profile, code)

    def _public(self, rule: Dependency) -> dict[tuple[int, ...], dict[int, None]]:
        found: dict[tuple[int, ...], dict[int, None]] = {}
        if isinstance(rule, FunctionalDependency):
            for *left, right in rule.mapping:
                x = tuple(self.values[name].of(value) for name, value in zip(rule.left, left, strict=True))
                found.setdefault(x, {})[self.values[rule.right].of(right)] = None
        return found

    def _sets(self, rule: Dependency) -> tuple[list[frozenset[int]], int]:
        """Return the values that the conditions of a rule allow, and the number of the set that it concludes."""
        if isinstance(rule, FunctionalDependency):
            return [], 0
        sets = [frozenset(map(self.values[one.column].of, one.values)) for one in rule.conditions]
        own = self.values[rule.concluded]
        return sets, own.set_of(frozenset(map(own.of, rule.conclusion.values)))

    def _add(self, column: str, profile: int, code: int) -> None:
        known = self.facts[column][profile]
        if code in known:
            return
        known.append(code)
        self.size += 1
        if self.size > MOST_FACTS:
            raise TooLarge(
                f"more than {MOST_FACTS:,} facts follow from the rules, most of them about {column!r}; leave out rules "
                "that the data contradicts"
            )

    def _apply(self, place: int) -> None:
        """Apply a rule to all profiles."""
        rule = self.rules[place]
        if isinstance(rule, ValueRule):
            code = self.wanted[place][1]
            for profile in range(len(self.profiles)):
                if all(self.premises(rule, place, profile)):
                    self._add(rule.concluded, profile, code)
            return
        mapping = self.mappings[place]
        left = list(self.left_values(rule))
        for profile, x in left:
            for y in self.singles(rule.right, profile):
                mapping.setdefault(x, {})[y] = None
        for profile, x in left:
            for y in mapping.get(x, ()):
                self._add(rule.right, profile, y)

    def premises(self, rule: ValueRule, place: int, profile: int) -> list[list[int]]:
        """Return, for each condition of a rule, the facts about a profile by which it is met."""
        return [
            [code for code in self.facts[one.column][profile] if self.values[one.column].members(code) <= allowed]
            for one, allowed in zip(rule.conditions, self.wanted[place][0], strict=True)
        ]

    def singles(self, column: str, profile: int) -> list[int]:
        """Return the values that a cell is said to have."""
        return [code for code in self.facts[column][profile] if code >= 0]

    def left_values(self, rule: FunctionalDependency) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield profiles with the values that they are said to have in the left columns of a dependency."""
        facts = [self.facts[name] for name in rule.left]
        for profile, each in enumerate(zip(*facts, strict=True)):
            if all(each):
                for x in product(*([code for code in codes if code >= 0] for codes in each)):
                    yield profile, x

    def combined(self) -> Iterator[tuple[str, int, int, tuple[int, int]]]:
        """Yield facts that follow from two others about the same cell, with these."""
        for column, values in self.values.items():
            if not values.sets:
                continue
            for profile, known in enumerate(self.facts[column]):
                for one, other in combinations(known, 2):
                    both = values.members(one) & values.members(other)
                    if both and (code := values.set_of(both)) not in (one, other):
                        yield column, profile, code, (one, other)


@dataclass(eq=False)
class CellDerivations:
    """The facts as statements of a graph: what may be blanked, what must not follow, and why it does."""

    found: CellFacts
    sensitive: frozenset[str]

    def __post_init__(self) -> None:
        self.number: dict[Fact | Mapped, int] = {}
        for column, each in self.found.facts.items():
            for profile, codes in enumerate(each):
                for code in codes:
                    self.number[column, profile, code] = len(self.number)
        for place, mapping in enumerate(self.found.mappings):
            for x, images in mapping.items():
                for y in images:
                    self.number[place, x, y] = len(self.number)
        self.statements: list[Fact | Mapped] = list(self.number)
        self.used_rules = array("q")
        conclusions, premises, starts = array("q"), array("q"), array("q", [0])
        for rule, needed, conclusion in self._firings():
            self.used_rules.append(rule)
            conclusions.append(self.number[conclusion])
            premises.extend([self.number[one] for one in needed])
            starts.append(len(premises))
            if len(conclusions) > MOST_FACTS:
                raise TooLarge(
                    f"rules can be applied in more than {MOST_FACTS:,} ways; leave out rules that the data contradicts"
                )
        self.graph = Derivations(
            len(self.number), *(np.array(each, np.int64) for each in (conclusions, starts, premises))
        )

    def _firings(self) -> Iterator[tuple[int, Sequence[Fact | Mapped], Fact | Mapped]]:
        """Yield every way in which a rule concludes something: the rule, what it needs, what follows."""
        found = self.found
        for place, rule in enumerate(found.rules):
            if isinstance(rule, ValueRule):
                for profile in range(len(found.profiles)):
                    for chosen in product(*found.premises(rule, place, profile)):
                        needed = [
                            (one.column, profile, code) for one, code in zip(rule.conditions, chosen, strict=True)
                        ]
                        yield place, needed, (rule.concluded, profile, found.wanted[place][1])
                continue
            for profile, x in found.left_values(rule):
                left: list[Fact | Mapped] = [(name, profile, code) for name, code in zip(rule.left, x, strict=True)]
                for y in found.singles(rule.right, profile):
                    if (x, y) not in found.publicly[place]:
                        yield place, [*left, (rule.right, profile, y)], (place, x, y)
                for y in found.mappings[place].get(x, ()):
                    yield place, [*left, (place, x, y)], (rule.right, profile, y)
        for column, profile, code, both in found.combined():
            yield COMBINED, [(column, profile, one) for one in both], (column, profile, code)

    @property
    def always(self) -> IntArray:
        """The mappings that are public."""
        found = [self.number[place, x, y] for place, each in enumerate(self.found.publicly) for x, y in each]
        return np.array(found, dtype=np.int64)

    def cells(self) -> Iterator[tuple[str, int, int]]:
        """Yield the cells that are there, as facts: column, profile and value."""
        profiles = self.found.profiles
        for place, name in enumerate(profiles.columns):
            for profile, code in enumerate(profiles.codes[:, place].tolist()):
                if code != MISSING:
                    yield name, profile, code

    def weights(self, of_column: Mapping[str, float]) -> FloatArray:
        """Return what it costs to blank each cell; not a number for what only follows."""
        weights = np.full(len(self.number), np.nan)
        for name, profile, code in self.cells():
            weights[self.number[name, profile, code]] = of_column.get(name, 1.0) * self.found.profiles.counts[profile]
        return weights

    def goals(self) -> IntArray:
        """Return what must not follow: any fact about a blank cell of a sensitive column."""
        found = []
        for place, name in enumerate(self.found.profiles.columns):
            if name in self.sensitive:
                for profile in np.flatnonzero(self.found.profiles.codes[:, place] == MISSING).tolist():
                    found += [self.number[name, profile, code] for code in self.found.facts[name][profile]]
        return np.array(found, dtype=np.int64)

    def conditions(self) -> IntArray:
        """Return what must not follow about a sensitive cell where that is blanked to protect others."""
        found = [
            (self.number[name, profile, code], self.number[name, profile, other])
            for name, profile, code in self.cells()
            if name in self.sensitive
            for other in self.found.facts[name][profile]
        ]
        return np.array(found, dtype=np.int64).reshape(-1, 2)
