"""Which people have only records that could be theirs with one sensitive value, where records form no groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from krypsis.arrays import FloatArray
from krypsis.checker.disclosure import SHOWN, DisclosingGroup, Disclosure, Inference
from krypsis.checker.linkage import Linkage
from krypsis.checker.original import Original
from krypsis.datasets.texts import PLAIN, text_of
from krypsis.hierarchies.base import TOP
from krypsis.models.coverage import NEARLY_CERTAIN, USUAL
from krypsis.spelling import spelled_alike

MOST_PEOPLE = 500
"""How many people are tried to find out which values follow from others."""
MOST_DIFFERENT = 1_000
"""Columns with more different values are not examined for that."""
MOST_VALUES = 200
"""How many values are examined, the most frequent first: each takes a look at all links."""


def disclosures_of_links(
    original: Original, published: pl.DataFrame, sets: Sequence[Sequence[str]], sensitive: Sequence[str]
) -> tuple[Disclosure, ...]:
    """Return what published records disclose about the people whom they could belong to.

    Whoever knows the quasi-identifiers of a person finds the published records that generalize them. If these have the
    same sensitive value, it is known. Of several sets of quasi-identifiers, the one that discloses most counts.

    Examples
    --------
    >>> before = Original(pl.DataFrame({"age": ["20", "21", "22", "23"]}))
    >>> ages = ["[20-21]", "[20-22]", "[21-23]", "[22-23]"]
    >>> table = pl.DataFrame({"age": ages, "ill": ["hiv", "hiv", "flu", "flu"]})
    >>> found, = disclosures_of_links(before, table, [["age"]], ["ill"])
    >>> found.certain, str(found.worst[0])
    (2, 'age=20: 2 records, all hiv')
    """
    found = []
    for name in sensitive:
        values = spelled_alike(text_of(published.get_column(name).rename(PLAIN)))
        found.append(max((_disclosed(original, published, one, name, values) for one in sets), key=_exposed))
    return tuple(one for one in found if one.exposed)


def inferences_of_links(
    original: Original, published: pl.DataFrame, sets: Sequence[Sequence[str]], names: Sequence[str]
) -> tuple[Inference, ...]:
    """Return which quasi-identifiers follow from the others where labels overlap; of many people, some are tried.

    A label that stands for several values, such as ``{a, b}``, gives none of them away.

    Examples
    --------
    >>> before = Original(pl.DataFrame({"age": ["20", "21", "22", "23"], "method": ["a", "a", "a", "b"]}))
    >>> table = pl.DataFrame({"age": ["[20-21]"] * 2 + ["[22-23]"] * 2, "method": ["a", "a", "{a, b}", "{a, b}"]})
    >>> inferences_of_links(before, table, [["age", "method"]], ["method"])
    (Inference(column='method', records=4, exposed=2),)
    """
    tried = original.table.sample(min(MOST_PEOPLE, original.table.height), seed=0)
    found: dict[str, Inference] = {}
    for known in sets:
        for name in (name for name in names if name in known and len(known) > 1):
            others = [other for other in known if other != name]
            one = Inference(name, tried.height, _inferred(original, tried, published, others, name))
            found[name] = max(one, found.get(name, one), key=lambda inference: inference.exposed)
    return tuple(one for one in found.values() if one.exposed)


def _inferred(
    original: Original, tried: pl.DataFrame, published: pl.DataFrame, others: Sequence[str], name: str
) -> int:
    labels = text_of(published.get_column(name).rename(PLAIN)).rename("label")
    values = text_of(original.table.get_column(name).rename(PLAIN)).unique().drop_nulls()
    examples = [original.table.unique(subset=[other], keep="first", maintain_order=True) for other in others]
    if any(len(rows) > MOST_DIFFERENT for rows in examples):
        return 0
    people = pl.concat([tried, *examples])  # a label can be read only if the values in it are known
    often = labels.value_counts(sort=True).filter(pl.col("label").is_in(values.implode()) & (pl.col("label") != TOP))
    whole = Linkage.between(people, published, others, original.hierarchies)
    known = np.zeros(len(whole.of_originals), dtype=np.bool_)
    for value, number in often.head(MOST_VALUES).iter_rows():
        if number < USUAL * len(labels):
            having = published.filter(labels.eq_missing(pl.Series([value], dtype=pl.String)))
            linked = Linkage.between(people, having, others, original.hierarchies).of_originals
            known |= (linked > 0) & (linked >= NEARLY_CERTAIN * whole.of_originals)
    inferred = {whole.originals.row(place) for place in np.flatnonzero(known).tolist()}
    columns = [text_of(tried.get_column(other).rename(PLAIN)) for other in others]
    return sum(person in inferred for person in zip(*columns, strict=True))


def _exposed(one: Disclosure) -> int:
    return one.exposed


def _disclosed(
    original: Original, published: pl.DataFrame, attributes: Sequence[str], column: str, values: pl.Series
) -> Disclosure:
    linkage = Linkage.between(original.table, published, attributes, original.hierarchies)
    people, records = linkage.originals.counts, linkage.of_originals
    share, value_of = _strongest(original, published, attributes, values, records.astype(np.float64))
    worst = np.lexsort((-records, -share))[: min(SHOWN, int((share >= NEARLY_CERTAIN).sum()))]
    return Disclosure(
        column,
        int(people.sum()),
        certain=int(people[share == 1].sum()),
        nearly=int(people[(share >= NEARLY_CERTAIN) & (share < 1)].sum()),
        groups=int((share >= NEARLY_CERTAIN).sum()),
        worst=tuple(
            DisclosingGroup(
                dict(zip(attributes, linkage.originals.row(place), strict=True)),
                int(records[place]),
                value_of[place],
                float(share[place]),
            )
            for place in worst.tolist()
        ),
    )


def _strongest(
    original: Original, published: pl.DataFrame, attributes: Sequence[str], values: pl.Series, records: FloatArray
) -> tuple[FloatArray, list[str | None]]:
    """Return for each original tuple the largest share of a value that is not usual, and that value."""
    share, value_of = np.zeros(len(records)), np.full(len(records), None, dtype=object)
    often = values.value_counts(sort=True)
    usual = USUAL * len(values)
    for value, number in often.head(MOST_VALUES).iter_rows():
        if number < usual:
            having = published.filter(values.eq_missing(pl.Series([value], dtype=pl.String)))
            linked = Linkage.between(original.table, having, attributes, original.hierarchies).of_originals
            own = np.divide(linked, records, out=np.zeros(len(records)), where=records > 0)
            value_of[own > share] = value
            share = np.maximum(own, share)
    return share, value_of.tolist()
