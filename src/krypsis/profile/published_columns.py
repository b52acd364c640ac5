"""Columns that are published as they are and single people out: identifiers by name or look, and unique values.

Insensitive and sensitive columns are published unchanged. One that names a person, or that has a value of its own for
nearly every record, undoes whatever the groups of quasi-identifiers promise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from krypsis.data.schema import Role, Schema
from krypsis.io.dataset import Dataset
from krypsis.profile.column import profile_column
from krypsis.profile.combinations import Encoded, most_identifying
from krypsis.profile.reasons import Guess, Language, sentence_of
from krypsis.profile.roles import guess_role

FEWEST_TO_JUDGE = 20
"""With fewer records, that all values differ says nothing."""
MOST_ROWS = 50_000
"""Of a longer table so many records are looked at first; all of them only if these raise a suspicion."""
NEARLY_UNIQUE = 0.9
"""The share of records alone with their values from which on a combination of columns singles people out."""
JUDGED_BY_NAME_OR_LOOK = ("speaks-of", "look-like", "a-name", "number-of-a-person", "named-free-text")
"""Reasons that hold however few records there are."""


@dataclass(frozen=True)
class Suspect:
    """One column, or several together, that should not be published as they are."""

    columns: tuple[str, ...]
    key: str
    role: Role = Role.INSENSITIVE
    share: float = 0.0
    guess: Guess | None = field(default=None, repr=False)

    def said(self, language: Language = "en") -> str:
        """Return the warning in one or two sentences.

        Examples
        --------
        >>> table = pl.DataFrame({"ssn": ["078-05-1120", "219-09-9999"]})
        >>> found, = suspects(Dataset.of(table), Schema.of({"ssn": "insensitive"}))
        >>> found.said()
        "'ssn' (insensitive) is published as it is, and the name speaks of an official number of a person. ..."
        """
        values = {"columns": ", ".join(map(repr, self.columns)), "role": self.role.value}
        values["share"] = f"{self.share:.0%}".replace("%", " %")
        values["reason"] = "" if self.guess is None else self.guess.said(language)
        return sentence_of(self.key, language, values)


def suspects(dataset: Dataset, schema: Schema) -> tuple[Suspect, ...]:
    """Return what single people out among the columns that are published as they are.

    Examples
    --------
    >>> table = pl.DataFrame({"mail": ["ann@example.org", "bob@example.org"], "visits": [1, 2]})
    >>> [one.columns for one in suspects(Dataset.of(table), Schema.of({"mail": "sensitive", "visits": "insensitive"}))]
    [('mail',)]
    """
    unchanged = {name: role for name, role in schema.roles.items() if role in (Role.SENSITIVE, Role.INSENSITIVE)}
    judged = [_judged(name, role, dataset) for name, role in unchanged.items() if name in dataset.columns]
    alone = [one for one in judged if one is not None]
    named = {name for one in alone for name in one.columns}
    rest = [name for name in schema.with_role(Role.INSENSITIVE) if name not in named and name in dataset.columns]
    return (*alone, *_together(rest, dataset))


def _judged(name: str, role: Role, dataset: Dataset) -> Suspect | None:
    """Return the column if it looks like an identifier, or if nearly all of its values are unique."""
    texts = dataset.collect_texts(name)
    if len(texts) > MOST_ROWS and _suspicion(name, role, _part(texts)) is None:
        return None  # what is unique among all records is unique among some of them
    return _suspicion(name, role, texts)


def _suspicion(name: str, role: Role, texts: pl.Series) -> Suspect | None:
    profile = profile_column(name, texts)
    guess = guess_role(profile)
    is_many = len(texts) >= FEWEST_TO_JUDGE
    if guess.role is Role.IDENTIFIER and (is_many or guess.key in JUDGED_BY_NAME_OR_LOOK):
        return Suspect((name,), "published-identifier", role, profile.unique_share, guess)
    if is_many and profile.is_near_unique:
        return Suspect((name,), "published-unique", role, profile.unique_share)
    return None


def _together(names: Sequence[str], dataset: Dataset) -> tuple[Suspect, ...]:
    """Return the smallest combination of insensitive columns that is nearly unique, if there is one."""
    if len(names) < 2 or dataset.rows < FEWEST_TO_JUDGE:
        return ()
    columns = {name: dataset.collect_texts(name) for name in names}
    if dataset.rows > MOST_ROWS and not _combination({name: _part(one) for name, one in columns.items()}):
        return ()
    return _combination(columns)


def _combination(columns: Mapping[str, pl.Series]) -> tuple[Suspect, ...]:
    names, rows = list(columns), len(next(iter(columns.values())))
    encoded = {name: _encoded(texts) for name, texts in columns.items()}
    for size in dict.fromkeys((2, 3, len(names))):
        if size <= len(names):
            worst = most_identifying(encoded, size, rows)[0][0]
            if worst.unique_share >= NEARLY_UNIQUE:
                return (Suspect(worst.columns, "published-together", share=worst.unique_share),)
    return ()


def _part(texts: pl.Series) -> pl.Series:
    return texts.gather_every(len(texts) // MOST_ROWS)


def _encoded(texts: pl.Series) -> Encoded:
    """Return a column as codes; a missing value is a value of its own."""
    codes = texts.rank("dense").fill_null(0).cast(pl.Int32).to_numpy()
    counts = np.bincount(codes)
    shares = counts[counts > 0] / len(codes)
    return Encoded(codes, len(counts), float(-(shares * np.log2(shares)).sum()))
