"""The values that columns could have, proposed for all columns at once, to be confirmed by a person.

A mechanism that draws noise publishes every value that is declared. A list that is read off the table would show which
values occur, and with them the people who have them. So a list counts as declared only if the plan declares it, if it
is common knowledge, or if somebody confirms that it was known without the table.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import polars as pl

from krypsis.data.hierarchies.domains import declared_domain
from krypsis.data.schema import Role
from krypsis.errors import HierarchyError, UsageError, column_not_found
from krypsis.io.yaml_file import read_yaml
from krypsis.kinds.table.findings import Facts, round_number
from krypsis.kinds.table.plan import TablePlan
from krypsis.kinds.table.profile.words import KNOWABLE, find_tag, tokens_of

MOST_VALUES = 60
"""A column with more different texts is left out: hardly anybody could confirm them."""
FEW_NUMBERS = 10
"""Up to so many different numbers are listed one by one."""
INTERVALS = 8
AGES = tuple(range(10, 100, 10))
"""The limits of intervals of ages: known without any table."""

Source = Literal["plan", "public", "data", "file"]


@dataclass(frozen=True)
class ColumnDomain:
    """The values that one column could have, as a hierarchy of the plan states them, and where they come from."""

    column: str
    hierarchy: Mapping[str, Any]
    labels: tuple[str, ...]
    source: Source

    @property
    def size(self) -> int:
        """How many labels are published, the one for missing values included."""
        return len(self.labels) + 1

    @property
    def is_from_data(self) -> bool:
        """Whether somebody has to confirm that the values were known without the table."""
        return self.source == "data"


def proposed_domains(plan: TablePlan, facts: Facts) -> dict[str, ColumnDomain]:
    """Return a domain for each column that has a role in a release and few enough values.

    Examples
    --------
    >>> from krypsis.io.dataset import Dataset
    >>> plan = TablePlan.of({"data": "p.csv", "columns": {"age": "QI", "sex": "QI"}, "promises": ["k-anonymity:k=2"]})
    >>> table = Dataset.of(pl.DataFrame({"age": list(range(20, 60)), "sex": ["f", "m"] * 20}))
    >>> found = proposed_domains(plan, Facts.of(table, plan.schema_of_columns, 1, 0))
    >>> [(one.column, one.source, len(one.labels)) for one in found.values()]
    [('age', 'public', 10), ('sex', 'data', 2)]
    """
    shown = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
    names = [name for name, role in facts.schema.roles.items() if role in shown]
    found = {name: _declared(plan, name) or _proposed(facts, name) for name in names}
    return {name: one for name, one in found.items() if one is not None}


def read_domains(path: Path, columns: Sequence[str]) -> dict[str, ColumnDomain]:
    """Return the domains in a YAML file: column → list of values, or ``{cuts: [18, 65]}`` for numbers.

    Raises
    ------
    UsageError
        if it names a column that the plan does not have, or says nothing usable about one.
    """
    content = read_yaml(path, "file of domains", "columns with their values", "sex: [F, M]", UsageError)
    found = {}
    for name, given in content.items():
        if name not in columns:
            raise column_not_found(name, columns)
        hierarchy = given if isinstance(given, Mapping) else {"*": given}
        if isinstance(given, Mapping) and "cuts" in given:
            hierarchy = {"kind": "intervals", **given}
        elif not isinstance(given, Mapping | list):
            raise UsageError(f"{path.name}: {name} must be a list of values or {{cuts: […]}}, got {given!r}")
        found[name] = ColumnDomain(name, _as_hierarchy(hierarchy), _labels(hierarchy, name, path.parent), "file")
    return found


def within(domains: Iterable[ColumnDomain], most: float) -> list[ColumnDomain]:
    """Return the domains, in their order, whose combinations stay below a number; the first one always.

    Examples
    --------
    >>> one = ColumnDomain("sex", {}, ("f", "m"), "plan")
    >>> len(within([one, one, one], most=10))
    2
    """
    chosen: list[ColumnDomain] = []
    cells = 1
    for one in domains:
        if not chosen or cells * one.size <= most:
            chosen.append(one)
            cells *= one.size
    return chosen


def cells_of(domains: Iterable[ColumnDomain]) -> int:
    """Return how many combinations of values there are.

    Examples
    --------
    >>> cells_of([ColumnDomain("sex", {}, ("f", "m"), "plan")] * 2)
    9
    """
    cells = 1
    for one in domains:
        cells *= one.size
    return cells


def _declared(plan: TablePlan, name: str) -> ColumnDomain | None:
    """Return the domain that the hierarchy of the plan declares, if it does."""
    given = plan.columns[name].hierarchy
    if given is None:
        return None
    try:
        labels = _labels(given, name, plan.folder)
    except HierarchyError:
        return None
    return ColumnDomain(name, given if isinstance(given, dict) else {}, labels, "plan")


def _labels(hierarchy: Any, name: str, folder: Path) -> tuple[str, ...]:
    found = declared_domain(hierarchy, name, folder)
    return tuple(label for label in found.labels(found.lowest, name) if label is not None)


def _proposed(facts: Facts, name: str) -> ColumnDomain | None:
    texts = facts.dataset.collect_texts(name).drop_nulls()
    distinct = texts.n_unique()
    if facts.is_quantity(name) and distinct > FEW_NUMBERS:
        tag = find_tag(tokens_of(name), KNOWABLE)
        is_age = tag is not None and tag.meaning == "age"
        cuts = AGES if is_age else _cuts(texts)
        hierarchy = {"kind": "intervals", "cuts": list(cuts)}
        return ColumnDomain(name, hierarchy, _labels(hierarchy, name, Path()), "public" if is_age else "data")
    if not 0 < distinct <= MOST_VALUES:
        return None
    values = sorted(texts.unique().to_list())
    return ColumnDomain(name, _as_hierarchy({"*": values}), tuple(values), "data")


def _as_hierarchy(given: Mapping[str, Any]) -> Mapping[str, Any]:
    return given if "kind" in given else {"kind": "taxonomy", "tree": dict(given)}


def _cuts(texts: pl.Series) -> list[int | float]:
    """Return round limits of about eight intervals that hold the middle nine tenths of some numbers."""
    numbers = texts.str.strip_chars().cast(pl.Float64, strict=False).drop_nulls()
    low, high = (numbers.quantile(part, "nearest") or 0.0 for part in (0.05, 0.95))
    step = Decimal(round_number(max((high - low) / INTERVALS, 1e-9)))
    first = (Decimal(repr(low)) / step).to_integral_value() * step
    cuts = [first + step * place for place in range(INTERVALS + 1)]
    return [
        _plain(one) for one, other in pairwise([*cuts, cuts[-1] + step]) if one < other and one <= Decimal(repr(high))
    ]


def _plain(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)
