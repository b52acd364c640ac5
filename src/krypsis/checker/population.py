"""How many people of a population look like each group that was published."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from krypsis.checker.grouping import PublishedGroups
from krypsis.checker.linkage import Linkage
from krypsis.checker.original import Original
from krypsis.datasets.texts import text_of
from krypsis.errors import DataError
from krypsis.groups import IntArray


def with_population(found: PublishedGroups, population: Original | None) -> PublishedGroups:
    """Return the groups with the number of people of the population that each stands for.

    Raises
    ------
    DataError
        if a group holds more records than the population has people like them: then the records are not part of it.
    """
    if population is None:
        return found
    people = _people(found, population)
    short = int((found.groups.sizes > people).sum())
    if short:
        raise DataError(
            f"{short} published groups hold more records than the population has people who look like them; the "
            "population must hold everybody in the data, with values that the hierarchies know"
        )
    return replace(found, groups=replace(found.groups, population=people))


def _people(found: PublishedGroups, population: Original) -> IntArray:
    names = list(found.attributes)
    columns = [text_of(column).rename(name) for column, name in zip(found.values.get_columns(), names, strict=True)]
    linkage = Linkage.between(population.table, pl.DataFrame(columns), names, population.hierarchies)
    keys = [f"k{place}" for place in range(len(names))]
    labels = pl.DataFrame([column.rename(key) for column, key in zip(columns, keys, strict=True)])
    told = pl.DataFrame(
        [
            pl.Series(key, values, dtype=pl.String).gather(linkage.published.codes[:, place])
            for place, (key, values) in enumerate(zip(keys, linkage.published.values, strict=True))
        ]
    ).with_columns(people=pl.Series(linkage.of_published))
    joined = labels.join(told, on=keys, how="left", nulls_equal=True, maintain_order="left")
    people: IntArray = joined["people"].to_numpy()
    return people
