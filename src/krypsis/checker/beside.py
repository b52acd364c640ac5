"""Columns that a promise counts and nobody publishes, such as the number of a person: beside the published records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.datasets.dataset import Dataset
from krypsis.errors import DataError, Undecidable, UsageError
from krypsis.models.base import GroupModel, PrivacyModel

BESIDE = "beside"
"""Where the private record of a release keeps such columns, in the order of the published records."""


def with_beside(table: pl.DataFrame, beside: pl.DataFrame | None) -> pl.DataFrame:
    """Return the table with the columns that are not published at their records.

    Raises
    ------
    UsageError
        if there are not as many records as in the table.

    Examples
    --------
    >>> with_beside(pl.DataFrame({"age": ["3*", "3*"]}), pl.DataFrame({"person": [7, 8]})).rows()
    [('3*', 7), ('3*', 8)]
    """
    if beside is None:
        return table
    if beside.height != table.height:
        raise UsageError(
            f"what is given beside the published table has {beside.height} records and the table {table.height}; give "
            "one for each, in the same order"
        )
    return table.hstack([column for column in beside if column.name not in table.columns])


def read_beside(given: Any) -> pl.DataFrame | None:
    """Return columns beside a table: of a frame, of a table file, or of the private record of a release.

    Raises
    ------
    DataError
        if the private record holds none.
    """
    if given is None or isinstance(given, pl.DataFrame):
        return given
    if isinstance(given, str | Path) and Path(given).suffix == ".json":
        return _of_record(Path(given))
    return Dataset.of(given).frame


def combinations_of(
    models: Iterable[PrivacyModel], sensitive: Sequence[str], columns: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """Return the columns whose values promises count together.

    Raises
    ------
    Undecidable
        if one is not there.
    """
    found: dict[tuple[str, ...], None] = {}
    for model in models:
        for names in model.combinations(sensitive) if isinstance(model, GroupModel) else ():
            if absent := [name for name in names if name not in columns]:
                raise _not_published(model, absent[0], columns)
            if names not in [(name,) for name in sensitive]:  # those are counted anyway
                found[names] = None
    return tuple(found)


def _not_published(model: PrivacyModel, name: str, columns: Sequence[str]) -> Undecidable:
    return Undecidable(
        f"{model.spec} is about {name!r}, which is not among the published columns ({', '.join(columns)}), so nobody "
        "can verify it from these alone; give the private record of the release, or a table with that column in the "
        "order of the published records: --beside release.private.json, beside=… in Python"
    )


def _of_record(path: Path) -> pl.DataFrame:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read as a private record: {error}") from error
    columns = content.get(BESIDE) if isinstance(content, dict) else None
    if not columns:
        raise DataError(f"{path} holds no columns beside the published table; give a table that has them")
    return pl.DataFrame([pl.Series(name, values, dtype=pl.String) for name, values in columns.items()])
