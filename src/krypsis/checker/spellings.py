"""Sensitive values that differ only in their spelling count as one, in all releases of a table that changes as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from krypsis.checker.invariance import Bound
from krypsis.datasets.history import Version
from krypsis.hierarchies.base import Hierarchy
from krypsis.spelling import alike

SHOWN = 5
"""How many spellings of a value are named."""


def in_one_spelling(
    versions: Sequence[Version], bound: Bound | None, taxonomy: Hierarchy | None
) -> tuple[Sequence[Version], Bound | None, str]:
    """Return releases and what people are bound to with one spelling of each value, and a sentence about the others.

    General values of the hierarchy stay as they are: they mean what the hierarchy says.

    Examples
    --------
    >>> versions, _, sentence = in_one_spelling([Version.of_signatures({"Ann": ["Flu", "flu", "hiv"]})], None, None)
    >>> sorted(versions[0].signatures()["Ann"]), sentence
    (['Flu', 'hiv'], " 1 sensitive value(s) occur in several spellings and count as one each, such as 'Flu', 'flu'.")
    """
    columns = [version.records.get_column("value") for version in versions]
    columns += [] if bound is None else [bound.values.get_column("value")]
    every = pl.concat([column.cast(pl.String).unique().rename("value") for column in columns])
    values = every.unique().sort(nulls_last=True).to_list()
    nodes = () if taxonomy is None else {label for labels in taxonomy.labels[1:] for label in labels}
    found = alike(values, nodes)
    if not found.several:
        return versions, bound, ""
    one = {value: found.values[place] for value, place in zip(values, found.place, strict=True)}
    spelt = [replace(version, records=_spelt(version.records, one)) for version in versions]
    return spelt, None if bound is None else replace(bound, values=_spelt(bound.values, one)), said(found.several)


def said(several: Sequence[Sequence[str]]) -> str:
    """Say which values occur in several spellings: they were counted as one, and the publisher should mend them."""
    if not several:
        return ""
    example = ", ".join(map(repr, several[0][:SHOWN]))
    return f" {len(several)} sensitive value(s) occur in several spellings and count as one each, such as {example}."


def _spelt(table: pl.DataFrame, one: dict[str | None, str | None]) -> pl.DataFrame:
    values = table.get_column("value").cast(pl.String)
    return table.with_columns(values.replace_strict(list(one), list(one.values()), return_dtype=pl.String))
