"""The profile of a table: its columns, and which of them together tell records apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.data.schema import Role
from krypsis.io.dataset import Dataset
from krypsis.profile.column import ColumnProfile, ValueType, profile_column
from krypsis.profile.combinations import Combination, Encoded, most_identifying
from krypsis.profile.roles import guess_role
from krypsis.profile.words import KNOWABLE, find_tag, tokens_of

MOST_CANDIDATES = 15
SHOWN = 5


@dataclass(frozen=True)
class Profile:
    """What is known about a table before it is anonymized.

    ``pairs`` and ``triples`` are the most identifying ones among the ``candidates``: columns an attacker may know,
    without those that name a person by themselves.
    """

    name: str
    rows: int
    columns: tuple[ColumnProfile, ...]
    candidates: tuple[str, ...]
    pairs: tuple[Combination, ...]
    triples: tuple[Combination, ...]
    notes: tuple[str, ...]
    """What was left out to keep the work within bounds."""

    def column(self, name: str) -> ColumnProfile:
        """Return the profile of one column."""
        return next(column for column in self.columns if column.name == name)


def profile_table(dataset: Dataset) -> Profile:
    """Return the profile of a table.

    Examples
    --------
    >>> frame = pl.DataFrame({"age": [30, 30, 40, 40], "sex": ["m", "f", "m", "f"]})
    >>> found = profile_table(Dataset.of(frame))
    >>> found.column("age").unique_share, found.pairs[0].columns, found.pairs[0].unique_share
    (0.0, ('age', 'sex'), 1.0)
    """
    rows = dataset.rows
    columns = tuple(profile_column(name, dataset.collect_texts(name)) for name in dataset.columns)
    eligible = _candidates(columns)
    candidates = eligible[:MOST_CANDIDATES]
    encoded = {column.name: _encode(dataset.collect_texts(column.name), column) for column in candidates}
    pairs, pairs_seen = most_identifying(encoded, 2, rows)
    triples, triples_seen = most_identifying(encoded, 3, rows)
    return Profile(
        name=dataset.name,
        rows=rows,
        columns=columns,
        candidates=tuple(encoded),
        pairs=tuple(pairs[:SHOWN]),
        triples=tuple(triples[:SHOWN]),
        notes=_notes(len(eligible), len(candidates), pairs_seen, triples_seen),
    )


def _candidates(columns: tuple[ColumnProfile, ...]) -> list[ColumnProfile]:
    """Return the columns an attacker may know: likely quasi-identifiers first, then those that tell the most."""
    roles = {column.name: guess_role(column).role for column in columns}
    eligible = [
        column
        for column in columns
        if roles[column.name] in (Role.QUASI_IDENTIFIER, Role.INSENSITIVE)
        and column.kind not in (ValueType.CONSTANT, ValueType.EMPTY)
        # a measurement that is different for each record would be part of every combination shown
        and not (column.is_near_unique and not find_tag(tokens_of(column.name), KNOWABLE))
    ]
    return sorted(eligible, key=lambda column: (roles[column.name] is not Role.QUASI_IDENTIFIER, -column.entropy))


def _encode(texts: pl.Series, column: ColumnProfile) -> Encoded:
    values = texts.drop_nulls().unique()
    codes = texts.cast(pl.Enum(values)).to_physical().cast(pl.Int32).fill_null(column.distinct)
    return Encoded(codes.to_numpy().astype(np.int32, copy=False), column.distinct + 1, column.entropy)


def _notes(eligible: int, candidates: int, pairs: int, triples: int) -> tuple[str, ...]:
    notes = []
    if eligible > candidates:
        notes.append(f"{candidates} of {eligible} columns were combined, likely quasi-identifiers first")
    possible = {"pairs": candidates * (candidates - 1) // 2}
    possible["triples"] = possible["pairs"] * (candidates - 2) // 3
    for name, seen in (("pairs", pairs), ("triples", triples)):
        if seen < possible[name]:
            notes.append(f"{seen} of {possible[name]} {name} were looked at, those with the most information first")
    return tuple(notes)
