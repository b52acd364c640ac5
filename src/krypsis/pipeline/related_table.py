"""A further table of a task, whose rows belong to the same subjects as those of the first."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from krypsis.datasets.dataset import Dataset
from krypsis.errors import UsageError, check_levels, check_mapping, did_you_mean
from krypsis.hierarchies import HierarchySpec
from krypsis.schema import Schema


@dataclass(frozen=True)
class RelatedTable:
    """What is wanted of a further table: its data, the key that links it, roles, hierarchies and limits."""

    data: object
    schema: Schema
    key: str | None = None
    """The column that says whose row it is; that of the first table unless given."""
    hierarchies: Mapping[str, HierarchySpec] = field(default_factory=dict)
    min_levels: Mapping[str, int] = field(default_factory=dict)
    max_levels: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, given: object) -> RelatedTable:
        """Return the table that a program describes: ``data`` and ``roles``, and what else it wants to say.

        Examples
        --------
        >>> RelatedTable.of("visits", {"data": "visits.csv", "roles": {"year": "quasi-identifier"}}).schema.roles
        {'year': <Role.QUASI_IDENTIFIER: 'quasi-identifier'>}
        """
        if isinstance(given, RelatedTable):
            return given
        known = ("data", "roles", "key", "hierarchies", "weights", "min_levels", "max_levels")
        if not isinstance(given, Mapping) or not {"data", "roles"} <= set(given):
            raise UsageError(f"table {name!r} must be a mapping with 'data' and 'roles'; got {given!r:.60}")
        if strangers := [str(key) for key in given if key not in known]:
            hint = did_you_mean(strangers[0], known)
            raise UsageError(f"table {name!r} has no {strangers[0]!r}; it may have: {', '.join(known)}.{hint}")
        options: dict[str, Any] = dict(given)
        return cls(
            data=options["data"],
            schema=Schema.of(options["roles"], options.get("weights")),
            key=options.get("key"),
            hierarchies=check_mapping(options.get("hierarchies", {}), "hierarchies", "{'year': 'year.csv'}"),
            min_levels=check_levels(options.get("min_levels", {}), "min_levels"),
            max_levels=check_levels(options.get("max_levels", {}), "max_levels"),
        )

    def dataset(self, folder: Path | None) -> Dataset:
        """Return the table; a relative path starts at the folder."""
        return Dataset.of((folder or Path()) / self.data if isinstance(self.data, str | os.PathLike) else self.data)
