"""Groups when a missing cell may stand for any value.

Somebody who knows a person's true values looks for the records that could be this person: those that agree in every
cell that is not missing. A record with missing cells belongs to a person whose true values there are unknown to us;
the attacker may know them, and they may be values that nobody else in the table has. The records that are candidates
*whatever the truth is* are those that **cover** the record: in each attribute they show the same value, or nothing.

So the group of a record is the set of records that cover it. Every set of candidates an attacker can arrive at
contains the group of each of its records, so a promise that survives the growth of a group
(``monotone_with_suppression``) and holds for all these groups holds for every attacker. Promises without that
property are refused: for them no smallest group decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from krypsis.checker.grouping import Counted, PublishedGroups, groups_of
from krypsis.errors import UsageError
from krypsis.groups import Groups, Histogram
from krypsis.models.base import GroupModel, PrivacyModel


def refuse_unsound(models: Sequence[PrivacyModel]) -> None:
    """Raise if a promise cannot be decided when missing cells are wildcards."""
    for model in models:
        if not isinstance(model, GroupModel):
            raise UsageError(
                f"{model.spec} cannot be checked with missing cells as wildcards: it compares each cell with the "
                "original one; check it with missing='value'"
            )
        if model.needs_population:
            raise UsageError(
                f"{model.spec} cannot be checked with missing cells as wildcards: it compares with a population, in "
                "which a missing value is a value; check it with missing='value'"
            )
        if not model.monotone_with_suppression:
            raise UsageError(
                f"{model.spec} cannot be checked with missing cells as wildcards: a group that keeps it may lose it "
                "when records join, so no smallest group decides; check it with missing='value'"
            )


def covering_groups_of(counted: Counted, attributes: Sequence[str]) -> PublishedGroups:
    """Return one group per distinct combination of values: the records that cover it.

    Cost: one join for every pair of patterns of missing cells that occur, where one contains the other.
    """
    own = groups_of(counted, attributes)
    keys = own.values.columns
    records = own.values.with_row_index("group")
    counts = own.values.with_columns(count=pl.Series(own.groups.sizes))
    sizes = np.zeros(len(own.groups), dtype=np.int64)
    for found in _covering_pairs(records, counts, keys):
        # Within one pair of patterns a combination of values has at most one coverer, so no index stands twice.
        sizes[found["group"].to_numpy()] += found["count"].to_numpy()
    covered = partial(_covering_histogram, own.values, records)
    histograms = {name: covered(histogram) for name, histogram in own.groups.sensitive.items()}
    combined = {names: covered(histogram) for names, histogram in own.groups.combined.items()}
    return PublishedGroups(own.attributes, own.values, Groups(sizes, histograms, combined=combined))


def _covering_histogram(values: pl.DataFrame, records: pl.DataFrame, own: Histogram) -> Histogram:
    """Return how often each value occurs among the records that cover a combination, in ascending order."""
    entries = values[own.group].with_columns(value=pl.Series(own.value), count=pl.Series(own.count))
    pairs = [found.select("group", "value", "count") for found in _covering_pairs(records, entries, values.columns)]
    summed = pl.concat(pairs).group_by("group", "value").agg(pl.col("count").sum()).sort("group", "value")
    group, value, number = (summed[column].cast(pl.Int64).to_numpy() for column in summed.columns)
    return replace(own, group=group, value=value, count=number)


def _covering_pairs(records: pl.DataFrame, others: pl.DataFrame, keys: list[str]) -> Iterator[pl.DataFrame]:
    """Yield ``records`` joined with those ``others`` that cover them, one pair of patterns at a time."""
    coverers = _by_pattern(others, keys)
    for missing_here, mine in _by_pattern(records.select("group", *keys), keys).items():
        for missing_there, theirs in coverers.items():
            if missing_here <= missing_there:
                shown = [key for key in keys if key not in missing_there]
                left, right = mine.select("group", *shown), theirs.drop(missing_there)
                yield left.join(right, on=shown) if shown else left.join(right, how="cross")


def _by_pattern(frame: pl.DataFrame, keys: list[str]) -> dict[frozenset[str], pl.DataFrame]:
    """Split the rows by the set of keys that are missing."""
    flagged = frame.with_columns(pl.concat_str([pl.col(key).is_null().cast(pl.Int8) for key in keys]).alias("pattern"))
    parts = flagged.partition_by("pattern", as_dict=True, include_key=False)
    return {
        frozenset(key for key, flag in zip(keys, str(pattern), strict=True) if flag == "1"): part
        for (pattern,), part in parts.items()
    }
