"""Hierarchies as a recipe keeps them: rows, or the rule that made them, which takes in values it has not seen."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, model_validator

from krypsis.data.hierarchies.base import Hierarchy, HierarchyBuilder, Label
from krypsis.data.hierarchies.csv import CsvFile
from krypsis.data.hierarchies.decimals import parse_numbers
from krypsis.data.hierarchies.intervals import Intervals
from krypsis.data.hierarchies.resolve import HierarchySpec, builder, describe
from krypsis.errors import HierarchyError, shorten

Row = tuple[Label, ...]


class StoredHierarchy(BaseModel):
    """A hierarchy with the values it was made for.

    With a ``rule``, ``values`` are those it was used on; otherwise ``rows`` hold everything. A new value is taken in
    only if no value known before would be published differently.

    Examples
    --------
    >>> ages = StoredHierarchy.of({"kind": "intervals", "width": 10}, Intervals(width=10).build(["31"], "age"), "age")
    >>> ages.taking_in(["47"], "age", level=1).label("47", 1)
    '[40-50)'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """As a manifest calls it, such as ``intervals`` or ``csv age.csv``."""
    rule: dict[str, Any] | None = None
    values: tuple[Label, ...] = ()
    rows: tuple[Row, ...] = ()

    def __repr_args__(self) -> Iterator[tuple[str, Any]]:
        """Show no value: they are those of the original table."""
        yield "name", self.name

    @classmethod
    def of(cls, spec: HierarchySpec, hierarchy: Hierarchy, attribute: str) -> Self:
        """Return what has to be kept of the hierarchy that a spec stood for."""
        made = None if isinstance(spec, Hierarchy) else builder(spec, attribute)
        if made is None or not _is_rule(made):
            return cls(name=describe(spec), rows=tuple(map(tuple, hierarchy.rows())))
        options = made.model_dump(mode="json", exclude_none=True)
        return cls(name=describe(spec), rule={"kind": made.kind, **options}, values=hierarchy.values)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.rule is not None and not _is_rule(builder(self.rule, self.name)):
            raise ValueError("a rule computes labels from values; it does not read files")
        if bool(self.rows) == (self.rule is not None):
            raise ValueError("a hierarchy has rows, or a rule with the values it was used on")
        return self

    def known(self, attribute: str) -> Hierarchy:
        """Return the hierarchy as it was."""
        if self.rule is None:
            return Hierarchy.from_rows(self.rows, f"hierarchy of {attribute!r}")
        return builder(self.rule, attribute).build(self.values, attribute)

    def taking_in(self, values: Iterable[Label], attribute: str, level: int) -> Hierarchy:
        """Return the hierarchy with room for more values, which are to be published at a level.

        Raises
        ------
        HierarchyError
            if a value has no place in it; the message lists them.
        """
        known, wanted = self.known(attribute), dict.fromkeys(values)
        known = known.with_missing() if None in wanted else known
        strangers = [value for value in wanted if value is not None and value not in known.code_of]
        if not strangers:
            return known
        if level == known.height > 0:
            return _all_at_the_top(known, strangers)
        if self.rule is None:
            return known.covering(strangers, attribute)  # raises, with a hint at other spellings
        made = builder(self.rule, attribute)
        if isinstance(made, Intervals) and made.quantiles is not None:
            return _between_known_numbers(known, strangers, attribute)
        return _rebuilt(made, known, strangers, attribute)


def _is_rule(made: HierarchyBuilder) -> bool:
    """Say whether a builder can be named in a recipe: one of the toolkit's, which needs no file."""
    return type(made).__module__.startswith("krypsis.data.hierarchies.") and not isinstance(made, CsvFile)


def _all_at_the_top(known: Hierarchy, strangers: Sequence[str]) -> Hierarchy:
    """Below the top a new value keeps to itself; nothing of that is published."""
    added: list[list[Label]] = [[*[value] * known.height, known.labels[-1][0]] for value in strangers]
    return Hierarchy.from_rows([*known.rows(), *added])


def _between_known_numbers(known: Hierarchy, strangers: Sequence[str], attribute: str) -> Hierarchy:
    """Return the hierarchy with more numbers; each belongs where the largest known number below it does.

    The cuts of quantiles are known numbers, so there is no cut between a number and the known one below it.
    """
    rows = {row[0]: row for row in known.rows() if row[0] is not None}
    places = sorted(zip(parse_numbers(list(rows), attribute), rows, strict=True))
    limits = [number for number, _ in places]
    added = [
        [value, *rows[places[max(bisect_right(limits, number) - 1, 0)][1]][1:]]
        for value, number in zip(strangers, parse_numbers(strangers, attribute), strict=True)
    ]
    return Hierarchy.from_rows([*known.rows(), *added])


def _rebuilt(made: HierarchyBuilder, known: Hierarchy, strangers: Sequence[str], attribute: str) -> Hierarchy:
    whole = made.build([*known.values, *strangers], attribute)
    rows = {row[0]: row for row in whole.rows()}
    if any(rows[row[0]] != row for row in known.rows()):
        raise HierarchyError(
            f"hierarchy of {attribute!r} ({made.kind}) has no room for {shorten(map(repr, strangers))}: with them, "
            "values known before would be published differently. Leave these rows out, or anonymize all rows anew"
        )
    return whole
