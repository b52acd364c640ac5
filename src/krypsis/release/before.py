"""What was there before: what a report compares a release with, and what some promises are judged against.

It stays in memory: nothing of it is written or pickled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, IntArray
from krypsis.checker.original import Original
from krypsis.data.frequency import FrequencySet
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.outcome import Outcome
from krypsis.data.recoding import Codebook, Recoding
from krypsis.data.transactions import Transactions
from krypsis.models.base import PrivacyModel


@dataclass(frozen=True, eq=False)
class RecodingEvidence:
    """The table before (as a frequency set), the recoding, and the figures of the result."""

    frequency: FrequencySet
    recoding: Recoding
    outcome: Outcome
    population: Original | None = None
    """All people whom the records may be about, where a promise compares with them."""
    most_suppressed: int | None = None
    """How many records the task allowed to suppress; nothing where that was left to the algorithm."""
    levels_allowed: tuple[tuple[int, int], ...] = ()
    """The lowest and the highest level of each attribute that the task allowed; all where nothing is said."""

    @property
    def original(self) -> Original:
        """The quasi-identifiers before, for promises that compare what is published with them."""
        frequency = self.frequency
        rows = np.repeat(np.arange(len(frequency.counts)), frequency.counts)
        columns = [
            pl.Series(f"c{place}", hierarchy.values, dtype=pl.String).gather(frequency.codes[rows, place]).rename(name)
            for place, (name, hierarchy) in enumerate(zip(frequency.attributes, frequency.hierarchies, strict=True))
        ]
        return Original(pl.DataFrame(columns), dict(zip(frequency.attributes, frequency.hierarchies, strict=True)))


@dataclass(frozen=True, eq=False, repr=False)
class Before:
    """The columns that are published, as they were; and what else only the publisher knows.

    Examples
    --------
    >>> Before(pl.DataFrame({"age": [31, 40]})).table.height
    2
    """

    table: pl.DataFrame = field(default_factory=pl.DataFrame)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """Of columns that are published more generally, where there is no other evidence of it."""
    books: Mapping[str, Codebook] = field(default_factory=dict)
    """Of those of them whose labels are no nodes of the hierarchy: which values each label stands for."""
    tables: Mapping[str, Before] = field(default_factory=dict)
    """The further tables of a release of several, by name."""
    subjects: tuple[IntArray, IntArray] | None = None
    """Of several tables: the sizes of the groups of subjects who look alike in all of them, before and after."""
    matches_rows: bool = False
    """Whether row by row the table is the one that the release was made of, as where values were changed."""

    nobody: BoolArray | None = None
    """Which rows of the release are nobody's record, where there are counterfeits."""
    sets: Transactions | None = None
    """The sets before, of a release of sets of items; there is no table then."""
    evidence: RecodingEvidence | None = None
    """The frequency set and the recoding, where the release generalizes."""
    compared: Original | None = None
    """The table that a promise compares with, where there is no other evidence of it."""
    private_columns: pl.DataFrame | None = None
    """Columns that a promise counts and that are not published, such as the number of a person, record by record."""

    def __repr__(self) -> str:
        """Show nothing: all of it is private, and what is shown ends up in notebooks and logs."""
        return "Before(private)"

    def __getstate__(self) -> object:
        raise TypeError("what was before a release is private and is not pickled; keep the original table instead")

    @property
    def population(self) -> Original | None:
        """All people whom the records may be about, where a promise compares with them."""
        return None if self.evidence is None else self.evidence.population

    def original_for(self, models: Iterable[PrivacyModel]) -> Original | None:
        """Return what the release was made from, where a promise needs it."""
        if not any(model.needs_original for model in models):
            return None
        return self.compared if self.evidence is None else self.evidence.original

    def in_order(self, order: IntArray) -> Before:
        """Return the same for a release whose rows were put in another order."""
        return replace(
            self,
            table=self.table[order] if self.matches_rows else self.table,
            nobody=None if self.nobody is None else self.nobody[order],
            private_columns=None if self.private_columns is None else self.private_columns[order],
        )
