"""The table of one version, as a history needs it: who, what an attacker may know, and the sensitive value, as text."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.datasets.dataset import Dataset
from krypsis.errors import DataError, column_not_found, shorten
from krypsis.history.settings import Settings
from krypsis.io.read import read_table


@dataclass(frozen=True, eq=False)
class Table:
    """``texts`` has the columns ``id``, ``value``, ``q0``, ``q1``, … and one row per record.

    ``types`` are those of the quasi-identifiers in the table that was given, and behind them that of the sensitive
    attribute; ``is_text`` says that it was a text file, which has no types.
    """

    texts: pl.DataFrame
    types: tuple[pl.DataType, ...]
    is_text: bool = False

    @property
    def fingerprint(self) -> str:
        """A number that is the same for the same records in any order."""
        return f"{self.texts.height}-{self.texts.hash_rows(seed=7).sum():016x}"


def read_version(data: Any, settings: Settings, version: int) -> Table:
    """Return the table of a version after making sure that every record can be told from the others.

    Raises
    ------
    ColumnError
        if a column of the first version is missing.
    DataError
        if a record has no id, two records have the same, or one could be written in another way as well.
    """
    dataset = _dataset(data, settings)
    frame = dataset.frame
    used = (settings.id, settings.sensitive, *settings.quasi_identifiers)
    if missing := [name for name in used if name not in frame.columns]:
        raise _other_schema(missing, frame.columns, version)
    names = ("id", "value", *(f"q{place}" for place in range(len(settings.quasi_identifiers))))
    texts = pl.DataFrame([dataset.texts(name).alias(new) for name, new in zip(used, names, strict=True)])
    _check_ids(texts.get_column("id"), settings.id)
    types = tuple(frame.schema[name] for name in (*settings.quasi_identifiers, settings.sensitive))
    return Table(texts, types, dataset.is_text)


def _dataset(data: Any, settings: Settings) -> Dataset:
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        return Dataset(read_table(path, **settings.reading), path.name, path)
    return Dataset.of(data)


def _other_schema(missing: list[str], columns: list[str], version: int) -> Exception:
    error = column_not_found(missing[0], columns)
    if version == 1:
        return error
    return type(error)(f"version {version} has other columns than version {version - 1}: {error}")


def _check_ids(ids: pl.Series, column: str) -> None:
    if empty := ids.null_count() + int((ids == "").sum()):
        raise DataError(
            f"{empty} of {len(ids)} records have no {column!r}, which says whose record it is; give every record one"
        )
    if padded := ids.filter(ids != ids.str.strip_chars()).to_list():
        raise DataError(
            f"{len(padded)} of {len(ids)} values of {column!r} begin or end with a blank: "
            f"{shorten(map(repr, padded), 5)}; without it, the same person would be somebody new: remove blanks"
        )
    if ids.n_unique() < len(ids):
        twice = ids.filter(ids.is_duplicated()).unique().sort().to_list()
        raise DataError(
            f"{len(twice)} value(s) of {column!r} stand at several records: {shorten(map(repr, twice), 5)}; a "
            "record of a history is known by it, so give every record its own"
        )
