"""The profile of a table: its columns, and which of them together distinguish records."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from krypsis.data.schema import Role
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.profile.column import ColumnProfile, ValueType, profile_column
from krypsis.kinds.table.profile.roles import guess_role
from krypsis.kinds.table.profile.words import KNOWABLE, find_tag, tokens_of

KEY_SPACE = 2**62
WORK = 40_000_000
"""How many records are grouped for all combinations of one size; the most telling combinations come first."""
FEWEST = 20
"""How many combinations of one size are looked at in any case."""


@dataclass(frozen=True)
class Combination:
    """How well some columns together distinguish records."""

    columns: tuple[str, ...]
    unique_share: float
    """The share of records that are alone with their values."""
    smallest_group: int
    groups: int
    separation: float
    """The share of pairs of records that differ in at least one of the columns."""


@dataclass(frozen=True)
class Encoded:
    """A column as codes from 0 to ``size - 1``."""

    codes: npt.NDArray[np.int32]
    size: int
    entropy: float


def measure(names: Sequence[str], columns: Mapping[str, Encoded]) -> Combination:
    """Group the records by the columns and say how small the groups are.

    Examples
    --------
    >>> age = Encoded(np.array([0, 0, 1], dtype=np.int32), 2, 0.92)
    >>> measure(["age"], {"age": age})
    Combination(columns=('age',), unique_share=0.333..., smallest_group=1, groups=2, separation=0.666...)
    """
    sizes = _group_sizes([columns[name] for name in names])
    rows = int(sizes.sum())
    alike = int((sizes * (sizes - 1)).sum())
    return Combination(
        columns=tuple(names),
        unique_share=int(np.count_nonzero(sizes == 1)) / rows,
        smallest_group=int(sizes.min()),
        groups=len(sizes),
        separation=1.0 - alike / (rows * (rows - 1)) if rows > 1 else 0.0,
    )


def most_identifying(columns: Mapping[str, Encoded], size: int, rows: int) -> tuple[list[Combination], int]:
    """Return the combinations of ``size`` columns, most identifying first, and how many were looked at.

    Large tables are not sampled, since a record that is alone in a sample need not be alone in the table; instead only
    the combinations with the most information are looked at.
    """
    possible = sorted(
        itertools.combinations(columns, size),
        key=lambda names: -sum(columns[name].entropy for name in names),
    )
    chosen = possible[: max(FEWEST, WORK // rows)]
    measured = [measure(names, columns) for names in chosen]
    measured.sort(key=lambda found: (-found.unique_share, found.smallest_group, -found.separation))
    return measured, len(chosen)


def _group_sizes(columns: Sequence[Encoded]) -> npt.NDArray[np.int64]:
    keys, space = columns[0].codes.astype(np.int64), columns[0].size
    for column in columns[1:]:
        if space * column.size >= KEY_SPACE:
            keys = np.unique(keys, return_inverse=True)[1]
            space = int(keys.max()) + 1
        keys, space = keys * column.size + column.codes, space * column.size
    if space <= 4 * len(keys) + 1000:
        counted = np.bincount(keys, minlength=1)
        return counted[counted > 0]
    ordered = np.sort(keys.astype(np.uint32) if space < 2**32 else keys)
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1], [True])))
    return np.diff(starts)


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
    """Return the columns an attacker may know: likely quasi-identifiers first, then those that reveal the most."""
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
