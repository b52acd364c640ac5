"""Columns that lie in a table of their own, such as what each person wants to keep private: put at their records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from krypsis.errors import DataError, shorten
from krypsis.io.dataset import Dataset
from krypsis.io.frames import worked_on


def with_private_columns(dataset: Dataset, private: Any) -> Dataset:
    """Return the dataset with the further columns of a private table.

    Columns that both tables have say whose record it is: of everybody the private table has one record at most, and who
    is not in it has missing values. Without such a column it has one record for each of the dataset, in the same order.

    Raises
    ------
    DataError
        if it has no further column, several records for a person, or one for somebody who is not in the dataset; or if
        it has another number of records and no column that says whose they are.

    Examples
    --------
    >>> patients = Dataset.of(pl.DataFrame({"id": [7, 8, 9], "disease": ["flu", "hiv", "flu"]}))
    >>> guarded = with_private_columns(patients, pl.DataFrame({"id": ["8"], "hides": ["virus"]}))
    >>> guarded.collect_column("hides").to_list()
    [None, 'virus', None]
    """
    further = Dataset.of(private, "the table of private columns")
    names = [name for name in further.columns if name not in dataset.columns]
    keys = [name for name in further.columns if name in dataset.columns]
    if not names:
        raise DataError(
            f"{further.name} has no column that the data does not have; its columns: {shorten(keys)}. "
            "Give a column with what else is known of each record"
        )
    found = _by_key(dataset, further, keys) if keys else _by_place(dataset, further)
    columns = [worked_on(further.collect_column(name), lambda one: one.gather(found)) for name in names]
    return dataset.with_rows(dataset.collect().hstack(columns))


def _by_place(dataset: Dataset, further: Dataset) -> pl.Series:
    if further.rows != dataset.rows:
        raise DataError(
            f"{further.name} has {further.rows} records and the data {dataset.rows}, "
            f"and no column says whose they are; give a column of the data as well: {shorten(dataset.columns)}"
        )
    return pl.int_range(further.rows, eager=True)


def _by_key(dataset: Dataset, further: Dataset, keys: Sequence[str]) -> pl.Series:
    """Return for each record of the dataset the number of its private record, missing where there is none."""
    ours, theirs = (_as_text(one, keys) for one in (dataset, further))
    on = ours.columns
    if (twice := theirs.filter(theirs.is_duplicated())).height:
        raise DataError(f"{further.name} has several records for {_named(twice, keys)}; give one for each person")
    # A misspelt name must not mean that somebody's wish is forgotten.
    if (strangers := theirs.join(ours, on=on, how="anti", nulls_equal=True)).height:
        raise DataError(
            f"{further.name} has {strangers.height} record(s) of persons who are not in the data, such "
            f"as {_named(strangers, keys)}; correct or remove them"
        )
    numbered = theirs.with_columns(place=pl.int_range(theirs.height))
    return ours.join(numbered, on=on, how="left", nulls_equal=True, maintain_order="left").get_column("place")


def _as_text(dataset: Dataset, keys: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame([dataset.collect_texts(key).rename(f"key{place}") for place, key in enumerate(keys)])


def _named(records: pl.DataFrame, keys: Sequence[str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in zip(keys, records.row(0), strict=True))
