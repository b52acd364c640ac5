"""Check a published table with dependencies: that no blank sensitive cell follows from the rest.

The rules are repeated on the published cells until nothing new follows. Nothing of this is shared with what decides
which cells are blanked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import polars as pl

from krypsis.checker.base import judge_of, judges, refuse_others
from krypsis.data.dependencies import (
    Dependency,
    FunctionalDependency,
    SecretCells,
    ValueRule,
    columns_of_rule,
    parse_dependency,
    parse_secret,
)
from krypsis.errors import UsageError, column_not_found
from krypsis.io.texts import PLAIN, text_of
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.models.dependency_safety import DependencySafety

SHOWN = 5
"""How many cells that follow a verdict names."""


@dataclass(frozen=True, eq=False)
class DependentTable:
    """A published table, the rules that everybody knows, and its sensitive columns."""

    table: pl.DataFrame
    rules: tuple[Dependency, ...]
    sensitive: tuple[str, ...]
    secrets: tuple[SecretCells, ...] = ()
    """Cells that must be blank, where that is known."""


def check_dependencies(
    table: pl.DataFrame,
    models: Sequence[PrivacyModel],
    *,
    rules: Iterable[str | Dependency | Mapping[str, object]],
    sensitive: Sequence[str],
    secrets: Sequence[str] = (),
) -> tuple[Verdict, ...]:
    """Say for each promise whether a published table keeps it.

    Parameters
    ----------
    table
        what is published.
    models
        the promises.
    rules
        what everybody knows, as texts such as ``zip -> city``, or as objects.
    sensitive
        the columns whose blank cells must not follow.
    secrets
        cells that must be blank, such as ``diagnosis where ward = oncology``, where that is known.

    Examples
    --------
    >>> table = pl.DataFrame({"zip": ["1", "1"], "city": ["Athens", None]})
    >>> [verdict] = check_dependencies(table, [DependencySafety()], rules=["zip -> city"], sensitive=["city"])
    >>> verdict.holds, verdict.achieved
    (False, 1.0)
    """
    judged = [(model, judge_of(model, DependentTable)) for model in models]
    for name in sensitive:
        if name not in table.columns:
            raise column_not_found(name, table.columns)
    published = DependentTable(table, tuple(rules_of(rules)), tuple(sensitive), tuple(map(parse_secret, secrets)))
    return tuple(judge(model, published) for model, judge in judged)


def rules_of(given: Iterable[str | Dependency | Mapping[str, object]]) -> Iterator[Dependency]:
    """Yield rules that are given as texts or as objects."""
    if isinstance(given, str):
        given = [given]
    for one in given:
        if isinstance(one, FunctionalDependency | ValueRule):
            yield one
        elif isinstance(one, str):
            yield from parse_dependency(one)
        else:
            raise UsageError(f"a rule is a text such as 'zip -> city', got {one!r}")


refuse_others(DependentTable, "the promise about tables with dependencies is dependency-safety; got {model!r}")


@judges(DependencySafety, DependentTable)
def judge_dependency_safety(model: DependencySafety, published: DependentTable) -> Verdict:
    """Judge whether a blank cell of a sensitive column follows, or cannot have some values."""
    if not published.sensitive:
        sentence = f"Undecided: {model.promise()}; no column is called sensitive."
        return Verdict(promise=model.spec, holds=None, required=model.required, sentence=sentence)
    if shown := sum(_published(published.table, secret) for secret in published.secrets):
        figures = f"required at most {model.required:g}, achieved {shown}"
        sentence = (
            f"Not kept: {shown:,} secret cells are published as they are, although {model.promise()} ({figures})."
        )
        return Verdict(
            promise=model.spec, holds=False, required=model.required, achieved=float(shown), sentence=sentence
        )
    leaked = list(_leaked(published))
    cells = sum(count for _, _, count in leaked)
    blank = sum(published.table.get_column(name).null_count() for name in published.sensitive)
    figures = f"required at most {model.required:g}, achieved {cells}"
    said = f"Not kept: {cells:,} of {blank:,} blank sensitive cells follow, although {model.promise()} ({figures})."
    return Verdict(
        promise=model.spec,
        holds=not cells,
        required=model.required,
        achieved=float(cells),
        sentence=said if cells else kept_sentence(model),
        offending=tuple(
            {"values": {"column": name, **values}, "size": count} for name, values, count in leaked[:SHOWN]
        ),
    )


def kept_sentence(model: PrivacyModel) -> str:
    """Return what is said of the promise where no cell follows."""
    return f"Kept: {model.promise()} (required at most {model.required:g}, achieved 0)."


def _published(table: pl.DataFrame, secret: SecretCells) -> int:
    """Return how many cells are there although they are secret, as far as the published cells show that."""
    if secret.column not in table.columns or any(one.column not in table.columns for one in secret.conditions):
        return 0
    is_meant = table.get_column(secret.column).is_not_null()
    for one in secret.conditions:
        is_meant &= text_of(table.get_column(one.column).rename(PLAIN)).is_in(list(one.values)).fill_null(value=False)
    return int(is_meant.sum())


def _leaked(published: DependentTable) -> Iterator[tuple[str, dict[str, str | None], int]]:
    """Yield sensitive columns with records whose blank cell there follows, and how many such records there are."""
    for names, rules in _separate(published.rules):
        there = [name for name in published.table.columns if name in names]
        texts = [text_of(published.table.get_column(name).rename(PLAIN)).to_list() for name in there]
        records = Counter(zip(*texts, strict=True))
        chase = Chase([dict(zip(there, record, strict=True)) for record in records], rules)
        for name in (one for one in published.sensitive if one in there):
            for record, known in zip(records, chase.known, strict=True):
                values = dict(zip(there, record, strict=True))
                if values[name] is None and known.get(name):
                    shown = {column: value for column, value in values.items() if value is not None}
                    yield name, shown, records[record]


def _separate(rules: Sequence[Dependency]) -> list[tuple[set[str], list[Dependency]]]:
    """Return rules in groups that have no column in common, with these columns: nothing follows between them."""
    groups: list[tuple[set[str], list[Dependency]]] = []
    for rule in rules:
        names, joined = {*columns_of_rule(rule)}, [rule]
        for other in [one for one in groups if one[0] & names]:
            groups.remove(other)
            names |= other[0]
            joined += other[1]
        groups.append((names, joined))
    return groups


Known = set[frozenset[str]]
"""Sets of values that a cell is said to be in."""


@dataclass(eq=False)
class Chase:
    """What follows about every record; mappings that one record reveals are true of all."""

    records: Sequence[Mapping[str, str | None]]
    rules: Sequence[Dependency]
    known: list[dict[str, Known]] = field(init=False)

    def __post_init__(self) -> None:
        self.known = [
            {name: {frozenset({value})} for name, value in record.items() if value is not None}
            for record in self.records
        ]
        self.mappings: dict[int, dict[tuple[str, ...], set[str]]] = {}
        for place, rule in enumerate(self.rules):
            own: dict[tuple[str, ...], set[str]] = {}
            if isinstance(rule, FunctionalDependency):
                for *left, right in rule.mapping:
                    own.setdefault(tuple(left), set()).add(right)
            self.mappings[place] = own
        while self._apply_all():
            pass

    def _apply_all(self) -> bool:
        """Apply all rules to all records once; say whether anything new followed."""
        is_new = False
        for place, rule in enumerate(self.rules):
            if isinstance(rule, FunctionalDependency):
                for known in self.known:
                    for left in _singles(known, rule.left):
                        found = {right for (right,) in _singles(known, (rule.right,))}
                        self.mappings[place].setdefault(left, set()).update(found)
            for known in self.known:
                for conclusion in list(self._conclusions(place, rule, known)):
                    is_new |= _note(known, rule.concluded, conclusion)
        return is_new

    def _conclusions(self, place: int, rule: Dependency, known: Mapping[str, Known]) -> Iterator[frozenset[str]]:
        """Yield what a rule says about a record."""
        if isinstance(rule, FunctionalDependency):
            for left in _singles(known, rule.left):
                yield from (frozenset({right}) for right in self.mappings[place].get(left, ()))
        elif all(any(one <= {*given.values} for one in known.get(given.column, ())) for given in rule.conditions):
            yield frozenset(rule.conclusion.values)


def _singles(known: Mapping[str, Known], columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the values that cells of a record are said to have."""
    yield from product(*([next(iter(one)) for one in known.get(name, ()) if len(one) == 1] for name in columns))


def _note(known: dict[str, Known], column: str, conclusion: frozenset[str]) -> bool:
    """Note what follows about a cell, together with what it has in common with what was known; say if it is new."""
    sets = known.setdefault(column, set())
    before, waiting = len(sets), [conclusion]
    while waiting:
        one = waiting.pop()
        if one and one not in sets:
            waiting += [one & other for other in sets]
            sets.add(one)
    return len(sets) > before
