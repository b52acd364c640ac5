"""How many people of a population look like each group that was published."""

from dataclasses import replace

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.checker.evidence import Original
from krypsis.checker.grouping import PublishedGroups
from krypsis.checker.linkage import Linkage
from krypsis.errors import DataError
from krypsis.io.texts import PLAIN, text_of
from krypsis.models.base import GroupModel


def with_population(found: PublishedGroups, population: Original | None, model: GroupModel) -> PublishedGroups:
    """Return the groups with the number of people of the population that each stands for.

    Where a promise judges people of whom nothing is published, each combination of their values is one more group,
    without records.

    Raises
    ------
    DataError
        if a group holds more records than the population has people like them: then the records are not part of it;
        or if people look like two groups, and the promise cannot be decided then.
    """
    if population is None:
        return found
    texts = _texts(found)
    linkage = Linkage.between(population.table, texts, list(found.attributes), population.hierarchies)
    looks, crowd = _counted(linkage)
    people = _in_order_of(texts, linkage, crowd)
    # δ-presence needs T ⊆ E: P(t ∈ T | T') = size of the class in T' / size of its class in E' (erratum E32).
    if short := int((found.groups.sizes > people).sum()):
        raise DataError(
            f"{short} of {len(people)} published groups hold more records than the population has people who look like "
            "them; the population must hold everybody in the data, with values that the hierarchies know"
        )
    if model.needs_disjoint:
        _refuse_overlap(linkage, looks, model)
    counted = replace(found, groups=replace(found.groups, population=people))
    # People of E in classes absent from T' have probability 0, which violates δmin > 0.
    return _with_absent(counted, texts, linkage, looks) if model.judges_absent else counted


def _counted(linkage: Linkage) -> tuple[IntArray, IntArray]:
    """Return how many groups each tuple of the population looks like, and how many people look like each group."""
    if any((covered.sum(axis=0) > 1).any() for covered in linkage.covered):
        return linkage.of_originals, linkage.of_published
    # No two labels of an attribute overlap, as in full-domain generalization: everybody has one label in each.
    before, after = linkage.originals, linkage.published
    has_label, keys, wanted = np.ones(len(before.counts), dtype=np.bool_), [], []
    for place, covered in enumerate(linkage.covered):
        codes = before.codes[:, place]
        has_label &= np.logical_or.reduce(covered, axis=0)[codes]
        keys.append(pl.Series(f"k{place}", covered.argmax(axis=0)[codes]))
        wanted.append(pl.Series(f"k{place}", after.codes[:, place]))
    people = pl.DataFrame(keys).with_columns(person=pl.int_range(pl.len())).filter(pl.Series(has_label))
    groups = pl.DataFrame(wanted).with_columns(group=pl.int_range(pl.len()))
    pairs = people.join(groups, on=[key.name for key in keys])
    person, group = pairs["person"].to_numpy(), pairs["group"].to_numpy()
    looks = np.bincount(person, minlength=len(before.counts)).astype(np.int64)
    return looks, np.bincount(group, before.counts[person], minlength=len(after.counts)).astype(np.int64)


def _texts(found: PublishedGroups) -> pl.DataFrame:
    """Return what the groups look like, as text under the names of the attributes."""
    columns = zip(found.values.get_columns(), found.attributes, strict=True)
    return pl.DataFrame([text_of(column.rename(PLAIN)).rename(name) for column, name in columns])


def _in_order_of(texts: pl.DataFrame, linkage: Linkage, crowd: IntArray) -> IntArray:
    """Return the number of people of each group, in the order of the groups; the links are in an order of their own."""
    keys = [f"k{place}" for place in range(texts.width)]
    labels = pl.DataFrame([column.rename(key) for column, key in zip(texts.get_columns(), keys, strict=True)])
    frequencies = pl.DataFrame(
        [
            pl.Series(key, values, dtype=pl.String).gather(linkage.published.codes[:, place])
            for place, (key, values) in enumerate(zip(keys, linkage.published.values, strict=True))
        ]
    ).with_columns(people=pl.Series(crowd))
    joined = labels.join(frequencies, on=keys, how="left", nulls_equal=True, maintain_order="left")
    people: IntArray = joined["people"].to_numpy()
    return people


def _refuse_overlap(linkage: Linkage, looks: IntArray, model: GroupModel) -> None:
    several = looks > 1
    if several.any():
        example = linkage.originals.row(int(np.flatnonzero(several)[0]))
        shown = ", ".join(f"{name}={value}" for name, value in zip(linkage.attributes, example, strict=True))
        raise DataError(
            f"{int(linkage.originals.counts[several].sum())} people of the population look like the records of more "
            f"than one published group, such as {shown}; {model.spec} can be decided only where everybody looks like "
            "one group at most, as in full-domain generalization with suppressed records removed"
        )


def _with_absent(found: PublishedGroups, texts: pl.DataFrame, linkage: Linkage, looks: IntArray) -> PublishedGroups:
    """Add the people whom no group stands for, by their own values."""
    absent = np.flatnonzero(looks == 0)
    if not len(absent):
        return found
    rows = [linkage.originals.row(place) for place in absent.tolist()]
    values = pl.concat([texts, pl.DataFrame(rows, schema=texts.schema, orient="row")]).rename(
        dict(zip(texts.columns, found.values.columns, strict=True))
    )
    sizes = np.concatenate([found.groups.sizes, np.zeros(len(absent), dtype=np.int64)])
    people = np.concatenate([found.groups.people("this promise"), linkage.originals.counts[absent]])
    return replace(found, values=values, groups=replace(found.groups, sizes=sizes, population=people))
