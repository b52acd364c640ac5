"""Columns by their exact names: polars takes names such as ``^a$`` and ``*`` for patterns, wherever it takes a name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import polars as pl

from krypsis.datasets.texts import PLAIN


def picked(frame: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Return some columns.

    Examples
    --------
    >>> picked(pl.DataFrame({"^a$": [1], "a": [2]}), ["^a$"]).columns
    ['^a$']
    """
    return pl.DataFrame([frame.get_column(name) for name in names])


def replaced(frame: pl.DataFrame, columns: Iterable[pl.Series]) -> pl.DataFrame:
    """Return the table with columns in the place of those of the same names; new ones come last.

    Examples
    --------
    >>> replaced(pl.DataFrame({"^a$": [1], "a": [2]}), [pl.Series("^a$", [3])]).rows()
    [(3, 2)]
    """
    given = {column.name: column for column in columns}
    return pl.DataFrame({**{column.name: column for column in frame}, **given}) if given else frame


def worked_on(column: pl.Series, work: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Return what some work makes of a column, under its name: polars looks at the names of series, too."""
    return work(column.rename(PLAIN)).rename(column.name)
