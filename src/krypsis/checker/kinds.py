"""Check data that is not one table of one record per person: sets of items, and tables linked by a key."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from krypsis.checker.any_sets import columns_of, published_sets
from krypsis.checker.basis import based_on, basis_of_sets, basis_of_views
from krypsis.checker.sets import check_sets
from krypsis.checker.table import QuasiIdentifiers, attribute_sets
from krypsis.checker.views import SubjectTable, check_views
from krypsis.datasets.frames import frame_of
from krypsis.errors import UsageError
from krypsis.hierarchies.base import Hierarchy
from krypsis.models.base import PrivacyModel
from krypsis.models.verdict import Verdict
from krypsis.transactions import GroupedSets

FIRST = "data"
"""The name of the first table, as in a release."""


def kind_of(models: Sequence[PrivacyModel]) -> str:
    """Return the kind of data that all promises are about; ``table`` where there are none.

    Raises
    ------
    UsageError
        if they are about different kinds.
    """
    kinds = {getattr(model, "kind", "table"): model for model in models}  # what is no model is told later
    if len(kinds) > 1:
        raise UsageError(f"{' and '.join(model.spec for model in kinds.values())} are about different kinds of data")
    return next(iter(kinds), "table")


def check_kind(
    data: Any,
    models: Sequence[PrivacyModel],
    quasi_identifiers: QuasiIdentifiers | None,
    *,
    key: str | None,
    item: str | None,
    tables: Mapping[str, Any] | None,
    sensitive: str | Sequence[str] | None,
    group: str | None,
    sensitive_table: Any,
    hierarchies: Mapping[str, Any] | None,
    delimiter: str | None,
    encoding: str | None,
) -> tuple[Verdict, ...]:
    """Say for each promise about sets of items, or about several tables, whether data of any tool keeps it."""
    kind = kind_of(models)
    if kind == "transactions":
        reading: dict[str, Any] = {"key": key, "item": item, "delimiter": delimiter, "encoding": encoding}
        published = published_sets(data, group=group, sensitive_table=sensitive_table, **reading)
        named = frozenset([sensitive] if isinstance(sensitive, str) else sensitive or ())
        hierarchy = _hierarchy_of_items(hierarchies or {}, item)
        columns = () if item is None else columns_of(data, delimiter, encoding)
        hidden = published.sensitive if isinstance(published, GroupedSets) and not named else named
        basis = basis_of_sets(columns, item, {key, group}, sorted(hidden))
        return based_on(basis, check_sets(published, models, hierarchy=hierarchy, sensitive=named))
    if kind == "tables":
        linked = _linked(data, key, tables or {}, quasi_identifiers or ())
        verdicts = check_views(linked, models)
        return based_on(basis_of_views(linked.pop(FIRST), linked), verdicts)
    raise UsageError(
        f"{models[0].spec} is about several releases of a table; check them with krypsis.checker.check_history"
    )


def _hierarchy_of_items(hierarchies: Mapping[str, Any], item: str | None) -> Hierarchy | None:
    found = hierarchies.get(item or "item")
    if found is not None and not isinstance(found, Hierarchy):
        raise UsageError(f"the hierarchy of items must be a Hierarchy, got {type(found).__name__}")
    return found


def _linked(
    data: Any, key: str | None, tables: Mapping[str, Any], quasi_identifiers: QuasiIdentifiers
) -> dict[str, SubjectTable]:
    """Return the tables with what is known of each; ``visits.year`` is the column year of the table visits."""
    if key is None:
        return {}
    sets = attribute_sets(quasi_identifiers) if quasi_identifiers else ((),)
    if len(sets) > 1:
        raise UsageError("what is known of a subject in several tables is one set of attributes; name it once")
    names = {
        name: tuple(one.removeprefix(f"{name}.") for one in sets[0] if one.startswith(f"{name}.")) for name in tables
    }
    own = tuple(one for one in sets[0] if not any(one.startswith(f"{name}.") for name in tables))
    if not any((own, *names.values())):
        raise UsageError(
            "tables do not say which attributes an attacker may know; name the quasi-identifiers, those of a further "
            "table with its name before: age, visits.year"
        )
    frames = {FIRST: data, **tables}
    known = {FIRST: own, **names}
    return {name: SubjectTable(frame_of(frame), key, known[name]) for name, frame in frames.items()}


def tables_of_files(paths: Sequence[str | os.PathLike[str]]) -> dict[str, Path]:
    """Return files as tables, each by its name without folder and ending.

    Examples
    --------
    >>> tables_of_files(["data/visits.csv"])
    {'visits': PosixPath('data/visits.csv')}
    """
    found = {Path(path).name.split(".")[0]: Path(path) for path in paths}
    if len(found) < len(paths):
        raise UsageError("two further tables have the same name; rename one of the files")
    return found
