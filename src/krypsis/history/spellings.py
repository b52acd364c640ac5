"""One spelling for each sensitive value of a history: ``flu `` is published as ``Flu``.

Two spellings of one disease in a group hide nobody, and a record whose value is only spelt differently in the next
version has not changed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from krypsis.datasets.dataset import distinct
from krypsis.errors import DataWarning, shorten
from krypsis.hierarchies import resolve
from krypsis.history.reading import Table
from krypsis.history.settings import Settings
from krypsis.history.state import State
from krypsis.spelling import alike

Label = str | None


def with_one_spelling(table: Table, settings: Settings, state: State) -> Table:
    """Return the table of a version with the spelling of each sensitive value that was published before, or the first.

    A value that was published before stays as it is. Warn of those that change.
    """
    published = state.frame("SELECT value FROM turnover UNION SELECT label FROM signatures WHERE level = 0")
    values = table.texts.get_column("value")
    other = _other_spellings(distinct(values), published.get_column("value").to_list(), _nodes(settings, values))
    if not other:
        return table
    shown = shorten((f"{own!r} as {_shown(one)}" for own, one in other.items()), 5)
    warnings.warn(
        f"sensitive values that differ only in their spelling are published in one: {shown}", DataWarning, stacklevel=2
    )
    column = values.replace_strict(list(other), list(other.values()), default=values, return_dtype=pl.String)
    return replace(table, texts=table.texts.with_columns(column.alias("value")))


def _other_spellings(values: Iterable[Label], published: Iterable[Label], nodes: set[Label]) -> dict[Label, Label]:
    """Return as what values are published that are other spellings.

    Examples
    --------
    >>> _other_spellings(["FLU", "flu", "gout"], ["flu"], set())
    {'FLU': 'flu'}
    """
    before = _sorted(published)
    every = _sorted({*values, *before})
    found = alike(every, nodes)
    place = dict(zip(every, found.place, strict=True))
    chosen = {place[value]: value for value in reversed(before)}
    shown = {value: chosen.get(place[value], found.values[place[value]]) for value in values if value not in before}
    return {value: one for value, one in shown.items() if value != one}


def _nodes(settings: Settings, values: pl.Series) -> set[Label]:
    """Return the general values of the hierarchy, which mean what the hierarchy says."""
    spec = settings.hierarchy_of(settings.sensitive)
    if spec is None:
        return set()
    hierarchy = resolve(spec, distinct(values), settings.sensitive, settings.folder)
    return {label for labels in hierarchy.labels[1:] for label in labels}


def _sorted(values: Iterable[Label]) -> list[Label]:
    return sorted(values, key=lambda value: (value is None, value or ""))


def _shown(value: Label) -> str:
    return "(missing)" if value is None else repr(value)
