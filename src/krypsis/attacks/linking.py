"""What somebody learns who joins a published table with a register of persons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from krypsis.checker.coverage import read_span
from krypsis.checker.linkage import Linkage, Tuples
from krypsis.datasets.dataset import Dataset
from krypsis.datasets.frames import frame_of
from krypsis.datasets.texts import PLAIN, text_of
from krypsis.errors import column_not_found
from krypsis.hierarchies import HierarchySpec, resolve
from krypsis.hierarchies.base import TOP, Hierarchy, Label


def linking_attack(
    published: Any,
    external: Any,
    quasi_identifiers: Sequence[str],
    *,
    sensitive: str | None = None,
    hierarchies: Mapping[str, HierarchySpec] | None = None,
) -> pl.DataFrame:
    """Return for each person of a register how many published records fit, and what these tell.

    Parameters
    ----------
    published, external
        the table and the register, in any form that :func:`krypsis.anonymize` takes.
    quasi_identifiers
        the columns that both have.
    sensitive
        the published column that the attacker wants to learn.
    hierarchies
        of generalized columns, in any form that a task may give. Without one, a label is a range such as ``[30-35)``, a
        set such as ``{a, b}``, everything (``*``), or a value that stands for itself.

    Returns
    -------
    polars.DataFrame
        one row per person, in the order of the register: ``matches``, the published records that could be the
        person's; ``value``, the most frequent sensitive value among these, and ``share``, how sure one can be of it.
        Who matches one record only, is found; of whom the share is 1, everything is known.

    References
    ----------
    Sweeney, "k-anonymity: a model for protecting privacy", IJUFKS 10(5), 2002, Figure 1.

    Examples
    --------
    >>> published = pl.DataFrame({"age": ["[30-35)", "[30-35)", "38"], "disease": ["flu", "flu", "cancer"]})
    >>> voters = pl.DataFrame({"name": ["Ann", "Bob", "Cat"], "age": [31, 38, 50]})
    >>> linking_attack(published, voters, ["age"], sensitive="disease").rows()
    [(2, 'flu', 1.0), (1, 'cancer', 1.0), (0, None, None)]
    """
    table, register = frame_of(published), frame_of(external)
    for name in (*quasi_identifiers, *([] if sensitive is None else [sensitive])):
        if name not in table.columns:
            raise column_not_found(name, table.columns)
    for name in quasi_identifiers:
        if name not in register.columns:
            raise column_not_found(name, register.columns)
    given = hierarchies or {}
    known = {name: resolve(spec, Dataset.of(register).engine.distinct(name), name) for name, spec in given.items()}
    everybody = _with_strangers(register, table, quasi_identifiers, known)
    linkage = Linkage.between(everybody, table, quasi_identifiers, known)
    records = _records(table, linkage.published, quasi_identifiers, sensitive)
    labels, persons = linkage.pairs
    learned = _learned(pl.DataFrame({"person": persons, "label": labels}).join(records, on="label"))
    people = _places(register, linkage.originals, quasi_identifiers).rename("person").to_frame()
    told = people.join(learned, on="person", how="left", maintain_order="left").with_columns(
        pl.col("matches").fill_null(0)
    )
    return told.select("matches", "value", "share") if sensitive is not None else told.select("matches")


def _records(table: pl.DataFrame, looks: Tuples, names: Sequence[str], sensitive: str | None) -> pl.DataFrame:
    """Return how many records look how and have which sensitive value: ``label``, ``value``, ``number``."""
    nothing = pl.repeat(None, table.height, dtype=pl.String, eager=True)
    values = nothing if sensitive is None else text_of(table.get_column(sensitive).rename(PLAIN))
    columns = [_places(table, looks, names).rename("label"), values.rename("value")]
    return pl.DataFrame(columns).group_by("label", "value").agg(number=pl.len().cast(pl.Int64))


def _learned(links: pl.DataFrame) -> pl.DataFrame:
    """Return for each combination of known values how many records fit, and the most frequent value of these."""
    counted = links.group_by("person", "value").agg(pl.col("number").sum())
    likely = counted.sort("number", "value", descending=[True, False], nulls_last=True)
    told = likely.group_by("person", maintain_order=True).agg(pl.col("value", "number").first())
    total = counted.group_by("person").agg(matches=pl.col("number").sum())
    return told.join(total, on="person").with_columns(share=pl.col("number") / pl.col("matches"))


def _places(table: pl.DataFrame, tuples: Tuples, names: Sequence[str]) -> pl.Series:
    """Return for each row the place of its tuple."""
    keys = [f"k{place}" for place in range(len(names))]
    rows = pl.DataFrame(
        [text_of(table.get_column(name).rename(PLAIN)).rename(key) for name, key in zip(names, keys, strict=True)]
    )
    known = pl.DataFrame(
        [
            pl.Series(key, values, dtype=pl.String).gather(tuples.codes[:, place])
            for place, (key, values) in enumerate(zip(keys, tuples.values, strict=True))
        ]
    ).with_row_index("place")
    return rows.join(known, on=keys, how="left", nulls_equal=True, maintain_order="left")["place"].cast(pl.Int64)


def _with_strangers(
    register: pl.DataFrame, table: pl.DataFrame, names: Sequence[str], known: Mapping[str, Hierarchy]
) -> pl.DataFrame:
    """Return the register and below it rows of nobody, with the published values that nobody of the register has.

    So a value that is published as it is is understood as one, and not taken for a label of unknown meaning.
    """
    columns = []
    for name in names:
        values = text_of(register.get_column(name).rename(PLAIN))
        labels = [] if name in known else Dataset.of(table).engine.distinct(name)
        told = dict.fromkeys(value for label in labels for value in _named_by(label))
        columns.append([*values.to_list(), *told])
    longest = max(map(len, columns))
    rows = {name: [*values, *[None] * (longest - len(values))] for name, values in zip(names, columns, strict=True)}
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String))


def _named_by(label: Label) -> list[str]:
    """Return the values that a label names: itself or the members of a set; none where it is a range or everything."""
    if label is None or label == TOP or read_span(label) is not None:
        return []
    return label[1:-1].split(", ") if label.startswith("{") and label.endswith("}") else [label]
