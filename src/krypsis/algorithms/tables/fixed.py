"""The levels somebody has chosen."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, ClassVar

from pydantic import Field, PlainValidator

from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Lattice, Levels, Limits
from krypsis.data.recoding import FrequencySet, FullDomain
from krypsis.errors import Infeasible, UsageError, column_not_found
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.progress import NO_PROGRESS, JudgedNode, Progress
from krypsis.specs import split_list, unquoted

ChosenLevels = dict[str, int] | tuple[int, ...]
"""Levels by attribute, or one per attribute in their order."""

EXPECTED = "levels are one number per quasi-identifier such as 0,3,1, or names with numbers such as age=3,sex=0"


def read_levels(given: object) -> ChosenLevels:
    """Return chosen levels from a text, a list or a mapping.

    Examples
    --------
    >>> read_levels("0, 3,1"), read_levels("age=3,sex=0"), read_levels({"age": "3"})
    ((0, 3, 1), {'age': 3, 'sex': 0}, {'age': 3})
    """
    if isinstance(given, str):
        return _read_text(given)
    if isinstance(given, Mapping):
        return {str(name): _level(level) for name, level in given.items()}
    if isinstance(given, Iterable):
        return tuple(map(_level, given))
    raise ValueError(EXPECTED)


class Fixed(Algorithm):
    """Goes to the levels that were chosen, by hand or from an exploration, and suppresses what is refused there.

    Notes
    -----
    There is nothing to search. With levels by name, an attribute that is not named stays at its lowest level. Without
    a limit for suppression none is allowed.

    References
    ----------
    Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001 (full-domain generalization
    with suppression, of which this is one node).

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> ages = pl.DataFrame({"age": ["31", "34", "47", "48"]})
    >>> release = krypsis.anonymize(ages, {"age": "quasi-identifier"}, models=["k-anonymity:k=2"],
    ...                             hierarchies={"age": {"kind": "intervals", "width": 5}},
    ...                             algorithm=Fixed(levels={"age": 2}))
    >>> sorted(release.table["age"])
    ['[30-40)', '[30-40)', '[40-50)', '[40-50)']
    """

    name: ClassVar[str] = "fixed"
    scheme: ClassVar[str] = "AG_TS"
    judges_all: ClassVar[bool] = True
    reference: ClassVar[str] = "Samarati, Protecting respondents' identities in microdata release, TKDE 13(6), 2001"

    levels: Annotated[ChosenLevels, PlainValidator(read_levels)] = Field(
        default_factory=dict,
        description="the level of each quasi-identifier: in their order, 0,3,1, or by name, age=3,sex=0",
    )

    def search(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        metric: Metric,
        limits: Limits,
        progress: Progress = NO_PROGRESS,
    ) -> FullDomain:
        levels = self._node(frequency, Lattice.of(frequency, limits))
        judge = Judge(frequency, models, limits)
        node, _ = judge.rollup.coarsen(judge.rollup.bottom(), levels)
        judged = judge.assess(node, metric, limits)
        progress.judged(judged)
        if not judged.feasible:
            raise _infeasible(frequency, models, limits, judged)
        return judge.recoding(levels)

    def _node(self, frequency: FrequencySet, lattice: Lattice) -> Levels:
        levels = self._in_order(frequency.attributes, lattice.lowest)
        for position, (name, level) in enumerate(zip(frequency.attributes, levels, strict=True)):
            low, high, height = lattice.lowest[position], lattice.highest[position], frequency.heights[position]
            if not low <= level <= high:
                allowed = "" if (low, high) == (0, height) else f"; allowed here are the levels {low} to {high}"
                raise UsageError(
                    f"level {level} chosen for {name!r}, whose hierarchy has the levels 0 to {height}{allowed}"
                )
        return levels

    def _in_order(self, attributes: tuple[str, ...], lowest: Levels) -> Levels:
        if isinstance(self.levels, dict):
            for name in self.levels:
                if name not in attributes:
                    raise column_not_found(name, attributes)
            return tuple(self.levels.get(name, low) for name, low in zip(attributes, lowest, strict=True))
        if len(self.levels) != len(attributes):
            raise UsageError(
                f"{len(self.levels)} level(s) chosen for {len(attributes)} quasi-identifier(s); "
                f"give one for each, in this order: {', '.join(attributes)}"
            )
        return self.levels


def _infeasible(
    frequency: FrequencySet, models: Sequence[GroupModel], limits: Limits, judged: JudgedNode
) -> Infeasible:
    rows, needed, allowed = frequency.rows, judged.suppressed, limits.suppressed or 0
    node = ", ".join(f"{name}={level}" for name, level in zip(frequency.attributes, judged.levels, strict=True))
    promises = " or ".join(model.spec for model in models)
    message = (
        f"at the levels {node}, {needed} of {rows} records ({needed / rows:.2%}) are in groups that break {promises}; "
    )
    if needed == rows:
        message += "nothing would be left to publish. Choose higher levels, or lower the promise"
    elif needed > allowed:
        message += f"at most {allowed} may be suppressed. Allow {needed} suppressed records, or choose higher levels"
    else:
        message += "published together at the top they would not keep the promise either. Remove them, or choose "
        message += "higher levels"
    closest: dict[str, object] = {"rows": rows, "levels": dict(zip(frequency.attributes, judged.levels, strict=True))}
    return Infeasible(message, closest if needed == rows else {**closest, "suppression": needed})


def _read_text(text: str) -> ChosenLevels:
    """Split ``a=1,b=2`` or ``1,2``; a name with a comma in it stands in double quotes, with or without its level."""
    parts = [unquoted(part) for part in split_list(text)]
    named = [part.rpartition("=") for part in parts if "=" in part]
    if parts == [""] or len(named) not in (0, len(parts)):
        raise ValueError(EXPECTED)
    if not named:
        return tuple(map(_level, parts))
    levels = {unquoted(name.strip()): _level(level) for name, _, level in named}
    if len(levels) < len(named):
        raise ValueError("an attribute is named twice; give each one level")
    return levels


def _level(given: object) -> int:
    text = given.strip() if isinstance(given, str) else str(given)
    if isinstance(given, bool) or not isinstance(given, (str, int)) or not re.fullmatch(r"[+-]?[0-9]+", text):
        raise ValueError(f"a level is a whole number, got {given!r}. {EXPECTED}")
    return int(text)
